import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { createFile } from '#src/domain/repository/files/write.ts';
import { HistoryBuilder } from '../../support/git_history.ts';
import { fillRepository } from '../../support/repository.ts';
import type { TestUser, World } from '../../support/world.ts';
import type { Role, Stage } from '../matrix.ts';

/** What the rules of several resources are given: records that are made for each request. */
export type ProjectGiven = ReturnType<typeof projectGiven>;

/** Makes what projectRules gives to routes, in the projects of stages. */
export function projectGiven(world: World, users: Record<Role, TestUser | undefined>) {
  const owner = users.owner as TestUser;
  const anyone = { success: 200, level: 10, open: 'anyone' } as const;
  const reading = { success: 200, level: 10, open: 'user' } as const;
  const project = ({ project: { id } }: Stage) => ({ id });
  /** Somebody who has no role. */
  const theAuthor = async () =>
    (await world.db.user.findFirst({ where: { username: 'the-author' } })) ??
    (await world.user({ username: 'the-author' }));
  /** A project like that of the stage, for what changes or ends it. */
  const fresh = async (at: Stage) => {
    const { id } = await world.project({ owner, visibility: at.visibility, namespaceId: at.project.namespaceId });
    for (const role of ['guest', 'reporter', 'developer', 'master'] as const) {
      await world.member({ id, issuesEnabled: true } as ProjectRow, users[role] as TestUser, role);
    }
    return { id };
  };
  const joined = new Set<number>();
  /** Gives the members of the project the same level in its group. */
  const groupMembers = async ({ project: { namespaceId } }: Stage) => {
    if (joined.has(namespaceId)) return;
    joined.add(namespaceId);
    for (const role of ['guest', 'reporter', 'developer', 'master'] as const) {
      await world.member({ id: namespaceId, kind: 'group' }, users[role] as TestUser, role);
    }
  };
  const written = new Set<number>();
  /** The project, with a file `a.txt` on the branch `main` and the tag `v1`. */
  const filled = async (at: Stage) => {
    if (!written.has(at.project.id)) {
      const history = new HistoryBuilder();
      const mark = history.commit({ branch: 'main', changes: [{ path: 'a.txt', content: 'a\n' }] });
      history.tag('v1', mark, 'One');
      await fillRepository(world, at.project, history.build());
      written.add(at.project.id);
    }
    return project(at);
  };
  const commit = async (at: Stage) => ({ ...(await filled(at)), sha: 'main' });
  const named = () => ({ title: world.unique('new '), name: world.unique('new') });
  const branched = new Map<number, { id: number }>();
  /** A project like that of the stage, in whose repository the branch `topic` is not protected. */
  const branches = async (at: Stage) => {
    const known = branched.get(at.project.id);
    if (known) return known;
    const { id } = await fresh(at);
    branched.set(at.project.id, { id });
    await createFile(world.as(owner), id, { path: 'first', branch: 'master', content: '', message: 'First' });
    await createBranch(world.as(owner), id, 'topic', 'master');
    return { id };
  };
  const newBranch = async (at: Stage) => {
    const { id } = await branches(at);
    const { name } = await createBranch(world.as(owner), id, world.unique('branch'), 'master');
    return { id, branch: name };
  };
  return {
    world,
    users,
    owner,
    anyone,
    reading,
    project,
    theAuthor,
    fresh,
    groupMembers,
    filled,
    commit,
    named,
    branches,
    newBranch,
  };
}

import { expect } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from './http.ts';
import { startWorld, type TestUser } from './world.ts';

/** The keys of a commit in lists of the contract. */
export const COMMIT_KEYS = [
  'id',
  'short_id',
  'title',
  'created_at',
  'parent_ids',
  'message',
  'author_name',
  'author_email',
  'authored_date',
  'committer_name',
  'committer_email',
  'committed_date',
  'web_url',
  'trailers',
  'extended_trailers',
];

/** A world to commit in, with a project of two files, the path of its repository in the API and its directory. */
export async function startCommittingWorld() {
  const world = await startWorld();
  const owner = await world.user();
  const master = await world.user();
  const developer = await world.user();
  const reporter = await world.user();
  const guest = await world.user();
  const api = world.api(owner);

  /** A project with a member of each level, and a first commit of the actions; `at` is the path of its repository. */
  async function filled(
    actions: Json[] = [],
    settings = {},
  ): Promise<{ project: ProjectRow; at: string; directory: string }> {
    const made = await world.project({ owner, visibility: 'private', ...settings });
    await world.member(made, master, 'master');
    await world.member(made, developer, 'developer');
    await world.member(made, reporter, 'reporter');
    await world.member(made, guest, 'guest');
    const repository = `/projects/${made.id}/repository`;
    if (actions.length > 0) await committed(repository, actions);
    return { project: made, at: repository, directory: world.repositories.directory(made) };
  }

  /** Commits actions to a branch, `master` unless `more` says another; what the API answers. */
  async function committed(repository: string, actions: Json[], more: Json = {}, who: TestUser = owner): Promise<Json> {
    const given = { branch: 'master', commit_message: 'Change', actions, ...more };
    const { status, body } = await world.api(who).post(`${repository}/commits`, given);
    expect({ status, body }).toMatchObject({ status: 201 });
    return body;
  }

  const { project, at, directory } = await filled([
    { action: 'create', file_path: 'a.txt', content: 'one\ntwo\nthree\n' },
    { action: 'create', file_path: 'dir/b.txt', content: 'b\n' },
  ]);
  return { world, owner, master, developer, reporter, guest, api, filled, committed, project, at, directory };
}

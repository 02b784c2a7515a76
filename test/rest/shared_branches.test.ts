// Each test takes long: the long run has them all.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { clone, commitFile, gitClient, run } from '../support/git_client.ts';
import { gitLines } from '../support/git_program.ts';
import { remotes } from '../support/git_remote.ts';
import type { Json } from '../support/http.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { sshGit, startSshWorld } from '../support/ssh.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const ssh = await startSshWorld(world);
const owner = await world.user();
const forker = await world.user();
const developer = await world.user();
const outsider = await world.user();
const { address } = remotes(world, owner);

/** A project with a developer, and a public fork with a merge request into `master`, whose source branch is shared if it is said. */
async function stage(shared: boolean | undefined) {
  const target = await world.project({ owner, visibility: 'public' });
  await withTopic(world, target, owner);
  await world.api(owner).put(`/projects/${target.id}/repository/branches/master/unprotect`);
  await world.member(target, developer, 'developer');
  const { body: fork } = await world.api(forker).post(`/projects/${target.id}/fork`);
  await world.idle();
  await commitTo(world, fork, forker, 'topic', 'first.txt');
  const { body } = await world.api(forker).post(`/projects/${fork.id}/merge_requests`, {
    title: 'From a fork',
    source_branch: 'topic',
    target_branch: 'master',
    target_project_id: target.id,
    ...(shared === undefined ? {} : { allow_collaboration: shared }),
  });
  await world.idle();
  const place = { id: Number(fork.id), fullPath: String(fork.path_with_namespace) };
  const directory = world.repositories.directory({ id: place.id, repositoryStorage: 'default' });
  return { target, fork: place, directory, at: `/projects/${target.id}/merge_requests/${body.iid}`, made: body };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** The status of a commit by the API to a branch of the fork. */
async function commits(who: TestUser, { fork }: Stage, branch = 'topic'): Promise<number> {
  const actions = [{ action: 'create', file_path: world.unique('file'), content: 'x' }];
  const given = { branch, commit_message: 'x', actions };
  return (await world.api(who).post(`/projects/${fork.id}/repository/commits`, given)).status;
}

const refs = ({ directory }: Stage) => gitLines(directory, ['for-each-ref', '--format=%(refname) %(objectname)']);

describe('A merge request from a fork', () => {
  it('says whether its source branch is shared, under both names, which others have not', async () => {
    const { target, fork, at, made } = await stage(undefined);
    const said = ({ allow_collaboration, allow_maintainer_to_push }: Json) => [
      allow_collaboration,
      allow_maintainer_to_push,
    ];
    expect(said(made)).toEqual([false, false]);
    const put = async (who: TestUser, values: Json) => (await world.api(who).put(at, values)).body;
    expect(said(await put(forker, { allow_maintainer_to_push: true }))).toEqual([true, true]);
    expect(said((await world.api(outsider).get(`/projects/${target.id}/merge_requests`)).body[0])).toEqual([
      true,
      true,
    ]);
    // Only developers of the fork share it, or stop to.
    expect(said(await put(developer, { allow_collaboration: false }))).toEqual([true, true]);
    const { iid } = await opened(world, target, owner);
    const own = await world
      .api(owner)
      .put(`/projects/${target.id}/merge_requests/${iid}`, { allow_collaboration: true });
    expect([own.status, Object.keys(own.body).filter((key) => key.startsWith('allow_'))]).toEqual([200, []]);
    const input = `project: "${target.id}", iid: ${made.iid}, allowCollaboration: true`;
    const query = `mutation { updateMergeRequest(input: { ${input} }) { mergeRequest { allowCollaboration } } }`;
    const refused = (await world.graphql(query, {}, developer)).body;
    expect(refused.errors[0].extensions.code).toBe('FORBIDDEN');
    const answer = (await world.graphql(query, {}, forker)).body;
    expect(answer.data.updateMergeRequest.mergeRequest).toEqual({ allowCollaboration: true });
    expect(fork.id).not.toBe(target.id);
  });
});

describe('A shared source branch', () => {
  it('gets commits of those who may merge it, over the API, HTTP and SSH, and of nobody else', async () => {
    const place = await stage(true);
    const { fork, target } = place;
    expect(await commits(developer, place)).toBe(201);
    const work = await clone(address(fork, developer), '--branch', 'topic');
    const first = await commitFile(work, 'http.txt', 'x\n');
    await run(work, 'push', '--quiet', 'origin', 'topic');
    expect(refs(place)).toContain(`refs/heads/topic ${first}`);
    const key = await ssh.key(developer);
    const second = await commitFile(work, 'ssh.txt', 'x\n');
    expect((await sshGit(key, work, 'push', '--quiet', ssh.url(fork), 'topic')).code).toBe(0);
    await run(work, 'commit', '--quiet', '--amend', '--message', 'Again');
    await run(work, 'push', '--quiet', '--force', 'origin', 'topic');
    expect(refs(place)).not.toContain(`refs/heads/topic ${second}`);
    const before = refs(place);
    await world.member(target, outsider, 'reporter');
    for (const who of [outsider]) {
      expect(await commits(who, place)).toBe(403);
      const answer = await gitClient(work, 'push', address(fork, who), '+HEAD~1:topic');
      expect([answer.code, answer.said]).toEqual([128, expect.stringContaining('not allowed to push code')]);
      const overSsh = await sshGit(await ssh.key(who), work, 'push', ssh.url(fork), '+HEAD~1:topic');
      expect([overSsh.code, overSsh.said]).toEqual([128, expect.stringContaining('not allowed to push code')]);
    }
    expect(refs(place)).toEqual(before);
  });

  it('is all that is shared: no other branch, no tag, no deletion, no new branch', async () => {
    const place = await stage(true);
    const { fork } = place;
    await commitTo(world, fork, forker, 'master', 'own.txt');
    const work = await clone(address(fork, developer), '--branch', 'topic');
    await run(work, 'tag', 'v1');
    const before = refs(place);
    const pushes = ['HEAD:master', 'HEAD:refs/heads/new', 'v1', ':topic', 'HEAD:refs/notes/x', '+HEAD:master'];
    for (const what of pushes) expect([what, (await gitClient(work, 'push', 'origin', what)).code]).toEqual([what, 1]);
    const api = world.api(developer);
    const at = `/projects/${fork.id}/repository`;
    expect(await commits(developer, place, 'master')).toBe(403);
    const statuses = [
      await api.post(`${at}/branches`, { branch: 'new', ref: 'topic' }),
      await api.delete(`${at}/branches/topic`),
      await api.post(`${at}/tags`, { tag_name: 'v1', ref: 'topic' }),
      await api.post(`/projects/${fork.id}/merge_requests`, {
        title: 'x',
        source_branch: 'topic',
        target_branch: 'master',
      }),
      await api.put(`/projects/${fork.id}`, { description: 'mine' }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 403, 403, 403]);
    expect(refs(place)).toEqual(before);
  });

  it.each<[string, (place: Stage) => Promise<unknown>]>([
    ['not shared', ({ at }) => world.api(forker).put(at, { allow_collaboration: false })],
    ['closed', ({ at }) => world.api(forker).put(at, { state_event: 'close' })],
    ['protected', ({ fork }) => world.api(forker).put(`/projects/${fork.id}/repository/branches/topic/protect`)],
    [
      'protected for all but its developers',
      ({ fork }) =>
        world.api(forker).put(`/projects/${fork.id}/repository/branches/topic/protect`, { developers_can_push: true }),
    ],
    ['archived', ({ fork }) => world.api(forker).post(`/projects/${fork.id}/archive`)],
    [
      'into a branch that only others may merge into',
      ({ target }) => world.api(owner).put(`/projects/${target.id}/repository/branches/master/protect`),
    ],
    ['hidden', ({ fork }) => world.api(forker).put(`/projects/${fork.id}`, { visibility: 'private' })],
  ])('is refused when it is %s', async (_what, change) => {
    const place = await stage(true);
    const work = await clone(address(place.fork, developer), '--branch', 'topic');
    await commitFile(work, 'more.txt', 'x\n');
    expect((await gitClient(work, 'push', '--dry-run', 'origin', 'topic')).code).toBe(0);
    await change(place);
    await world.idle();
    const before = refs(place);
    expect([400, 403, 404]).toContain(await commits(developer, place));
    expect((await gitClient(work, 'push', 'origin', 'topic')).code).not.toBe(0);
    expect(refs(place)).toEqual(before);
  });

  it('is rebased by those who may merge it', async () => {
    const place = await stage(true);
    await commitTo(world, place.target, owner, 'master', 'later.txt');
    const before = refs(place);
    expect((await world.api(developer).put(`${place.at}/rebase`)).status).toBe(202);
    await world.idle();
    expect(refs(place)).not.toEqual(before);
    const other = await stage(false);
    expect((await world.api(developer).put(`${other.at}/rebase`)).status).toBe(403);
  });

  it('starts no pipelines in the fork by pushes of those who are not its developers', async () => {
    const place = await stage(true);
    const { fork } = place;
    await commitTo(world, fork, forker, 'topic', '.gitlab-ci.yml', 'build:\n  script: env\n');
    await world.idle();
    expect(await world.db.pipeline.count({ where: { projectId: fork.id } })).toBe(1);
    expect(await commits(developer, place)).toBe(201);
    await world.idle();
    expect(await world.db.pipeline.count({ where: { projectId: fork.id } })).toBe(1);
  });
});

// Proves for every case what others show for some, or takes long: the long run has it.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { COMMIT_KEYS, startCommittingWorld } from '../support/commits.ts';
import { git } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';

const { world, owner, master, developer, reporter, api, filled, committed } = await startCommittingWorld();

type Filled = Awaited<ReturnType<typeof filled>>;

/** A file of three lines, whose second is changed by the commit that is returned. */
async function changed(): Promise<Filled & { sha: string }> {
  const own = await filled([{ action: 'create', file_path: 'a', content: '1\n2\n3\n' }]);
  const author = { author_name: 'Ada', author_email: 'ada@example.org', commit_message: 'Change the 2nd\n\nWhy' };
  const { id } = await committed(own.at, [{ action: 'update', file_path: 'a', content: '1\nzwei\n3\n' }], author);
  return { ...own, sha: id };
}

const show = ({ directory }: Filled, what: string) => git(directory, ['show', what]);
const refsOf = ({ directory }: Filled) => git(directory, ['show-ref']);

async function answer(own: Filled, sha: string, verb: 'revert' | 'cherry_pick', given: Json, who = owner) {
  const { status, body } = await world.api(who).post(`${own.at}/commits/${sha}/${verb}`, given);
  return { status, body };
}

describe('POST /projects/:id/repository/commits/:sha/revert', () => {
  it('takes the change back, and keeps what came after it', async () => {
    const own = await changed();
    await committed(own.at, [{ action: 'create', file_path: 'later', content: 'later\n' }]);
    const { status, body } = await answer(own, own.sha, 'revert', { branch: 'master' }, master);
    expect([status, Object.keys(body)]).toEqual([201, COMMIT_KEYS]);
    expect(body).toMatchObject({
      title: 'Revert "Change the 2nd"',
      message: `Revert "Change the 2nd"\n\nThis reverts commit ${own.sha}`,
      author_name: `Name of ${master.username}`,
      parent_ids: [git(own.directory, ['rev-parse', 'master^']).trim()],
    });
    expect([show(own, 'master:a'), show(own, 'master:later')]).toEqual(['1\n2\n3\n', 'later\n']);
    const again = await answer(own, body.id, 'revert', { branch: 'master' });
    expect([again.status, show(own, 'master:a')]).toEqual([201, '1\nzwei\n3\n']);
  });

  it('takes back the first commit of a repository, and a merge with what its merge request brought', async () => {
    const own = await filled([{ action: 'create', file_path: 'a', content: '1\n' }]);
    const first = git(own.directory, ['rev-parse', 'master']).trim();
    const topic = [{ action: 'create', file_path: 'b', content: 'b\n' }];
    await api.post(`${own.at}/branches`, { branch: 'topic', ref: 'master' });
    await committed(own.at, topic, { branch: 'topic' });
    const at = `/projects/${own.project.id}/merge_requests`;
    const opened = await api.post(at, { title: 'Bring b', source_branch: 'topic', target_branch: 'master' });
    const merged = await api.put(`${at}/${opened.body.iid}/merge`, {});
    expect(merged.status).toBe(200);
    const { body } = await answer(own, merged.body.merge_commit_sha, 'revert', { branch: 'master' });
    expect(body.message).toMatch(new RegExp(`^Revert ".*"\n\nThis reverts merge request !${opened.body.iid}$`));
    expect(git(own.directory, ['ls-tree', '--name-only', 'master'])).toBe('a\n');
    expect((await answer(own, first, 'revert', { branch: 'master' })).status).toBe(201);
    expect(git(own.directory, ['ls-tree', '--name-only', 'master'])).toBe('');
    expect(git(own.directory, ['fsck', '--strict'])).toBe('');
  });

  it('refuses what conflicts, what is no longer there, what is missing and who may not', async () => {
    const own = await changed();
    await committed(own.at, [{ action: 'update', file_path: 'a', content: '1\ndeux\n3\n' }]);
    const conflicting = own.sha;
    const { id: latest } = await committed(own.at, [{ action: 'create', file_path: 'b', content: 'b\n' }]);
    await committed(own.at, [{ action: 'delete', file_path: 'b' }]);
    const refs = refsOf(own);
    const refused = async (sha: string, branch: string | undefined, who = owner) => {
      const { status, body } = await answer(own, sha, 'revert', { branch }, who);
      return [status, body.error_code ?? body.message ?? body.error];
    };
    expect(await refused(conflicting, 'master')).toEqual([400, 'conflict']);
    expect(await refused(latest, 'master')).toEqual([400, 'empty']);
    expect(await refused(latest, undefined)).toEqual([400, 'branch is missing']);
    expect(await refused(latest, 'nowhere')).toEqual([404, '404 Branch Not Found']);
    expect(await refused('0'.repeat(40), 'master')).toEqual([404, '404 Commit Not Found']);
    expect(await refused(latest, 'master', developer)).toEqual([400, 'You are not allowed to push into this branch']);
    expect(await refused(latest, 'master', reporter)).toEqual([403, '403 Forbidden']);
    const { body } = await answer(own, conflicting, 'revert', { branch: 'master' });
    expect(body.message).toMatch(/^Sorry, we cannot revert this commit automatically\./);
    expect(refsOf(own)).toBe(refs);
  });
});

describe('A dry run', () => {
  it('of a revert or a cherry-pick says whether it would succeed, and writes nothing', async () => {
    const own = await changed();
    await api.post(`${own.at}/branches`, { branch: 'topic', ref: `${own.sha}~1` });
    const before = [refsOf(own), git(own.directory, ['count-objects', '-v'])];
    const tried = (verb: 'revert' | 'cherry_pick', branch: string, who = owner) =>
      answer(own, own.sha, verb, { branch, dry_run: true }, who);
    const success = { status: 200, body: { dry_run: 'success' } };
    expect(await tried('revert', 'master')).toEqual(success);
    expect(await tried('cherry_pick', 'topic')).toEqual(success);
    expect(await tried('cherry_pick', 'master')).toMatchObject({ status: 400, body: { error_code: 'empty' } });
    expect(await tried('revert', 'topic')).toMatchObject({ status: 400, body: { error_code: 'empty' } });
    expect(await tried('revert', 'master', developer)).toMatchObject({ status: 400 });
    expect(await tried('revert', 'master', reporter)).toMatchObject({ status: 403 });
    expect([refsOf(own), git(own.directory, ['count-objects', '-v'])]).toEqual(before);
    expect((await answer(own, own.sha, 'revert', { branch: 'master', dry_run: false })).status).toBe(201);
  });

  it('over GraphQL answers with the latest commit that the branch has', async () => {
    const own = await changed();
    const query = 'mutation ($input: RevertCommitInput!) { revertCommit(input: $input) { commit { sha } } }';
    const input = { project: own.project.id, sha: own.sha, branch: 'master', dryRun: true };
    const { body } = await world.graphql(query, { input }, owner);
    expect(body.data.revertCommit.commit.sha).toBe(own.sha);
    expect(show(own, 'master:a')).toBe('1\nzwei\n3\n');
  });
});

it('A commit is cherry-picked with another message', async () => {
  const own = await changed();
  await api.post(`${own.at}/branches`, { branch: 'topic', ref: `${own.sha}~1` });
  const { body } = await answer(own, own.sha, 'cherry_pick', { branch: 'topic', message: 'Picked\n\nby me' });
  expect(body).toMatchObject({ title: 'Picked', message: 'Picked\n\nby me', author_name: 'Ada' });
  expect(show(own, 'topic:a')).toBe('1\nzwei\n3\n');
});

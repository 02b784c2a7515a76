import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const api = world.api(owner);
await world.db.user.update({ where: { id: owner.id }, data: { email: 'olive@example.com', confirmedAt: new Date() } });

const remoteOf = ({ fullPath }: ProjectRow) =>
  `${world.url.replace('http://', `http://someone:${owner.token}@`)}/${fullPath}.git`;

/** A project with a rule, and a working copy of it with one commit that was pushed before. */
async function ruled(rule: object) {
  const project = await world.project({ owner });
  const work = await workingCopy();
  await commitFile(work, 'README', 'Read me');
  await run(work, 'push', '--quiet', remoteOf(project), 'main');
  expect((await api.post(`/projects/${project.id}/push_rule`, rule)).status).toBe(201);
  const push = (...refs: string[]) => gitClient(work, 'push', remoteOf(project), ...refs);
  return { project, work, push, at: `/projects/${project.id}` };
}

/** Commits one file by a path with folders, and a message. */
async function add(work: string, name: string, content: string, ...options: string[]) {
  await mkdir(path.dirname(path.join(work, name)), { recursive: true });
  await writeFile(path.join(work, name), content);
  await run(work, 'add', '--', name);
  await run(work, 'commit', '--quiet', ...options);
}

const undo = (work: string) => run(work, 'reset', '--quiet', '--hard', 'HEAD~1');

describe('A push rule', () => {
  it('is made, read, changed and removed by masters, once for each project and group', async () => {
    const project = await world.project({ owner });
    const group = await world.group({ owner });
    await world.member(project, developer, 'developer');
    for (const at of [`/projects/${project.id}/push_rule`, `/groups/${group.id}/push_rule`]) {
      expect(await api.get(at)).toMatchObject({ status: 404, body: { message: '404 Push Rule Not Found' } });
      expect((await api.put(at, { member_check: true })).status).toBe(404);
      const rule = { commit_message_regex: '^[A-Z]+-\\d+', max_file_size: 5, deny_delete_tag: true };
      const made = await api.post(at, rule);
      expect(made).toMatchObject({ status: 201, body: { ...rule, member_check: false, branch_name_regex: '' } });
      expect((await api.get(at)).body).toEqual(made.body);
      expect((await api.post(at, rule)).status).toBe(422);
      const changed = await api.put(at, { commit_message_regex: '', prevent_secrets: true });
      expect(changed.body).toEqual({ ...made.body, commit_message_regex: '', prevent_secrets: true });
      expect((await world.api(developer).get(at)).status).toBeGreaterThanOrEqual(403);
      expect((await api.delete(at)).status).toBe(204);
      expect((await api.delete(at)).status).toBe(404);
    }
    const events = await world.db.auditEvent.findMany({ where: { action: { startsWith: 'push_rule_' } } });
    expect(new Set(events.map(({ action }) => action))).toEqual(
      new Set(['push_rule_created', 'push_rule_updated', 'push_rule_deleted']),
    );
  });

  it('takes no invalid or endless expression, and no size below zero', async () => {
    const { id } = await world.project({ owner });
    for (const [name, value] of [
      ['commit_message_regex', '(unclosed'],
      ['file_name_regex', 'x'.repeat(512)],
      ['max_file_size', -1],
    ] as const) {
      const { status, body } = await api.post(`/projects/${id}/push_rule`, { [name]: value });
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(name)]);
    }
    expect(await world.db.pushRule.count({ where: { projectId: id } })).toBe(0);
  });
});

describe('A push', () => {
  it('is refused for messages of any of its commits, and is taken when they are right', LONG, async () => {
    const { push, work, project } = await ruled({
      commit_message_regex: '^APP-\\d+',
      commit_message_negative_regex: '(?i)wip',
    });
    await add(work, 'a', 'a', '-m', 'Add a');
    await add(work, 'b', 'b', '-m', 'APP-2 Add b');
    const refused = await push('main');
    expect(refused.said).toMatch(/The message of commit [0-9a-f]{8} does not match the pattern '\^APP-\\d\+'/);
    await run(work, 'reset', '--quiet', '--soft', 'HEAD~2');
    await run(work, 'commit', '--quiet', '-m', 'APP-3 Wip');
    expect((await push('main')).said).toMatch(/matches the pattern '\(\?i\)wip', which the push rules forbid/);
    await run(work, 'commit', '--quiet', '--amend', '-m', 'Title\n\nAPP-3 is on a line of its own');
    expect((await push('main', 'main:topic')).code).toBe(0);
    const { body } = await api.get(`/projects/${project.id}/repository/commits`);
    expect(body).toHaveLength(2);
  });

  it('is refused for a branch by its name alone, and the default branch may have any', LONG, async () => {
    const { push, work } = await ruled({ branch_name_regex: '^(feature|fix)/' });
    await add(work, 'a', 'a', '-m', 'Add a');
    const { said } = await push('main', 'main:topic', 'main:fix/it');
    expect(said).toMatch(/main -> topic \(The name of the branch does not match/);
    expect(said).toMatch(/main -> main\n/);
    expect(said).toMatch(/\[new branch\] +main -> fix\/it/);
    expect((await push(':fix/it')).code).toBe(0);
  });

  it('to an empty repository may begin with any branch, and with messages as the rule says', LONG, async () => {
    const project = await world.project({ owner });
    await api.post(`/projects/${project.id}/push_rule`, { branch_name_regex: '^topic', commit_message_regex: '^APP' });
    const work = await workingCopy();
    await add(work, 'a', 'a', '-m', 'No');
    const push = (...refs: string[]) => gitClient(work, 'push', remoteOf(project), ...refs);
    expect((await push('main')).said).toMatch(/does not match the pattern '\^APP'/);
    await run(work, 'commit', '--quiet', '--amend', '-m', 'APP-1');
    expect((await push('main')).code).toBe(0);
    expect((await push('main:other')).said).toMatch(/The name of the branch/);
  });

  it('is refused for names and sizes of files, also in a merge and among many', LONG, async () => {
    const { push, work } = await ruled({ file_name_regex: '\\.(exe|jar)$', max_file_size: 1, prevent_secrets: true });
    for (const [name, content, reason] of [
      ['lib/tool.jar', 'x', /The name of lib\/tool.jar matches the pattern/],
      ['deploy/id_ed25519', 'x', /deploy\/id_ed25519 has the name of a file with keys or passwords/],
      ['.aws/credentials', 'x', /credentials has the name of a file with keys/],
      ['große Datei', 'x'.repeat(1024 * 1024 + 1), /große Datei is larger than 1 MB/],
    ] as const) {
      await add(work, name, content, '-m', 'Add it');
      expect((await push('main')).said).toMatch(reason);
      await undo(work);
    }
    await run(work, 'checkout', '--quiet', '-b', 'side');
    await add(work, 'side', 'side', '-m', 'Side');
    await run(work, 'checkout', '--quiet', 'main');
    await add(work, 'id_ed25519.pub', 'x'.repeat(1024 * 1024), '-m', 'A public key may be there');
    await run(work, 'merge', '--quiet', '--no-commit', 'side');
    await add(work, 'evil.exe', 'x', '-m', 'Merge with more than its sides have');
    expect((await push('main')).said).toMatch(/evil.exe matches/);
    await run(work, 'rm', '--quiet', '-f', 'evil.exe');
    await run(work, 'commit', '--quiet', '--amend', '-m', 'Merge');
    expect(await push('main')).toMatchObject({ code: 0 });
  });

  it('is refused for who wrote and committed it, unless the address is confirmed by a user', LONG, async () => {
    const { push, work, at } = await ruled({ member_check: true });
    await add(work, 'a', 'a', '-m', 'A');
    expect((await push('main')).said).toMatch(/The author of commit \w{8}, pia@example.com, has no account here/);
    await run(work, 'commit', '--quiet', '--amend', '--author=Olive <OLIVE@example.com>', '-m', 'A');
    expect((await push('main')).code).toBe(0);
    await api.put(`${at}/push_rule`, { commit_committer_check: true, author_email_regex: '@example\\.com$' });
    await add(work, 'b', 'b', '--author=Olive <olive@example.com>', '-m', 'B');
    expect((await push('main')).said).toMatch(
      /has the address pia@example.com, which is not a confirmed address of yours/,
    );
    await run(work, '-c', 'user.name=x', 'commit', '--quiet', '--amend', '--reset-author', '-m', 'B');
    await api.put(`${at}/push_rule`, { member_check: false, commit_committer_check: false });
    await api.put(`${at}/push_rule`, { author_email_regex: '@corp\\.example$' });
    expect((await push('main')).said).toMatch(/pia@example.com, does not match the pattern/);
    await api.put(`${at}/push_rule`, { author_email_regex: '', commit_committer_name_check: true });
    expect((await push('main')).said).toMatch(/must have your name, Name of/);
  });

  it('is refused for commits without signature or sign-off, and for the deletion of a tag', LONG, async () => {
    const { push, work, at, project } = await ruled({ reject_non_dco_commits: true, deny_delete_tag: true });
    await add(work, 'a', 'a', '-m', 'A');
    expect((await push('main')).said).toMatch(/must have a line/);
    await run(work, 'commit', '--quiet', '--amend', '--signoff', '-m', 'A');
    expect((await push('main', 'main:refs/tags/v1')).code).toBe(0);
    expect((await push(':refs/tags/v1')).said).toMatch(/do not allow tags to be deleted by a push/);
    expect((await api.delete(`${at}/repository/tags/v1`)).status).toBe(204);
    await api.put(`${at}/push_rule`, { reject_non_dco_commits: false, reject_unsigned_commits: true });
    await add(work, 'b', 'b', '-m', 'B');
    expect((await push('main')).said).toMatch(/must be signed/);
    const key = path.join(work, '..', 'signing');
    // A signature is a header: whoever made it, the commit has one.
    const raw = await run(work, 'cat-file', 'commit', 'HEAD');
    const signed = raw.replace(
      '\n\n',
      '\ngpgsig -----BEGIN SSH SIGNATURE-----\n U1NIU0lH\n -----END SSH SIGNATURE-----\n\n',
    );
    await writeFile(key, signed);
    const oid = await run(work, 'hash-object', '-t', 'commit', '-w', key);
    expect((await gitClient(work, 'push', remoteOf(project), `${oid}:refs/heads/main`)).code).toBe(0);
  });

  it('obeys the rule of the nearest group, unless the project has one', LONG, async () => {
    const outer = await world.group({ owner });
    const inner = await world.group({ owner, parentId: outer.id });
    const project = await world.project({ owner, namespaceId: inner.id });
    const elsewhere = await world.project({ owner });
    const work = await workingCopy();
    await commitFile(work, 'a.txt', 'a');
    const push = (to = project) => gitClient(work, 'push', remoteOf(to), 'main');
    await api.post(`/groups/${outer.id}/push_rule`, { file_name_regex: 'a\\.txt' });
    expect((await push()).code).toBe(1);
    expect((await push(elsewhere)).code).toBe(0);
    await api.post(`/groups/${inner.id}/push_rule`, { file_name_regex: 'b\\.txt' });
    expect((await push()).code).toBe(0);
    await api.post(`/projects/${project.id}/push_rule`, { file_name_regex: 'c\\.txt' });
    await commitFile(work, 'b.txt', 'b');
    expect((await push()).code).toBe(0);
    await commitFile(work, 'c.txt', 'c');
    expect((await push()).code).toBe(1);
  });

  it('of an expression that would never end is refused, and others are not held up', LONG, async () => {
    const { push, work } = await ruled({ commit_message_regex: '^(a+)+$' });
    await add(work, 'a', 'a', '-m', `${'a'.repeat(60)}!`);
    const pushing = push('main');
    const project = await world.project({ owner });
    expect((await api.get(`/projects/${project.id}`)).status).toBe(200);
    expect((await pushing).said).toMatch(/take too long for this push/);
  });
});

describe('What is committed here', () => {
  it('obeys the rules as a push does, and merges have a right message', LONG, async () => {
    const { at } = await ruled({
      commit_message_regex: '^(APP-|Merge)',
      file_name_regex: '\\.exe$',
      branch_name_regex: '^t',
    });
    const commit = (message: string, file_path: string, branch = 'main') =>
      api.post(`${at}/repository/commits`, {
        ...{ branch, commit_message: message, start_branch: branch === 'main' ? undefined : 'main' },
        actions: [{ action: 'create', file_path, content: 'x' }],
      });
    for (const [given, reason] of [
      [['Wrong', 'a'], /The message of the commit does not match/],
      [['APP-1', 'a.exe'], /a.exe matches the pattern/],
      [['APP-1', 'a', 'other'], /The name of the branch/],
    ] as const) {
      const [message, file, branch] = given;
      const { status, body } = await commit(message, file, branch);
      expect([status, body.message]).toEqual([400, expect.stringMatching(reason)]);
    }
    expect((await commit('APP-1', 'a', 'topic')).status).toBe(201);
    const branch = await api.post(`${at}/repository/branches`, { branch: 'x', ref: 'main' });
    expect([branch.status, branch.body.message]).toEqual([400, expect.stringMatching(/name of the branch/)]);
    const { body: request } = await api.post(`${at}/merge_requests`, {
      ...{ source_branch: 'topic', target_branch: 'main', title: 'Topic' },
    });
    const merge = (given: object) => api.put(`${at}/merge_requests/${request.iid}/merge`, given);
    expect((await merge({ merge_commit_message: 'No' })).body.message).toMatch(/does not match the pattern/);
    const squashed = { squash: true, squash_commit_message: 'No' };
    expect((await merge(squashed)).body.message).toMatch(/does not match the pattern/);
    expect((await merge({})).body.state).toBe('merged');
    const { body: log } = await api.get(`${at}/repository/commits?ref_name=topic`);
    const pick = (given: object) =>
      api.post(`${at}/repository/commits/${log[0].id}/revert`, { branch: 'main', ...given });
    expect((await pick({})).body.message).toMatch(/does not match the pattern/);
  });
});

import { describe, expect, it } from 'vitest';
import { matchesPattern, parsePattern } from '#src/base/path_pattern.ts';
import { ownersOfPath, ownersOfPaths } from '#src/domain/repository/code_owners/owned.ts';
import { parseCodeOwners } from '#src/domain/repository/code_owners/parse.ts';
import { LONG } from '../support/long.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const [ann, ben, author, outsider] = [await world.user(), await world.user(), await world.user(), await world.user()];

describe('Patterns of CODEOWNERS', () => {
  it.each([
    ['*', ['a', 'a/b.c', '.a'], []],
    ['/*', ['a', '.a'], ['a/b']],
    ['*.rb', ['a.rb', 'lib/a.rb', '.rb'], ['a.rbx']],
    ['/docs/', ['docs/a', 'docs/a/b'], ['docs', 'x/docs/a']],
    ['docs/', ['docs/a', 'x/docs/a'], ['docs', 'xdocs/a']],
    ['docs/*', ['docs/a', 'x/docs/a'], ['docs/a/b']],
    ['/docs/**/*.md', ['docs/a.md', 'docs/a/b/c.md'], ['docs/a.txt', 'a.md']],
    ['/docs/**', ['docs/a', 'docs/a/b'], ['doc/a']],
    ['README.md', ['README.md', 'a/README.md'], ['README.mdx']],
    ['/a?c', ['abc'], ['ac', 'a/c']],
    ['/[a-c]x', ['ax', 'cx'], ['dx', '[a-c]x']],
    ['/[!a]x', ['bx'], ['ax']],
    ['/\\[a\\]', ['[a]'], ['a']],
    ['/path with spaces/', ['path with spaces/a'], ['path']],
    ['/grö*', ['größe'], ['gra']],
  ])('%s', (pattern, matching, others) => {
    const parsed = parsePattern(pattern);
    expect([...matching, ...others].filter((path) => matchesPattern(parsed, path))).toEqual(matching);
  });

  it('are compared in a time that no text makes long', () => {
    const started = performance.now();
    const path = `${'a'.repeat(2_000)}/${'a/'.repeat(500)}b`;
    for (const pattern of [`${'*a'.repeat(120)}c`, `${'**/*a*/'.repeat(35)}c`, `[${'a'.repeat(250)}`])
      expect(matchesPattern(parsePattern(pattern), path)).toBe(false);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('A file of code owners', () => {
  const text = `
# A comment
* @default
\\#odd.txt @hash    # inline
/path\\ with\\ space/ @space a@example.com
[Docs][2] @docs @group/writers
*.md
/internal.md @ann
!/CHANGELOG.md

^[Optional] @opt
*.rb
[docs]
*.txt @docs
`;
  const parsed = parseCodeOwners(text);
  const of = async (path: string) =>
    (await ownersOfPath(parsed, path)).map(({ section, entry }) => [
      ...[section.name, section.approvals],
      ...[entry.text, entry.owners],
    ]);

  it('has sections, defaults, exclusions, and the last entry that matches in each', async () => {
    expect(parsed.errors).toEqual([]);
    expect(await of('a.c')).toEqual([['codeowners', 1, '*', ['@default']]]);
    expect(await of('#odd.txt')).toEqual([
      ['codeowners', 1, '#odd.txt', ['@hash']],
      ['Docs', 2, '*.txt', ['@docs']],
    ]);
    expect(await of('path with space/x')).toEqual([
      ['codeowners', 1, '/path with space/', ['@space', 'a@example.com']],
    ]);
    expect(await of('x/a.md')).toEqual([
      ['codeowners', 1, '*', ['@default']],
      ['Docs', 2, '*.md', ['@docs', '@group/writers']],
    ]);
    expect((await of('internal.md'))[1]).toEqual(['Docs', 2, '/internal.md', ['@ann']]);
    expect(await of('CHANGELOG.md')).toEqual([['codeowners', 1, '*', ['@default']]]);
    expect((await of('a.rb'))[1]).toEqual(['Optional', 0, '*.rb', ['@opt']]);
  });

  it('tells what is wrong with its lines', () => {
    const wrong = ['[]', '[A][x]', '[B', '[C] user', 'a.txt', 'b.txt @ok no', `${'x'.repeat(256)} @ok`, '[D][0] @d'];
    expect(parseCodeOwners(wrong.join('\r\n')).errors).toEqual([
      { line: 1, kind: 'missing_section_name' },
      { line: 2, kind: 'invalid_approval_requirement' },
      { line: 3, kind: 'invalid_section_format' },
      { line: 4, kind: 'invalid_section_owner_format' },
      { line: 5, kind: 'missing_entry_owner' },
      { line: 6, kind: 'invalid_entry_owner_format' },
      { line: 7, kind: 'pattern_too_long' },
      { line: 8, kind: 'invalid_approval_requirement' },
    ]);
    const many = parseCodeOwners(Array.from({ length: 1_001 }, (_, n) => `/${n} @a`).join('\n'));
    expect([many.sections[0]?.entries.length, many.errors]).toEqual([
      1_000,
      [{ line: 1_001, kind: 'too_many_entries' }],
    ]);
  });

  it('applies as a whole where the paths are not all known', async () => {
    const found = await ownersOfPaths(parsed, null);
    expect(found.map(({ entry }) => entry.text)).toEqual([
      '*',
      '#odd.txt',
      '/path with space/',
      '*.md',
      '/internal.md',
      '*.txt',
      '*.rb',
    ]);
    expect((await ownersOfPaths(parsed, ['a.rb', 'b.rb'])).map(({ entry }) => entry.text)).toEqual(['*', '*.rb']);
  });
});

/** A project whose default branch has a file of code owners, and a merge request that adds `b.txt`. */
async function stage(text: string) {
  const project = await world.project({ owner, visibility: 'private' });
  for (const user of [ann, ben, author]) await world.member(project, user, 'developer');
  await withTopic(world, project, owner);
  await commitTo(world, project, owner, 'master', 'docs/CODEOWNERS', text);
  const at = `/projects/${project.id}`;
  const api = world.api(owner);
  const { iid } = await opened(world, project, author);
  const mr = `${at}/merge_requests/${iid}`;
  const rules = async () => (await api.get(`${mr}/approval_state`)).body.rules;
  const status = async () => (await api.get(mr)).body.detailed_merge_status;
  const approve = async (user: TestUser) => (await world.api(user).post(`${mr}/approve`)).status;
  const merge = (body: object = {}) => api.put(`${mr}/merge`, body);
  const protect = (code_owner_approval_required: boolean) =>
    api.patch(`${at}/protected_branches/master`, { code_owner_approval_required });
  return { project, at, api, mr, rules, status, approve, merge, protect };
}

describe('Code owners of what a merge request changes', () => {
  it('are shown, and have to approve where the protection of the target branch says so', LONG, async () => {
    const { api, at, rules, status, approve, merge, protect } = await stage(
      `*.txt @${ann.username}\n[Text][2]\nb.* @${ann.username} @${ben.username}\n^[Nice]\n* @${ben.username}\n[Other]\n*.c @${ben.username}\n`,
    );
    expect(await rules()).toMatchObject([
      { rule_type: 'code_owner', section: 'Nice', name: '*', approvals_required: 0, approved: true },
      { rule_type: 'code_owner', section: 'Text', name: 'b.*', approvals_required: 0 },
      { rule_type: 'code_owner', section: 'codeowners', name: '*.txt', approvals_required: 0, users: [{ id: ann.id }] },
    ]);
    expect(await status()).toBe('mergeable');
    const made = await protect(true);
    expect([made.status, made.body.code_owner_approval_required]).toEqual([200, true]);
    expect((await rules()).map((one: { approvals_required: number }) => one.approvals_required)).toEqual([0, 2, 1]);
    expect([await status(), (await merge()).status]).toEqual(['not_approved', 405]);
    expect([await approve(ann), await status()]).toEqual([201, 'not_approved']);
    expect([await approve(ben), await status()]).toEqual([201, 'mergeable']);
    const off = await protect(false);
    expect([off.status, off.body.code_owner_approval_required]).toEqual([200, false]);
    expect((await api.get(`${at}/protected_branches`)).body[0].code_owner_approval_required).toBe(false);
    expect((await merge()).body.state).toBe('merged');
  });

  it('follow the commits of the source branch and the file of the target branch', LONG, async () => {
    const { project, rules, protect, merge, approve, status } = await stage(`*.md @${ann.username}\n`);
    await protect(true);
    expect(await rules()).toEqual([]);
    await commitTo(world, project, author, 'topic', 'one.md');
    await world.idle();
    expect(await rules()).toMatchObject([{ name: '*.md', approvals_required: 1 }]);
    // What the source branch says of owners counts for nothing.
    await commitTo(world, project, author, 'topic', 'CODEOWNERS', `* @${author.username}\n`);
    await world.idle();
    expect(await rules()).toMatchObject([{ name: '*.md' }]);
    // A merge looks at the file as it is, whether or not a job has seen it.
    await world.db.mergeRequest.updateMany({ where: { targetProjectId: project.id }, data: { codeOwnersKey: 'old' } });
    await world.db.approvalRule.deleteMany({ where: { projectId: project.id } });
    expect((await merge()).status).toBe(405);
    expect([await approve(ann), await status()]).toEqual([201, 'mergeable']);
    await commitTo(world, project, owner, 'master', 'docs/CODEOWNERS', `*.md @${ben.username}\n`);
    await world.idle();
    expect(await status()).toBe('not_approved');
    expect((await rules())[0].users).toMatchObject([{ id: ben.id }]);
  });

  it('cannot be changed as other rules can, and stay when those are', LONG, async () => {
    const { api, mr, rules } = await stage(`* @${ann.username}\n`);
    const [{ id }] = await rules();
    expect((await api.delete(`${mr}/approval_rules/${id}`)).status).toBe(403);
    await api.post(`${mr}/approval_rules`, { name: 'One', approvals_required: 1, user_ids: [ben.id] });
    expect((await rules()).map((one: { rule_type: string }) => one.rule_type)).toEqual(['regular', 'code_owner']);
  });

  it('are groups around the project, and developers by their addresses, and nobody else', LONG, async () => {
    const group = await world.group({ owner, visibility: 'private' });
    const secret = await world.group({ owner: outsider, visibility: 'private' });
    const project = await world.project({ owner, namespaceId: group.id });
    await world.db.member.create({ data: { namespaceId: group.id, userId: ann.id, accessLevel: 30 } });
    await world.member(project, author, 'developer');
    await withTopic(world, project, owner);
    const emailOf = async ({ id }: TestUser) => (await world.db.user.findUniqueOrThrow({ where: { id } })).email;
    const [email, other] = [await emailOf(author), await emailOf(outsider)];
    await world.db.user.updateMany({
      where: { id: { in: [author.id, outsider.id] } },
      data: { confirmedAt: new Date() },
    });
    const text = `[G]\n* @${group.fullPath}\n[S]\n* @${secret.fullPath}\n[M]\n* ${email}\n[O]\n* ${other}\n`;
    await commitTo(world, project, owner, 'master', 'CODEOWNERS', text);
    const { iid } = await opened(world, project, author);
    const { body } = await world.api(owner).get(`/projects/${project.id}/merge_requests/${iid}/approval_state`);
    expect(body.rules).toMatchObject([
      { section: 'G', groups: [{ id: group.id }], users: [] },
      { section: 'M', users: [{ id: author.id }], groups: [] },
    ]);
    expect(body.rules[0].eligible_approvers.map(({ id }: { id: number }) => id)).toEqual([owner.id, ann.id]);
  });
});

describe('Roles as code owners', () => {
  it('are members with exactly that role, however they have it, while they have it', LONG, async () => {
    const [around, shared] = [await world.group({ owner }), await world.group({ owner: outsider })];
    const [dev, master, invited] = [await world.user(), await world.user(), await world.user()];
    const project = await world.project({ owner, namespaceId: around.id });
    await world.member(project, dev, 'developer');
    await world.member(project, author, 'developer');
    const at = (namespaceId: number, { id: userId }: TestUser, accessLevel: number) =>
      world.db.member.create({ data: { namespaceId, userId, accessLevel } });
    await at(around.id, master, 40);
    await at(shared.id, invited, 50);
    await world.db.projectShare.create({ data: { projectId: project.id, groupId: shared.id, groupAccess: 40 } });
    await withTopic(world, project, owner);
    const text = '[D] @@developers\n*\n[M]\n* @@Maintainer\n[O]\n* @@owner\n[No]\n* @@guests @@reporter\n';
    await commitTo(world, project, owner, 'master', 'CODEOWNERS', text);
    const { iid } = await opened(world, project, author);
    const api = world.api(owner);
    await api.patch(`/projects/${project.id}/protected_branches/master`, { code_owner_approval_required: true });
    const mr = `/projects/${project.id}/merge_requests/${iid}`;
    type People = readonly { id: number }[];
    const ids = (people: People) => people.map(({ id }) => id);
    const rules = async () =>
      (await api.get(`${mr}/approval_state`)).body.rules.map(
        (one: Record<'eligible_approvers' | 'approved_by', People> & { section: string }) => [
          one.section,
          ids(one.eligible_approvers),
          ids(one.approved_by),
        ],
      );
    // The outsider owns the group that the project is shared with, which gives both the role of the share.
    const masters = [outsider.id, master.id, invited.id].sort((one, other) => one - other);
    expect(await rules()).toEqual([
      ['D', [dev.id], []],
      ['M', masters, []],
      ['O', [owner.id], []],
    ]);
    for (const user of [dev, invited, owner]) expect((await world.api(user).post(`${mr}/approve`)).status).toBe(201);
    expect((await rules()).map(([, , given]: number[][]) => given)).toEqual([[dev.id], [invited.id], [owner.id]]);
    const status = async () => (await api.get(mr)).body.detailed_merge_status;
    expect(await status()).toBe('mergeable');
    // Who gets another role, or leaves, counts no longer for the one before.
    await world.db.member.updateMany({ where: { userId: dev.id }, data: { accessLevel: 40 } });
    await world.db.projectShare.deleteMany({ where: { projectId: project.id } });
    expect(await rules()).toEqual([
      ['D', [], []],
      ['M', [dev.id, master.id].sort((one, other) => one - other), [dev.id]],
      ['O', [owner.id], [owner.id]],
    ]);
    expect([await status(), (await api.put(`${mr}/merge`)).status]).toEqual(['not_approved', 405]);
  });

  it('are told of files and of rules, and those that there are not as errors', LONG, async () => {
    const { project, mr } = await stage(`* @@owners @@developer @${ann.username}\n[X]\n*.txt @@masters\n`);
    const query = `query ($project: ProjectRef!, $iid: Int!) { project(ref: $project) {
      mergeRequest(iid: $iid) { approvalRules { section roles users { username } groups { id } } }
      repository {
        file(path: "b.txt", ref: "topic") { codeOwners { section } }
        other: file(path: "a.txt", ref: "master") { codeOwners { section roles users { username } } }
        owners: file(path: "docs/CODEOWNERS", ref: "master") { codeOwnersErrors { line kind } } } } }`;
    const iid = Number(mr.split('/').at(-1));
    const { body } = await world.graphql(query, { project: String(project.id), iid }, owner);
    const found = { section: 'codeowners', roles: ['DEVELOPER', 'OWNER'], users: [{ username: ann.username }] };
    expect(body.data.project).toEqual({
      mergeRequest: { approvalRules: [{ ...found, groups: [] }] },
      repository: {
        file: { codeOwners: [] },
        other: { codeOwners: [found, { section: 'X', roles: [], users: [] }] },
        owners: { codeOwnersErrors: [{ line: 3, kind: 'UNKNOWN_OWNER' }] },
      },
    });
  });
});

describe('The graph', () => {
  it('has the owners of a file, and what is wrong with a file of code owners', LONG, async () => {
    const { project } = await stage(`* @${ann.username}\n[X]\n*.txt @nobody-there @${ben.username}\n/a.txt\n`);
    const query = `query ($project: ProjectRef!) { project(ref: $project) { repository {
      file(path: "a.txt", ref: "master") { codeOwners { section pattern line path approvalsRequired users { username } groups { id } } codeOwnersErrors { line } }
      owners: file(path: "docs/CODEOWNERS", ref: "master") { codeOwnersErrors { line kind } } } } }`;
    const { body } = await world.graphql(query, { project: String(project.id) }, owner);
    const common = { path: 'docs/CODEOWNERS', approvalsRequired: 1, groups: [] };
    expect(body.data.project.repository).toEqual({
      file: {
        codeOwners: [{ ...common, section: 'codeowners', pattern: '*', line: 1, users: [{ username: ann.username }] }],
        codeOwnersErrors: [],
      },
      owners: {
        codeOwnersErrors: [
          { line: 3, kind: 'UNKNOWN_OWNER' },
          { line: 4, kind: 'MISSING_ENTRY_OWNER' },
        ],
      },
    });
  });
});

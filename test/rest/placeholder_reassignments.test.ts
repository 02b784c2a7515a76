import { describe, expect, it } from 'vitest';
import { MAILS } from '#src/domain/placeholder_users/tell.ts';
import { parseTable } from '#src/domain/repository/csv.ts';
import { noticeOn } from '../support/browser.ts';
import { exportedGroup, importedGroup } from '../support/group_archives.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startMailbox } from '../support/mailbox.ts';
import { signedIn } from '../support/oauth.ts';
import { archiveOf, moved } from '../support/placeholder_users.ts';
import { imported } from '../support/project_archives.ts';
import { sendForm } from '../support/upload.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const mailbox = await startMailbox();
const world = await startWorld({ smtp: mailbox.url });
const admin = await world.user({ admin: true });
const HEAD =
  'Source host,Import type,Source user identifier,Source user name,Source username,GitLab username,GitLab public email';

const addressOf = async ({ id }: TestUser) => (await world.db.user.findUniqueOrThrow({ where: { id } })).email;

/** The row of a user of a source. */
const rowOf = (id: number) => world.db.importSourceUser.findUniqueOrThrow({ where: { id } });

/** Calls a mutation of a user of a source; its status, or the code of the error. */
async function change(who: TestUser, name: string, input: Json): Promise<string> {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
  const text = `mutation ($input: ${type}!) { ${name}(input: $input) { importSourceUser { status } } }`;
  const { body } = await world.graphql(text, { input }, who);
  return body.errors?.[0]?.extensions?.code ?? body.data[name].importSourceUser.status;
}

function sendTable(who: TestUser | undefined, namespace: number | string, table: string | Buffer) {
  const form = new FormData();
  const content = typeof table === 'string' ? table : new Uint8Array(table);
  form.append('file', new File([content], 'table.csv', { type: 'text/csv' }));
  return sendForm(world, `/api/v4/groups/${namespace}/placeholder_reassignments`, form, who);
}

/** The last table of a user, once it is processed. */
async function processed(who: TestUser): Promise<Json> {
  await world.idle();
  const { id } = await world.db.reassignmentTable.findFirstOrThrow({
    where: { userId: who.id },
    orderBy: { id: 'desc' },
  });
  const text = `query ($id: ID!) { reassignmentTable(id: $id) { totalCount assignedCount finishedAt failures { line message } } }`;
  return { id, ...(await world.graphql(text, { id }, who)).body.data.reassignmentTable };
}

/** What was moved, with the row of Ann and an account. */
async function place(options?: Parameters<typeof moved>[1]) {
  const found = await moved(world, options);
  const [ann, ben] = ['71', '72'].map((wanted) =>
    found.rows.find(({ sourceUserIdentifier }) => sourceUserIdentifier === wanted),
  );
  return { ...found, ann: ann?.id ?? 0, ben: ben?.id ?? 0, account: await world.user() };
}

async function withSettings<T>(settings: Json, work: () => Promise<T>): Promise<T> {
  const off = Object.fromEntries(Object.keys(settings).map((name) => [name, false]));
  expect((await world.api(admin).put('/application/settings', settings)).body).toMatchObject(settings);
  try {
    return await work();
  } finally {
    await world.api(admin).put('/application/settings', off);
  }
}

describe('A table of placeholders', () => {
  it('has those that nobody is assigned to, for owners alone, and nothing that spreadsheets run', async () => {
    const { owner, group, ann, account } = await place({ visibility: 'private' });
    await world.db.importSourceUser.update({ where: { id: ann }, data: { sourceName: '=HYPERLINK("x")' } });
    const at = `/api/v4/groups/${group.id}/placeholder_reassignments`;
    const get = (who?: TestUser) => fetch(`${world.url}${at}`, { headers: who ? { 'PRIVATE-TOKEN': who.token } : {} });
    const answer = await get(owner);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(answer.headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="placeholder_reassignments_for_group_${group.id}_\\d+\\.csv"$`),
    );
    expect(await answer.text()).toBe(
      `${HEAD}\r\ngit.example.org,gitlab_project,71,"'=HYPERLINK(""x"")",ann,,\r\ngit.example.org,gitlab_project,72,Ben,,,\r\n`,
    );
    await change(owner, 'reassignImportSourceUser', { id: ann, userId: account.id });
    expect(parseTable(await (await get(admin)).text(), ',')?.rows.map((row) => row[2])).toEqual([
      'Source user identifier',
      '72',
    ]);
    const maintainer = await world.user();
    await world.member(group, maintainer, 'master');
    expect([(await get()).status, (await get(account)).status, (await get(maintainer)).status]).toEqual([
      401, 404, 403,
    ]);
    const lost = await world.user();
    await world.member(group, lost, 'owner');
    await world.db.member.deleteMany({ where: { userId: lost.id } });
    expect((await get(lost)).status).toBe(404);
    const below = await world.group({ owner, parentId: group.id });
    expect((await world.api(owner).get(`/groups/${below.id}/placeholder_reassignments`)).status).toBe(400);
  });

  it('asks the accounts that it names, and says why others are not, in the graph and by mail', LONG, async () => {
    const { owner, group, ann, ben, account } = await place();
    const other = await world.user();
    await world.db.user.update({ where: { id: other.id }, data: { publicEmail: 'public@example.org' } });
    const blocked = await world.user();
    await world.db.user.update({ where: { id: blocked.id }, data: { state: 'blocked' } });
    const table = [
      HEAD,
      `https://git.example.org/,github,71,Ann,ann,@${account.username.toUpperCase()},`,
      `git.example.org,x,72,Ben,,,PUBLIC@example.org`,
      `git.example.org,x,72,Ben,,nobody-there,`,
      `git.example.org,x,73,,,${account.username},`,
      `elsewhere.example,x,71,,,${account.username},`,
      `git.example.org,x,72,,,${blocked.username},`,
      `git.example.org,x,72,,,${account.username},public@example.org`,
      `git.example.org,x,72,,,,nobody@example.org`,
      `git.example.org,x,72,,,${admin.username},`,
      'git.example.org,x,72,Ben,,,',
    ].join('\n');
    const sent = await sendTable(owner, group.id, table);
    expect(sent).toEqual({
      status: 201,
      body: { message: 'The file is being processed and you will receive an email when completed.' },
    });
    const result = await processed(owner);
    expect(result).toMatchObject({ totalCount: 9, assignedCount: 2, finishedAt: expect.any(String) });
    const unknown = 'There is no such user of a source that you may assign';
    expect(result.failures).toEqual([
      { line: 4, message: 'The account with this username does not exist' },
      { line: 5, message: unknown },
      { line: 6, message: unknown },
      { line: 7, message: 'The account must be the account of an active user' },
      { line: 8, message: 'The account with this username has another public email address' },
      { line: 9, message: 'The account with this public email address does not exist' },
      { line: 10, message: 'The account is an administrator, to whom nothing may be assigned here' },
    ]);
    expect([await rowOf(ann), await rowOf(ben)]).toMatchObject([
      { status: 'awaiting_approval', reassignToUserId: account.id, reassignedById: owner.id },
      { status: 'awaiting_approval', reassignToUserId: other.id },
    ]);
    const mail = await mailbox.next(await addressOf(owner));
    expect(mail.subject).toContain('Your table of placeholders was processed');
    expect(mail.text).toContain(
      `The table of placeholders in ${group.fullPath} was processed: 2 of 9 rows were accepted.`,
    );
    expect(mail.text).toContain(`5: ${unknown}`);
    expect(mail.link).toBe(`${world.url}/import/tables/${result.id}`);
    const text = `query ($id: ID!) { reassignmentTable(id: $id) { totalCount } }`;
    for (const who of [admin, account, undefined])
      expect((await world.graphql(text, { id: result.id }, who)).body.data?.reassignmentTable ?? null).toBeNull();
  });

  it.each([
    ['without a column', 'Source host,GitLab username\na,b', /has no column with the name source user identifier/],
    ['without accounts', `${HEAD}\na,b,c,d,e,,`, /names no accounts/],
    ['with a stray quotation mark', `${HEAD}\n"a"b`, /quotation mark/],
    ['of other text', Buffer.from([0xff, 0xfe, 0x00]), /UTF-8/],
    ['with too many rows', `${HEAD}\n${'a,b,c,d,e,f,\n'.repeat(10_001)}`, /10,000 rows/],
    ['that is too large', `${HEAD}\n${'x'.repeat(2 * 1024 * 1024)}`, /larger than 2 MB/],
  ])('is refused %s', async (_what, table, message) => {
    const owner = await world.user();
    const group = await world.group({ owner });
    const { status, body } = await sendTable(owner, group.id, table);
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringMatching(message)]);
    expect(await world.db.reassignmentTable.count({ where: { userId: owner.id } })).toBe(0);
  });

  it('tells of the first 500 rows that are refused', LONG, async () => {
    const { owner, group } = await place();
    const rows = Array.from({ length: 501 }, (_, at) => `git.example.org,x,${1_000 + at},,,nobody-is-called-so,`);
    expect((await sendTable(owner, group.id, [HEAD, ...rows].join('\n'))).status).toBe(201);
    const result = await processed(owner);
    expect([result.totalCount, result.assignedCount, result.failures.length]).toEqual([501, 0, 500]);
    const browser = await signedIn(world, owner);
    await browser.get(`/import/tables/${result.id}`);
    expect(browser.page).toContain('Only the first 500 are shown.');
  });

  it('is taken from owners alone, who may lose that while it waits', LONG, async () => {
    const { owner, group, ann, account } = await place({ visibility: 'private' });
    const table = `${HEAD}\ngit.example.org,x,71,,,${account.username},`;
    const maintainer = await world.user();
    await world.member(group, maintainer, 'master');
    const sent = async (who?: TestUser) => (await sendTable(who, group.id, table)).status;
    expect([await sent(), await sent(account), await sent(maintainer)]).toEqual([401, 404, 403]);
    await world.db.user.update({ where: { id: maintainer.id }, data: { bot: true } });
    await world.db.member.updateMany({ where: { userId: maintainer.id }, data: { accessLevel: 50 } });
    expect(await sent(maintainer)).toBe(403);
    expect((await rowOf(ann)).status).toBe('pending_reassignment');
    const rows = [{ line: 2, host: 'git.example.org', identifier: '71', username: account.username, email: '' }];
    const second = await world.user();
    const data = { namespaceId: group.id, userId: second.id, totalCount: 1, rows };
    const { id: tableId } = await world.db.reassignmentTable.create({ data });
    await world.as(owner).jobs.enqueue(world.db as never, 'users.reassign_by_table', { tableId });
    const lost = await processed(second);
    expect([lost.assignedCount, lost.failures.length, (await rowOf(ann)).status]).toEqual([
      0,
      1,
      'pending_reassignment',
    ]);
  });
});

describe('Whoever is asked', () => {
  it('learns of it by mail, and again when reminded, but not without end', LONG, async () => {
    const { owner, group, ann, account } = await place();
    await change(owner, 'reassignImportSourceUser', { id: ann, username: account.username });
    const address = await addressOf(account);
    const mail = await mailbox.next(address);
    expect(mail.subject).toContain('Are you the author of imported contributions?');
    expect(mail.text).toContain(`${owner.username} asks whether`);
    expect(mail.text).toContain(group.fullPath);
    // What a source says may be made to be a link.
    expect(mail.raw).not.toContain('Apple');
    expect(mail.link).toBe(`${world.url}/import/source_users/${ann}`);
    for (let at = 0; at < MAILS.reminders; at += 1)
      expect(await change(owner, 'remindImportSourceUserReassignment', { id: ann })).toBe('AWAITING_APPROVAL');
    expect(await change(owner, 'remindImportSourceUserReassignment', { id: ann })).toBe('RATE_LIMITED');
    expect(await change(account, 'remindImportSourceUserReassignment', { id: ann })).toBe('NOT_FOUND');
    await world.idle();
    expect(mailbox.to(address)).toHaveLength(1 + MAILS.reminders);
    await change(owner, 'cancelImportSourceUserReassignment', { id: ann });
    expect(await change(owner, 'remindImportSourceUserReassignment', { id: ann })).toBe('CONFLICT');
    for (let at = 0; at < MAILS.toAccount; at += 1) {
      expect(await change(owner, 'reassignImportSourceUser', { id: ann, userId: account.id })).toBe(
        'AWAITING_APPROVAL',
      );
      await change(owner, 'cancelImportSourceUserReassignment', { id: ann });
    }
    await world.idle();
    expect(mailbox.to(address)).toHaveLength(MAILS.toAccount);
  });

  it('sees the request on the start page, and accepts or rejects it', LONG, async () => {
    const { owner, group, ann, account } = await place({ withMembers: true });
    await change(owner, 'reassignImportSourceUser', { id: ann, userId: account.id });
    const browser = await signedIn(world, account);
    await browser.get('/');
    expect(browser.page).toContain(`href="/import/source_users/${ann}"`);
    await browser.get(`/import/source_users/${ann}`);
    expect(browser.page).toContain('Ann &lt;b&gt;Apple&lt;/b&gt;');
    expect(browser.page).toContain(group.fullPath);
    expect(browser.page).toContain('1 membership.');
    await browser.submit(`/import/source_users/${ann}/reject`);
    expect((await rowOf(ann)).status).toBe('rejected');
    await browser.get(`/import/source_users/${ann}`);
    expect(browser.answer.status).toBe(404);
    await change(owner, 'reassignImportSourceUser', { id: ann, userId: account.id });
    const stranger = await signedIn(world, await world.user());
    await stranger.get(`/import/source_users/${ann}`);
    expect(stranger.answer.status).toBe(404);
    await browser.get(`/import/source_users/${ann}`);
    await browser.submit(`/import/source_users/${ann}/accept`);
    await world.idle();
    expect((await rowOf(ann)).status).toBe('completed');
    const visitor = await world.send('GET', `/import/source_users/${ann}`, { headers: { Accept: 'text/html' } });
    expect([visitor.status, visitor.headers.location]).toEqual([303, expect.stringContaining('/users/sign_in')]);
  });

  it('is no bot, no administrator without the setting, and nobody who is blocked meanwhile', LONG, async () => {
    const { owner, ann, account } = await place();
    const bot = await world.user();
    await world.db.user.update({ where: { id: bot.id }, data: { bot: true } });
    for (const one of [bot, admin])
      expect(await change(owner, 'reassignImportSourceUser', { id: ann, userId: one.id })).toBe('VALIDATION_FAILED');
    await withSettings({ allow_contribution_mapping_to_admins: true }, async () => {
      expect(await change(owner, 'reassignImportSourceUser', { id: ann, userId: admin.id })).toBe('AWAITING_APPROVAL');
    });
    expect(await change(admin, 'acceptImportSourceUserReassignment', { id: ann })).toBe('CONFLICT');
    await change(owner, 'reassignImportSourceUser', { id: ann, userId: account.id });
    await world.db.user.update({ where: { id: account.id }, data: { state: 'blocked' } });
    expect(await change(account, 'acceptImportSourceUserReassignment', { id: ann })).not.toBe(
      'REASSIGNMENT_IN_PROGRESS',
    );
    expect((await rowOf(ann)).status).toBe('awaiting_approval');
  });
});

describe('An administrator', () => {
  it('assigns without asking only where the settings say so, and later imports wait all the same', LONG, async () => {
    const { owner, ann, account, bring } = await place();
    expect(await change(admin, 'reassignImportSourceUser', { id: ann, userId: account.id })).toBe('AWAITING_APPROVAL');
    await withSettings({ allow_bypass_placeholder_confirmation: true }, async () => {
      await change(owner, 'cancelImportSourceUserReassignment', { id: ann });
      expect(await change(owner, 'reassignImportSourceUser', { id: ann, userId: account.id })).toBe(
        'AWAITING_APPROVAL',
      );
      expect(await change(admin, 'reassignImportSourceUser', { id: ann, userId: account.id })).toBe(
        'REASSIGNMENT_IN_PROGRESS',
      );
    });
    await world.idle();
    const authored = () => world.db.issue.count({ where: { authorId: account.id } });
    // The confidential one stays.
    expect([(await rowOf(ann)).status, (await rowOf(ann)).acceptedAt, await authored()]).toEqual([
      'completed',
      null,
      1,
    ]);
    const mails = mailbox.to(await addressOf(account)).map(({ subject }) => subject);
    expect(mails.filter((subject) => subject.includes('were assigned to you'))).toHaveLength(1);
    await bring();
    await world.idle();
    expect([(await rowOf(ann)).status, await authored()]).toEqual(['completed', 1]);
  });

  it('may assign to a former colleague, who is told nothing', LONG, async () => {
    const { ann, account: withdrawn } = await place();
    await world.db.user.update({ where: { id: withdrawn.id }, data: { state: 'deactivated' } });
    await withSettings({ allow_bypass_placeholder_confirmation: true }, async () => {
      expect(await change(admin, 'reassignImportSourceUser', { id: ann, userId: withdrawn.id })).toBe(
        'REASSIGNMENT_IN_PROGRESS',
      );
      await world.idle();
    });
    expect((await rowOf(ann)).status).toBe('completed');
    expect(await world.db.issue.count({ where: { authorId: withdrawn.id } })).toBe(1);
    expect(mailbox.to(await addressOf(withdrawn))).toEqual([]);
  });
});

describe('Memberships of users without an account', () => {
  const levels = async ({ id }: { id: number }) => {
    const members = await world.db.member.findMany({ where: { userId: id }, orderBy: { id: 'asc' } });
    return members.map(({ projectId, accessLevel, expiresAt }) => [
      projectId,
      accessLevel,
      expiresAt?.toISOString().slice(0, 10) ?? null,
    ]);
  };
  const accepted = async (owner: TestUser, id: number, account: TestUser) => {
    await change(owner, 'reassignImportSourceUser', { id, userId: account.id });
    await change(account, 'acceptImportSourceUserReassignment', { id });
    await world.idle();
  };

  it('are kept, count for nothing, and are given to whoever takes the placeholder over', async () => {
    const { owner, group, id, api, at, ann, ben, account } = await place({ withMembers: true, visibility: 'private' });
    const kept = await world.db.importSourceMembership.findMany({ where: { projectId: id }, orderBy: { id: 'asc' } });
    expect(kept).toMatchObject([
      { sourceUserId: ann, accessLevel: 40, expiresAt: null, importerId: owner.id },
      { sourceUserId: ben, accessLevel: 20, expiresAt: new Date('2099-01-01') },
    ]);
    const names = async () => (await api.get(`${at}/members/all`)).body.map((one: Json) => one.username);
    expect(await names()).toEqual([owner.username]);
    expect((await world.api(account).get(at)).status).toBe(404);
    const other = await world.user();
    await accepted(owner, ann, account);
    await accepted(owner, ben, other);
    expect([await levels(account), await levels(other)]).toEqual([[[id, 40, null]], [[id, 20, '2099-01-01']]]);
    // With the level comes what only members see.
    expect(await world.db.issue.count({ where: { projectId: id, authorId: account.id } })).toBe(2);
    expect(await world.db.importSourceMembership.count({ where: { projectId: id } })).toBe(0);
    const given = await world.db.auditEvent.findFirstOrThrow({
      where: { action: 'member_created', targetId: account.id },
    });
    expect([given.projectId, given.newValue, given.authorId]).toEqual([id, '40', owner.id]);
    expect(group.id).toBeGreaterThan(0);
  });

  it('give no more than the importer has now, and lower nothing', LONG, async () => {
    const { owner, group, bring, ann, ben, account, id } = await place({ withMembers: true });
    const importer = await world.user();
    await world.member(group, importer, 'master');
    const second = await bring(importer);
    await world.db.member.updateMany({
      where: { userId: importer.id, namespaceId: group.id },
      data: { accessLevel: 10 },
    });
    await accepted(owner, ann, account);
    expect(await levels(account)).toEqual(
      [
        [id, 40, null],
        [second, 10, null],
      ].sort(([one], [other]) => Number(one) - Number(other)),
    );
    const other = await world.user();
    await world.db.member.create({ data: { userId: other.id, projectId: id, accessLevel: 10 } });
    await world.db.member.create({ data: { userId: other.id, projectId: second, accessLevel: 30 } });
    await world.db.member.deleteMany({ where: { userId: importer.id } });
    await accepted(owner, ben, other);
    // The one that it has is for good, and that of the source ends.
    expect(await levels(other)).toEqual([
      [id, 10, null],
      [second, 30, null],
    ]);
  });

  it('are not given where the project has moved to other owners', LONG, async () => {
    const { owner, ann, account, id } = await place({ withMembers: true });
    const elsewhere = await world.group({ owner, visibility: 'public' });
    const moving = await world.api(owner).put(`/projects/${id}/transfer`, { namespace: elsewhere.id });
    expect([moving.status, moving.body.message]).toEqual([200, undefined]);
    await accepted(owner, ann, account);
    expect((await rowOf(ann)).status).toBe('completed');
    expect(await levels(account)).toEqual([]);
  });

  it('come with archives of groups, too', LONG, async () => {
    const [source, member] = [await world.user(), await world.user()];
    const group = await world.group({ owner: source });
    await world.member(group, member, 'master');
    const archive = await exportedGroup(world, source, group);
    const owner = await world.user();
    const { id } = await importedGroup(world, owner, { archive, path: world.unique('tree') });
    const kept = await world.db.importSourceMembership.findMany({
      where: { groupId: id },
      include: { sourceUser: { select: { id: true, sourceUsername: true, namespaceId: true } } },
    });
    const names = kept.map(({ sourceUser, accessLevel }) => [sourceUser.sourceUsername, accessLevel]);
    expect(names.sort()).toEqual(
      [
        [source.username, 50],
        [member.username, 40],
      ].sort(),
    );
    expect(await levels(member)).toEqual([[null, 40, null]]);
    const of = kept.find(({ sourceUser }) => sourceUser.sourceUsername === member.username);
    await accepted(owner, of?.sourceUserId ?? 0, member);
    const given = await world.db.member.findMany({ where: { userId: member.id, namespaceId: id } });
    expect(given).toMatchObject([{ accessLevel: 40, createdById: owner.id }]);
  });

  it('keep a placeholder that nothing else names, and go with the project', LONG, async () => {
    const owner = await world.user();
    const group = await world.group({ owner });
    const archive = archiveOf([{ id: 5, username: 'cleo', name: 'Cleo', host: 'git.example.org' }], {
      members: [{ id: 1, user_id: 5, access_level: 30 }],
    });
    const { id } = await imported(world, owner, {
      archive,
      path: world.unique('only'),
      more: { namespace: group.fullPath },
    });
    const { removeUnusedPlaceholders } = await import('#src/domain/placeholder_users/remove_unused.ts');
    const rows = () => world.db.importSourceUser.findMany({ where: { namespaceId: group.id } });
    const [row] = await rows();
    await world.db.user.update({
      where: { id: row?.placeholderUserId ?? 0 },
      data: { createdAt: new Date(Date.now() - 2 * 24 * 60 * 60_000) },
    });
    await removeUnusedPlaceholders(world);
    expect(await rows()).toHaveLength(1);
    await world.api(owner).delete(`/projects/${id}`);
    await world.idle();
    await removeUnusedPlaceholders(world);
    expect(await rows()).toEqual([]);
  });
});

describe('The page of placeholders', () => {
  it('is for owners of a top-level group, who ask, remind, withdraw and keep without scripts', LONG, async () => {
    const { owner, group, ann, account } = await place();
    const at = `/groups/${group.fullPath}/-/group_members/placeholders`;
    const browser = await signedIn(world, owner);
    await browser.get(`/groups/${group.fullPath}/-/group_members`);
    expect(browser.page).toContain(`href="${at}"`);
    await browser.get(`/groups/${group.fullPath}/-/group_members?tab=placeholders`);
    await browser.follow();
    expect(browser.page).toContain('Ann &lt;b&gt;Apple&lt;/b&gt;');
    expect(browser.page.length).toBeLessThan(60 * 1024);
    await browser.submit(`${at}/${ann}/ask`, { username: 'nobody-there' });
    expect(browser.page).toContain('must be the account of an active user');
    await browser.submit(`${at}/${ann}/ask`, { username: account.username });
    await browser.follow();
    expect(noticeOn(browser.page)).toBe('The account was asked.');
    expect((await rowOf(ann)).reassignToUserId).toBe(account.id);
    await browser.submit(`${at}/${ann}/remind`);
    await browser.follow();
    expect(noticeOn(browser.page)).toBe('The request was sent again.');
    await browser.submit(`${at}/${ann}/cancel`);
    await browser.submit(`${at}/${ann}/keep`);
    expect((await rowOf(ann)).status).toBe('keep_as_placeholder');
    await browser.get(`${at}?status=keep_as_placeholder`);
    expect([browser.page.includes('Apple'), browser.page.includes('Ben')]).toEqual([true, false]);
    await browser.get(`${at}?search=BEN&sort=newest`);
    expect([browser.page.includes('Apple'), browser.page.includes('Ben')]).toEqual([false, true]);
    await browser.get(`${at}?sort=name`);
    expect(browser.page.indexOf('Apple')).toBeLessThan(browser.page.indexOf('Ben<'));
    const [, file = ''] = /href="(\/-\/placeholders\.csv[^"]*)"/.exec(browser.page) ?? [];
    await browser.get(file.replaceAll('&amp;', '&'));
    expect(browser.answer.headers['content-type']).toMatch(/^text\/csv/);
    const maintainer = await world.user();
    await world.member(group, maintainer, 'master');
    const others = await signedIn(world, maintainer);
    await others.get(`/groups/${group.fullPath}/-/group_members`);
    expect(others.page).not.toContain(at);
    for (const path of [at, file.replaceAll('&amp;', '&')]) {
      await others.get(path);
      expect([403, 404]).toContain(others.answer.status);
    }
  });

  it('is one of the settings of a user, for what is imported into the personal namespace', LONG, async () => {
    const owner = await world.user();
    const archive = archiveOf([{ id: 5, username: 'cleo', name: 'Cleo' }], {
      issues: [{ id: 1, iid: 1, title: 'One', author_id: 5 }],
    });
    await imported(world, owner, { archive, path: world.unique('own') });
    const browser = await signedIn(world, owner);
    await browser.get('/profile/placeholders');
    expect(browser.page).toContain('Cleo');
    const { id } = await world.db.importSourceUser.findFirstOrThrow({ where: { namespace: { ownerId: owner.id } } });
    await browser.submit(`/profile/placeholders/${id}/keep`);
    expect((await rowOf(id)).status).toBe('keep_as_placeholder');
    const event = await world.db.auditEvent.findFirstOrThrow({ where: { action: 'placeholder_kept', targetId: id } });
    expect([event.userId, event.groupId, event.authorId]).toEqual([owner.id, null, owner.id]);
    const others = await signedIn(world, await world.user());
    await others.get('/profile/placeholders');
    expect(others.page).not.toContain('Cleo');
  });
});

describe('The audit log', () => {
  it('has what was asked, answered, withdrawn and kept, with the account', LONG, async () => {
    const { owner, group, ann, account } = await place();
    const asked = () => change(owner, 'reassignImportSourceUser', { id: ann, userId: account.id });
    await asked();
    await change(account, 'rejectImportSourceUserReassignment', { id: ann });
    await change(owner, 'cancelImportSourceUserReassignment', { id: ann });
    await change(owner, 'keepImportSourceUserAsPlaceholder', { id: ann });
    await asked();
    await change(account, 'acceptImportSourceUserReassignment', { id: ann });
    await world.idle();
    const events = await world.db.auditEvent.findMany({
      where: { groupId: group.id, targetType: 'Placeholder' },
      orderBy: { id: 'asc' },
    });
    const facts = events.map(({ action, authorId, targetName, newValue }) => [action, authorId, targetName, newValue]);
    const name = 'Ann <b>Apple</b>';
    expect(facts).toEqual([
      ['placeholder_reassignment_requested', owner.id, name, account.username],
      ['placeholder_reassignment_rejected', account.id, name, account.username],
      ['placeholder_reassignment_cancelled', owner.id, name, account.username],
      ['placeholder_kept', owner.id, name, null],
      ['placeholder_reassignment_requested', owner.id, name, account.username],
      ['placeholder_reassignment_accepted', account.id, name, account.username],
    ]);
    const browser = await signedIn(world, owner);
    await browser.get(`/groups/${group.fullPath}/-/audit_events`);
    expect(browser.page).toContain('placeholder');
  });
});

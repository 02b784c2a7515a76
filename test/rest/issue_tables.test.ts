import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { parseTable } from '#src/domain/repository/csv.ts';
import { runIssueImport } from '#src/domain/tracking/issue_tables/import.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const [owner, reporter, guest] = [await world.user(), await world.user(), await world.user()];
let project: ProjectRow;
let label: string;

const EXPORT = `query ($ref: ProjectRef!, $filter: IssueFilter!) { project(ref: $ref) { issuesCsv(filter: $filter, sort: ASC) } }`;
const STATE = `query ($ref: ProjectRef!, $id: ID!) { project(ref: $ref) { issueImport(id: $id) {
  totalCount createdCount finishedAt failures { line message } project { fullPath } } } }`;

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  const at = `/projects/${project.id}/issues`;
  label = world.unique('label');
  await world.api(owner).post(at, {
    ...{ title: '=HYPERLINK("x")', description: 'two\n"lines"', labels: label, due_date: '2030-01-02' },
    assignee_ids: [reporter.id],
  });
  await world.api(owner).post(at, { title: 'Secret', confidential: true });
  await world.api(owner).post(at, { title: 'Decoy' });
});

/** The rows of an exported table, each by the names of the columns. */
async function exported(user: TestUser | undefined, filter?: object, at = project) {
  const { body } = await world.graphql(EXPORT, { ref: at.fullPath, filter: filter ?? {} }, user);
  if (body.errors) return body.errors[0].extensions.code;
  const [names = [], ...rows] = parseTable(body.data.project.issuesCsv, ',')?.rows ?? [];
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
}

/** Sends a table as GraphQL's multipart requests do. */
async function send(user: TestUser | undefined, table: string | Buffer, at = project) {
  const form = new FormData();
  const query = `mutation ($input: ImportIssuesInput!) { importIssues(input: $input) { import { databaseId totalCount } } }`;
  form.append('operations', JSON.stringify({ query, variables: { input: { project: at.fullPath, file: null } } }));
  form.append('map', JSON.stringify({ 0: ['variables.input.file'] }));
  form.append('0', new Blob([typeof table === 'string' ? table : new Uint8Array(table)]), 'issues.csv');
  const headers: Record<string, string> = user ? { 'PRIVATE-TOKEN': user.token } : {};
  const answer = await fetch(`${world.url}/graphql`, { method: 'POST', body: form, headers });
  return answer.json();
}

/** The result of an import that was begun, once it is finished. */
async function result(user: TestUser, id: number, at = project) {
  await world.idle();
  const { body } = await world.graphql(STATE, { ref: at.fullPath, id }, user);
  return body.errors ? body.errors[0].extensions.code : body.data.project.issueImport;
}

const titlesOf = async (at: ProjectRow) => {
  const issues = await world.db.issue.findMany({ where: { projectId: at.id }, orderBy: { iid: 'asc' } });
  return issues.map(({ title }) => title);
};

describe('A table of issues', () => {
  it('has what can be seen of them, and nothing that spreadsheets run', async () => {
    const [row, ...more] = await exported(guest, { labels: [label] });
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      ...{ Title: `'=HYPERLINK("x")`, Description: 'two\n"lines"', Labels: label, State: 'Open', Confidential: 'No' },
      ...{ 'Due Date': '2030-01-02', 'Assignee Username': reporter.username, 'Author Username': owner.username },
      ...{ Type: 'issue', 'Closed At (UTC)': '', URL: `${world.url}/${project.fullPath}/-/issues/${row['Issue ID']}` },
    });
    const seen = async (user: TestUser) => (await exported(user)).map(({ Title }: { Title: string }) => Title);
    expect(await seen(reporter)).toEqual([`'=HYPERLINK("x")`, 'Secret', 'Decoy']);
    expect(await seen(guest)).toEqual([`'=HYPERLINK("x")`, 'Decoy']);
    expect(await exported(undefined)).toBe('UNAUTHENTICATED');
  });

  it('becomes the same issues where it is imported', LONG, async () => {
    const copy = await world.project({ owner, visibility: 'private' });
    await world.member(copy, reporter, 'reporter');
    const { body } = await world.graphql(EXPORT, { ref: project.fullPath, filter: {} }, owner);
    const sent = await send(owner, body.data.project.issuesCsv, copy);
    const { databaseId, totalCount } = sent.data.importIssues.import;
    expect(totalCount).toBe(3);
    const imported = await result(owner, databaseId, copy);
    expect(imported).toMatchObject({ totalCount: 3, createdCount: 3, failures: [], finishedAt: expect.any(String) });
    const kept = ['Title', 'Description', 'Labels', 'Due Date', 'Confidential', 'Assignee Username', 'Type'];
    const facts = (rows: Record<string, string>[]) => rows.map((row) => kept.map((name) => row[name]));
    expect(facts(await exported(owner, undefined, copy))).toEqual(facts(await exported(owner)));
  });
});

describe('The page of issues', () => {
  it('leads to a table of what it lists, and to the import for those who may', LONG, async () => {
    const browser = await signedIn(world, reporter);
    const list = `/${project.fullPath}/-/issues`;
    await browser.get(`${list}?search=Decoy`);
    const [, at = ''] = /href="([^"]*issues\.csv[^"]*)"/.exec(browser.page) ?? [];
    expect(browser.page).toContain(`href="${list}/import"`);
    await browser.get(at.replaceAll('&amp;', '&'));
    expect(browser.answer.headers['content-type']).toMatch(/^text\/csv/);
    expect(parseTable(String(browser.answer.body), ',')?.rows.map((row) => row[2])).toEqual(['Title', 'Decoy']);
    await browser.get(`${list}/import`);
    expect(browser.page).toContain('type="file"');
    const others = await signedIn(world, guest);
    await others.get(list);
    expect(others.page).not.toContain(`${list}/import`);
    await others.get(`${list}/import`);
    expect(others.answer.status).toBe(404);
  });

  it('shows how far an import is to who began it', LONG, async () => {
    const sent = await send(reporter, 'title,due_date\nShown,\nRefused,soon');
    const { databaseId } = sent.data.importIssues.import;
    await world.idle();
    const at = `/${project.fullPath}/-/issues/import/${databaseId}`;
    const browser = await signedIn(world, reporter);
    await browser.get(at);
    expect(browser.page).toContain('The import is finished: 1 of 2 issues were opened.');
    expect(browser.page).toContain('due_date must be a day');
    const others = await signedIn(world, owner);
    await others.get(at);
    expect(others.answer.status).toBe(404);
  });
});

describe('Importing issues', () => {
  it('opens one for each row that is right, and says why others are not', async () => {
    const place = await world.project({ owner });
    const table = `Title;description;due_date;TYPE;confidential;what\n"One; two";Text;2030-02-03;task;yes;x\n;No title;;;;\nBad day;;2030-02-30;;;\nBad type;;;epic;;\n\nLast;;;;no;`;
    const sent = await send(owner, table, place);
    const state = await result(owner, sent.data.importIssues.import.databaseId, place);
    expect(state).toMatchObject({ totalCount: 5, createdCount: 2 });
    expect(state.failures).toEqual([
      { line: 3, message: "title can't be blank" },
      { line: 4, message: 'due_date must be a day, as YYYY-MM-DD' },
      { line: 5, message: 'type must be issue, incident or task' },
    ]);
    const issues = await world.db.issue.findMany({ where: { projectId: place.id }, orderBy: { iid: 'asc' } });
    expect(issues).toMatchObject([
      { title: 'One; two', description: 'Text', type: 'task', confidential: true, authorId: owner.id },
      { title: 'Last', confidential: false },
    ]);
  });

  it.each([
    ['without a title column', 'name\nx', 'has no column with the name title'],
    ['without rows', 'title\n\n', 'has no issues'],
    ['with a stray quotation mark', 'title\n"a"b', 'has a quotation mark in the wrong place'],
    ['with too many rows', `title\n${'x\n'.repeat(1_001)}`, 'has more than 1000 rows or 100 columns'],
    ['that is no text', Buffer.from([0x74, 0xff, 0x00]), 'must be text in UTF-8'],
    ['that is too large', 'x'.repeat(1024 * 1024 + 1), 'is larger than 1 MB'],
    ['that is empty', '', 'has no column with the name title'],
  ])('refuses a table %s', async (_what, table, message) => {
    const { errors } = await send(owner, table);
    expect(errors[0].extensions).toMatchObject({ code: 'VALIDATION_FAILED', fields: { 'input.file': [message] } });
  });

  it('is for reporters, and its result for who sent it', async () => {
    const [stranger, another] = [await world.user(), await world.user()];
    const hidden = await world.project({ owner, visibility: 'private' });
    const codes = [];
    for (const [user, at] of [
      [guest, project],
      [stranger, project],
      [undefined, project],
      [stranger, hidden],
    ] as const) {
      codes.push((await send(user, 'title\nNo', at)).errors[0].extensions.code);
    }
    expect(codes).toEqual(['FORBIDDEN', 'FORBIDDEN', 'UNAUTHENTICATED', 'NOT_FOUND']);
    expect(await titlesOf(project)).not.toContain('No');
    const sent = await send(reporter, 'title\nMine');
    const { databaseId } = sent.data.importIssues.import;
    expect((await result(reporter, databaseId)).createdCount).toBe(1);
    for (const user of [owner, another]) expect(await result(user, databaseId)).toBe('NOT_FOUND');
  });

  it('opens nothing more for who lost the right meanwhile, and each row once where two processes are at it', async () => {
    const place = await world.project({ owner });
    const member = await world.user();
    await world.member(place, member, 'reporter');
    const rows = ['a', 'b', 'c'].map((title, at) => ({ line: at + 2, title }));
    const data = { projectId: place.id, userId: member.id, totalCount: 3, rows };
    const { id } = await world.db.issueImport.create({ data });
    const as = async () => world.as(member);
    const both = await Promise.allSettled([1, 2].map(() => runIssueImport(world.db, { importId: id }, as)));
    expect(both.some(({ status }) => status === 'fulfilled')).toBe(true);
    await runIssueImport(world.db, { importId: id }, as);
    expect(await titlesOf(place)).toEqual(['a', 'b', 'c']);
    const next = await world.db.issueImport.create({ data });
    await world.api(owner).delete(`/projects/${place.id}/members/${member.id}`);
    await runIssueImport(world.db, { importId: next.id }, async () => world.as(member));
    expect(await titlesOf(place)).toEqual(['a', 'b', 'c']);
    const ended = await world.db.issueImport.findUniqueOrThrow({ where: { id: next.id } });
    expect(ended).toMatchObject({ createdCount: 0, rows: [], failures: [{ line: 2 }, { line: 3 }, { line: 4 }] });
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { importSettings } from '#src/platform/outbound/options.ts';
import { type GithubServer, helloWorld, TOKEN } from '../support/github_server.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
let github: GithubServer;

beforeAll(async () => {
  github = await helloWorld();
  Object.assign(world.imports, importSettings({ hosts: [github.host], timeout: 60_000 }));
});
afterAll(() => github.stop());

const AT = '/projects/import';

/** What the form is sent with; without `parts`, nothing but the repository is taken. */
const fields = (namespace: string, more: Record<string, string> = {}) => ({
  provider: 'github',
  url: `http://${github.host}`,
  path: 'octo-org/hello-world',
  token: TOKEN,
  name: world.unique('moved'),
  namespace,
  ...more,
});

/** Whether the box of a part is ticked on a page. */
const ticked = (page: string, part: string) => new RegExp(`name="parts" value="${part}" checked`).test(page);

it(
  'A project of another server is chosen on a page, watched while it comes, and told of what was left out',
  LONG,
  async () => {
    const owner = await world.user();
    const browser = await signedIn(world, owner);
    await browser.get('/projects/new');
    expect(browser.page).toContain(`href="${AT}?namespace=${owner.username}"`);
    await browser.get(AT);
    expect(browser.page).toContain('<option value="github">GitHub or GitHub Enterprise Server</option>');
    for (const part of [
      'wiki',
      'issues',
      'merge_requests',
      'releases',
      'protected_branches',
      'members',
      'attachments',
      'packages',
      'images',
    ])
      expect([part, ticked(browser.page, part)]).toEqual([part, true]);
    const given = fields(owner.username, { parts: 'issues' });
    await browser.submit(AT, given);
    const at = `/${owner.username}/${given.name}`;
    expect([browser.answer.status, browser.answer.headers.location]).toEqual([303, `${at}/-/import`]);
    await world.idle();
    await browser.get(`${at}/-/import`);
    expect(browser.page).toContain('The project was imported.');
    expect(browser.page).toContain(`href="http://${github.host}/octo-org/hello-world"`);
    expect(browser.page).toMatch(/<th scope="row">Issues<\/th><td>\d of \d<\/td>/);
    expect(browser.page).not.toContain('<th scope="row">Releases</th>');
    expect(browser.page).toContain('git lfs push --all');
    expect(browser.page).not.toContain('data-live');
    const { body: issues } = await world.api(owner).get(`/projects/${encodeURIComponent(at.slice(1))}/issues`);
    expect(issues).toHaveLength(2);
    // What was left out is for masters.
    const other = await signedIn(world, await world.user());
    await other.get(`${at}/-/import`);
    expect(other.page).toContain('The project was imported.');
    expect(other.page).not.toContain('git lfs push --all');
  },
);

it('A form without a ticked box brings the repository alone', LONG, async () => {
  const owner = await world.user();
  const browser = await signedIn(world, owner);
  await browser.get(AT);
  const given = fields(owner.username);
  await browser.submit(AT, given);
  expect(browser.answer.status).toBe(303);
  await world.idle();
  const project = encodeURIComponent(`${owner.username}/${given.name}`);
  expect((await world.api(owner).get(`/projects/${project}/repository/branches`)).body).toHaveLength(2);
  for (const rest of ['issues', 'merge_requests?state=all', 'releases'])
    expect((await world.api(owner).get(`/projects/${project}/${rest}`)).body).toEqual([]);
});

it('An update takes what the import left out, where its box is ticked', LONG, async () => {
  const owner = await world.user();
  const browser = await signedIn(world, owner);
  await browser.get(AT);
  const given = fields(owner.username, { parts: 'issues' });
  await browser.submit(AT, given);
  await world.idle();
  const at = `/${owner.username}/${given.name}/-/import`;
  await browser.get(at);
  const offered = () => [...browser.page.matchAll(/name="parts" value="(\w+)"/g)].map(([, part]) => part);
  const others = ['merge_requests', 'protected_branches', 'members', 'attachments', 'packages', 'images'];
  expect(offered().toSorted()).toEqual([...others, 'releases', 'wiki'].toSorted());
  await browser.submit(`${at}/update`, { token: TOKEN, parts: 'releases' });
  expect(browser.answer.status).toBe(303);
  await world.idle();
  await browser.get(at);
  expect(browser.page).toContain('The project was brought up to date');
  expect(offered()).not.toContain('releases');
  const project = encodeURIComponent(`${owner.username}/${given.name}`);
  expect((await world.api(owner).get(`/projects/${project}/releases`)).body).toHaveLength(1);
});

it('What is wrong is said at its field, and the token is not sent back', async () => {
  const owner = await world.user();
  const browser = await signedIn(world, owner);
  const refused = async (more: Record<string, string>, language = 'en') => {
    await browser.get(AT);
    const [, token = ''] = /name="authenticity_token" value="([^"]*)"/.exec(browser.page) ?? [];
    const sent = { authenticity_token: token, ...fields(owner.username, { parts: 'issues', ...more }) };
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Accept-Language': language };
    await browser.request('POST', AT, { headers, body: new URLSearchParams(sent).toString() });
    expect(browser.answer.status).toBe(422);
    expect(browser.page).not.toContain('ghp_');
    expect([ticked(browser.page, 'issues'), ticked(browser.page, 'wiki')]).toEqual([true, false]);
    return /id="(\w+)-problem">([^<]*)</.exec(browser.page)?.slice(1, 3);
  };
  const wrong = 'Access token is wrong, or may not read the project';
  expect(await refused({ token: 'ghp_wrong' })).toEqual(['token', wrong]);
  expect(await refused({ path: 'octo-org/none' })).toEqual([
    'path',
    'Project is of no project that the token may read',
  ]);
  expect(await refused({ path: 'none' })).toEqual(['path', 'Project is not the path of a project, or its ID']);
  expect(await refused({ url: 'http://127.0.0.1:1' })).toEqual(['url', expect.stringContaining('not a public one')]);
  expect(await refused({ token: 'ghp_wrong' }, 'de')).toEqual([
    'token',
    'Zugriffstoken ist falsch oder darf das Projekt nicht lesen',
  ]);
  await world.api(await world.user({ admin: true })).put('/application/settings', { import_sources: ['git'] });
  try {
    await browser.submit(AT, fields(owner.username));
    expect(browser.answer.status).toBe(422);
    expect(browser.page).toContain('Projects cannot be imported from GitHub');
  } finally {
    const sources = ['git', 'gitlab_project', 'github'];
    await world.api(await world.user({ admin: true })).put('/application/settings', { import_sources: sources });
  }
});

it('An import that is under way is canceled after a question', LONG, async () => {
  const owner = await world.user();
  const browser = await signedIn(world, owner);
  await browser.get(AT);
  const given = fields(owner.username, { parts: 'issues' });
  github.interfere = (asked, response) => {
    if (!asked.url?.includes('/issues')) return false;
    response.writeHead(429, { 'Retry-After': '3600' }).end();
    return true;
  };
  try {
    await browser.submit(AT, given);
    const at = `/${owner.username}/${given.name}`;
    await world.until(async () => {
      await browser.get(`${at}/-/import`);
      return browser.page.includes('takes no more requests');
    });
    expect(browser.page).toContain('data-live=""');
    await browser.get(at);
    expect(browser.page).toContain(`href="${at}/-/import"`);
    // Who reads the project may watch, and not cancel.
    const reader = await world.user();
    await world.api(owner).post(`/projects/${encodeURIComponent(at.slice(1))}/members`, {
      ...{ user_id: reader.id, access_level: 20 },
    });
    const theirs = await signedIn(world, reader);
    await theirs.get(`${at}/-/import`);
    expect(theirs.page).toContain('takes no more requests');
    expect(theirs.page).not.toContain('/import/cancel');
    expect((await theirs.confirm(`${at}/-/import/cancel`)).status).toBe(422);
    await browser.get(`${at}/-/import`);
    await browser.submit(`${at}/-/import/cancel`);
    expect(browser.page).toContain('Cancel the import?');
    await browser.confirm(`${at}/-/import/cancel`);
    expect(browser.answer.headers.location).toBe(`${at}/-/import`);
    await browser.follow();
    expect(browser.page).toContain('The import was canceled. The project is empty.');
    await browser.confirm(`${at}/-/import/cancel`);
    expect(browser.page).toContain('The import cannot be canceled because it is canceled');
  } finally {
    github.interfere = () => false;
  }
});

it('Imports from archives and repositories have the page as well; other projects have none', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const browser = await signedIn(world, owner);
  expect((await browser.get(`/${project.fullPath}/-/import`)).status).toBe(404);
  const data = { importStatus: 'failed', importError: 'The archive is damaged.' } as const;
  await world.db.project.update({ where: { id: project.id }, data });
  await browser.get(`/${project.fullPath}`);
  expect(browser.page).toContain('See why');
  await browser.get(`/${project.fullPath}/-/import`);
  expect(browser.page).toContain('The archive is damaged.');
  expect(browser.page).not.toContain('/import/cancel');
});

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { importSettings } from '#src/platform/outbound/options.ts';
import { Front } from '../support/front.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

/** The server that is moved from, and the one that is moved to. */
const there = await startWorld();
const world = await startWorld();
const ada = await there.user();
let front: Front;
let source: { id: number; fullPath: string };

beforeAll(async () => {
  front = await Front.start(there.url);
  source = await there.group({ owner: ada });
  await there.api(ada).post(`/groups/${source.id}/labels`, { name: 'bug', color: '#ff0000' });
  await there.api(ada).post(`/groups/${source.id}/variables`, { key: 'SECRET_KEY', value: 'never told' });
});
afterAll(() => front.stop());
beforeEach(() => {
  front.interfere = () => false;
  Object.assign(world.imports, importSettings({ hosts: [front.host], timeout: 60_000 }));
});

const AT = '/groups/import/server';

const fields = (more: Record<string, string> = {}) => ({
  ...{ url: front.url, token: ada.token, path: source.fullPath, slug: world.unique('moved'), parent: '' },
  ...more,
});

it('A group of another server is chosen on a page, watched while it comes, and told of what was left out', async () => {
  const mover = await world.user();
  const browser = await signedIn(world, mover);
  await browser.get('/groups/new');
  expect(browser.page).toContain(`id="import"`);
  expect(browser.page).toContain(`href="${AT}"`);
  await browser.get(AT);
  for (const box of ['projects', 'members']) expect(browser.page).toContain(`name="${box}" value="1" checked`);
  const given = fields();
  await browser.submit(AT, given);
  expect(browser.answer.status).toBe(303);
  const progress = String(browser.answer.headers.location);
  expect(progress).toMatch(/^\/groups\/import\/server\/\d+$/);
  const id = Number(progress.slice(AT.length + 1));
  expect(await world.db.bulkImportEntity.findFirst({ where: { bulkImportId: id } })).toMatchObject({
    ...{ migrateProjects: false, migrateMemberships: false },
  });
  await world.until(async () => (await world.api(mover).get(`/bulk_imports/${id}`)).body.status === 'finished');
  await browser.get(progress);
  expect(browser.page).toContain('The import has ended.');
  expect(browser.page).toContain(`href="/groups/${given.slug}"`);
  expect(browser.page).toContain('Labels 1 of 1');
  expect(browser.page).toContain('<code>SECRET_KEY</code>');
  expect(browser.page).not.toContain('data-live');
  expect(browser.page).not.toContain(ada.token);
  const other = await signedIn(world, await world.user());
  await other.get(progress);
  expect(other.answer.status).toBe(404);
});

it('What is wrong is said beside its field, and the token is not shown again', LONG, async () => {
  const browser = await signedIn(world, await world.user());
  await browser.get(AT);
  await browser.submit(AT, fields({ path: 'not/there', projects: '1' }));
  expect(browser.answer.status).toBe(422);
  expect(browser.page).toContain('is of no group that the token may read');
  expect(browser.page).toContain('name="projects" value="1" checked');
  expect(browser.page).not.toContain('name="members" value="1" checked');
  expect(browser.page).not.toContain(ada.token);
});

it('An import is canceled on its page, after a question', LONG, async () => {
  const mover = await world.user();
  const browser = await signedIn(world, mover);
  await browser.get(AT);
  await browser.submit(AT, fields());
  const progress = String(browser.answer.headers.location);
  const id = Number(progress.slice(AT.length + 1));
  await world.until(async () => (await world.api(mover).get(`/bulk_imports/${id}`)).body.status === 'finished');
  const data = { status: 'started', token: Buffer.from('x') } as const;
  await world.db.bulkImport.update({ where: { id }, data });
  await browser.get(progress);
  expect(browser.page).toContain('data-live');
  await browser.submit(`${progress}/cancel`);
  expect(browser.page).toContain('Cancel the import?');
  await browser.confirm(`${progress}/cancel`);
  expect((await world.api(mover).get(`/bulk_imports/${id}`)).body.status).toBe('canceled');
});

import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Browser } from '../support/browser.ts';
import { signedIn } from '../support/oauth.ts';
import { attached, exported } from '../support/project_archives.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const AT = '/projects/import/archive';

/** Bytes of an attached file. */
const FILE_BYTES = 8 * 1024 * 1024;

/** Sends the form as a browser does, with a file unless it is null. */
async function send(browser: Browser, content: Uint8Array | null, fields: Record<string, string>): Promise<void> {
  await browser.get(AT);
  const [, token = ''] = /name="authenticity_token" value="([^"]+)"/.exec(browser.page) ?? [];
  const form = new FormData();
  for (const [key, value] of Object.entries({ authenticity_token: token, name: '', ...fields })) form.set(key, value);
  form.set('file', content === null ? new File([], '') : new File([new Uint8Array(content)], 'project.tar.gz'));
  const request = new Request('http://x', { method: 'POST', body: form });
  const headers = { 'Content-Type': request.headers.get('Content-Type') ?? '' };
  await browser.request('POST', AT, { headers, body: new Uint8Array(await request.arrayBuffer()) });
}

async function archived(owner: TestUser, bytes = 0): Promise<Buffer> {
  const project = await world.project({ owner, description: 'Packed & sent' });
  await world.api(owner).post(`/projects/${project.id}/issues`, { title: 'Came along' });
  for (let left = bytes; left > 0; left -= FILE_BYTES)
    await attached(world, project, owner, `${left}.bin`, randomBytes(FILE_BYTES / 2).toString('hex'));
  return exported(world, world.api(owner), owner, project);
}

it('An archive becomes a project on a page, whatever its size is below the limit of the server', async () => {
  const owner = await world.user();
  // More than other forms may have.
  const archive = await archived(owner, 3 * FILE_BYTES);
  expect(archive.length).toBeGreaterThan(10 * 1024 * 1024);
  const browser = await signedIn(world, owner);
  await browser.get('/projects/new');
  expect(browser.page).toContain(`href="${AT}?namespace=${owner.username}"`);
  const path = world.unique('unpacked');
  await send(browser, archive, { path, namespace: owner.username });
  expect([browser.answer.status, browser.answer.headers.location]).toEqual([
    303,
    `/${owner.username}/${path}/-/import`,
  ]);
  await world.idle();
  await browser.get(`/${owner.username}/${path}/-/import`);
  expect(browser.page).toContain('The project was imported.');
  const { body } = await world.api(owner).get(`/projects/${owner.username}%2F${path}/issues`);
  expect(body).toEqual([expect.objectContaining({ title: 'Came along' })]);
});

it('What is wrong with an archive is said at its field, and nothing is made', async () => {
  const owner = await world.user();
  const browser = await signedIn(world, owner);
  const path = world.unique('refused');
  const fields = { path, namespace: owner.username };
  const problem = () => /id="(\w+)-problem">([^<]*)</.exec(browser.page)?.slice(1, 3);
  await send(browser, Buffer.from('no archive'), fields);
  expect(browser.answer.status).toBe(422);
  expect(problem()).toEqual(['file', expect.stringMatching(/is not an archive that is compressed by gzip$/)]);
  await send(browser, null, fields);
  expect([browser.answer.status, problem()?.[0]]).toEqual([422, 'file']);
  await send(browser, Buffer.from('1f8b', 'hex'), { ...fields, path: 'no path' });
  expect([browser.answer.status, problem()?.[0]]).toEqual([422, 'path']);
  // A namespace in which the user may not create anything.
  const other = await world.group({ owner: await world.user() });
  await send(browser, Buffer.from('1f8b', 'hex'), { ...fields, namespace: other.fullPath });
  expect(browser.answer.status).toBeGreaterThanOrEqual(400);
  expect((await world.api(owner).get(`/projects/${owner.username}%2F${path}`)).status).toBe(404);
});

it('Archives that are larger than the settings allow are not received, nor those of visitors', async () => {
  const admin = await world.user({ admin: true });
  const browser = await signedIn(world, admin);
  const fields = { path: world.unique('large'), namespace: admin.username };
  await world.api(admin).put('/application/settings', { max_import_size: 1 });
  try {
    await browser.get(AT);
    expect(browser.page).toContain('at most 1 MB');
    await send(browser, Buffer.alloc(3 * 1024 * 1024), fields);
    expect(browser.answer.status).toBe(413);
    await send(browser, Buffer.alloc(1024 * 1024 + 1), fields);
    expect(browser.answer.status).toBe(413);
  } finally {
    await world.api(admin).put('/application/settings', { max_import_size: 0 });
  }
  const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
  const visitor = await world.send('POST', AT, { headers, body: '--x--' });
  expect([visitor.status, visitor.headers.location]).toEqual([303, expect.stringContaining('/users/sign_in')]);
});

it('Archives are refused where the settings allow none', async () => {
  const admin = await world.user({ admin: true });
  const archive = await archived(admin);
  const browser = await signedIn(world, admin);
  const sources = (await world.api(admin).get('/application/settings')).body.import_sources;
  await world.api(admin).put('/application/settings', { import_sources: ['git'] });
  try {
    await send(browser, archive, { path: world.unique('none'), namespace: admin.username });
    expect(browser.answer.status).toBeGreaterThanOrEqual(400);
    expect(browser.page).toContain('Projects cannot be imported from archives');
  } finally {
    await world.api(admin).put('/application/settings', { import_sources: sources });
  }
});

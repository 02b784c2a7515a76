// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { startCommittingWorld } from '../support/commits.ts';
import { signedIn } from '../support/oauth.ts';

const { world, owner, reporter, filled, committed } = await startCommittingWorld();

it('compares what a form names, and offers a merge request to those who can open one', async () => {
  const { project, at } = await filled([{ action: 'create', file_path: 'a.txt', content: 'one\n' }]);
  await world.api(owner).post(`${at}/branches`, { branch: 'feature/x', ref: 'master' });
  const more = { branch: 'feature/x', commit_message: 'Add <b>two</b>' };
  await committed(at, [{ action: 'update', file_path: 'a.txt', content: 'one\ntwo\n' }], more);
  const browser = await signedIn(world, owner);
  await browser.get(`/${project.fullPath}/-/compare`);
  expect(browser.page).toContain('<option value="feature/x">');
  await browser.get(`/${project.fullPath}/-/compare?from=master&to=feature%2Fx`);
  expect(browser.page).toContain('Add &lt;b&gt;two&lt;/b&gt;');
  await browser.get(`/${project.fullPath}/-/compare/master...feature/x`);
  expect(browser.page).toContain('Add &lt;b&gt;two&lt;/b&gt;');
  expect(browser.page).toContain('1 file changed');
  expect(browser.page).toContain(
    'merge_requests/new?merge_request%5Bsource_branch%5D=feature%2Fx&amp;merge_request%5Btarget_branch%5D=master',
  );
  await browser.get(`/${project.fullPath}/-/compare/feature/x...master`);
  expect(browser.page).not.toContain('Add &lt;b&gt;');
  expect(browser.page).not.toContain('merge_requests/new?');
  expect((await browser.get(`/${project.fullPath}/-/compare/master...none`)).status).toBe(404);
});

it('lists, finds, creates and deletes branches, as far as the caller may', async () => {
  const { project, at } = await filled([{ action: 'create', file_path: 'a.txt', content: 'one\n' }]);
  await world.api(owner).post(`${at}/branches`, { branch: 'other', ref: 'master' });
  await committed(at, [{ action: 'create', file_path: 'b.txt', content: 'b' }], {
    branch: 'other',
  });
  const address = `/${project.fullPath}/-/branches`;
  const browser = await signedIn(world, owner);
  await browser.get(`${address}?search=OTH`);
  expect(browser.page).toContain('>other</a>');
  expect(browser.page).not.toContain('>master</a>');
  await browser.submit(address, { name: 'a b', ref: 'master' });
  expect(browser.answer.status).toBe(422);
  await browser.submit(address, { name: 'topic', ref: 'master' });
  await browser.follow();
  expect(browser.page).toContain('>topic</a>');
  expect(browser.page).toContain('> merged</span>');
  await browser.confirm(`${address}/delete`, { name: 'topic' });
  expect(browser.answer.headers.location).toBe(address);
  await browser.follow();
  expect(browser.page).not.toContain('>topic</a>');
  expect(browser.page).not.toContain('Delete branch master');
  const reading = await signedIn(world, reporter);
  await reading.get(address);
  expect(reading.page).toContain('>other</a>');
  expect(reading.page).not.toContain('New branch');
  expect(reading.page).not.toContain('Delete branch');
  expect((await reading.confirm(`${address}/delete`, { name: 'other' })).status).toBe(403);
  expect((await world.api(owner).get(`${at}/branches/other`)).status).toBe(200);
});

it('says how far branches and the default branch have parted, in as many statements for many as for few', async () => {
  const { project, at } = await filled([{ action: 'create', file_path: 'a.txt', content: 'one\n' }]);
  for (const branch of ['ahead', 'behind']) await world.api(owner).post(`${at}/branches`, { branch, ref: 'master' });
  const add = (branch: string, name: string) =>
    committed(at, [{ action: 'create', file_path: name, content: name }], { branch });
  await add('ahead', '1');
  await add('ahead', '2');
  await add('master', '3');
  const address = `/${project.fullPath}/-/branches`;
  const browser = await signedIn(world, owner);
  const shown = async () => {
    await browser.get(address);
    const rows = browser.page.split('<li class="row">').slice(1);
    return rows.map((row) => [
      /row-title"[^>]*>([^<]*)</.exec(row)?.[1],
      /([\d,+]+) behind · ([\d,+]+) ahead/.exec(row)?.slice(1),
    ]);
  };
  expect(await shown()).toEqual([
    ['ahead', ['1', '2']],
    ['behind', ['1', '0']],
    ['master', undefined],
  ]);
  const few = (await world.statements(() => browser.get(address))).length;
  for (const branch of ['x', 'y', 'z']) {
    await world.api(owner).post(`${at}/branches`, { branch, ref: 'ahead' });
    await add(branch, branch);
  }
  expect((await shown()).find(([name]) => name === 'z')).toEqual(['z', ['1', '3']]);
  expect(await world.statements(() => browser.get(address))).toHaveLength(few);
});

it('lists tags with their messages, shows the release notes of each to everyone who can read the files, and creates and deletes them', async () => {
  const { project } = await filled([{ action: 'create', file_path: 'a.txt', content: 'one\n' }], {
    visibility: 'public',
  });
  const address = `/${project.fullPath}/-/tags`;
  const browser = await signedIn(world, owner);
  await browser.get(address);
  const notes = { releaseDescription: '**New** <script>alert(1)</script>', message: 'First <i>one</i>' };
  await browser.submit(address, { name: 'v1', ref: 'master', ...notes });
  await browser.follow();
  expect(browser.page).toContain(`/${project.fullPath}/-/releases/v1"`);
  expect(browser.page).toContain('First &lt;i&gt;one&lt;/i&gt;');
  expect(browser.page).not.toContain('<script>alert');
  await browser.submit(address, { name: 'v1', ref: 'master' });
  expect(browser.page).toContain('role="alert"');
  const visitor = new Browser(world.send);
  await visitor.get(address);
  expect(visitor.page).not.toContain('New tag');
  await visitor.get(`${address}/v1`);
  expect(visitor.page).toContain('<strong>New</strong>');
  expect(visitor.page).not.toContain('<script>alert');
  await browser.confirm(`${address}/delete`, { name: 'v1' });
  await browser.follow();
  expect(browser.page).toContain('There are no tags yet.');
});

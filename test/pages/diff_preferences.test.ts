// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { startCommittingWorld } from '../support/commits.ts';
import { signedIn } from '../support/oauth.ts';

const { world, owner, filled, committed } = await startCommittingWorld();

it('shows changes one file at a time, or without those of whitespace, to users who want that', async () => {
  const { project, at } = await filled([
    { action: 'create', file_path: 'a.txt', content: 'if (one) {\ntwo();\n}\nthree\n' },
    { action: 'create', file_path: 'b.txt', content: 'b\n' },
    { action: 'create', file_path: 'c.txt', content: 'c  c\n' },
  ]);
  const { id } = await committed(at, [
    { action: 'update', file_path: 'a.txt', content: 'if (one) {\n  two();\n}\nfour\n' },
    { action: 'update', file_path: 'b.txt', content: 'B\n' },
    { action: 'update', file_path: 'c.txt', content: 'c c\n' },
  ]);
  const browser = await signedIn(world, owner);
  const address = `/${project.fullPath}/-/commit/${id}`;
  const files = () => [...browser.page.matchAll(/aria-label="Changes of ([^"]*)"/g)].map(([, name]) => name);
  const removed = () =>
    [...browser.page.matchAll(/<td class="r">(.*?)<\/td>/g)].map(([, text]) => text?.replace(/<\/?b>/g, ''));
  await browser.get(address);
  expect([files(), removed()]).toEqual([
    ['a.txt', 'b.txt', 'c.txt'],
    ['two();', 'three', 'b', 'c  c'],
  ]);
  await browser.get('/profile');
  await browser.submit('/profile/preferences', { viewDiffsFileByFile: 'true', showWhitespaceInDiffs: 'true' });
  expect(browser.answer.headers.location).toBe('/profile/preferences');
  await browser.get(address);
  expect(files()).toEqual(['a.txt']);
  const [, next = ''] = /rel="next" href="([^"]*)"/.exec(browser.page) ?? [];
  await browser.get(next.replaceAll('&amp;', '&'));
  expect(files()).toEqual(['b.txt']);
  await browser.get('/profile');
  await browser.submit('/profile/preferences', {
    viewDiffsFileByFile: 'false',
    showWhitespaceInDiffs: 'false',
    diffView: 'split',
  });
  await browser.get(address);
  expect([files(), removed()]).toEqual([
    ['a.txt', 'b.txt'],
    ['three', 'b'],
  ]);
  expect(browser.page).toContain('Only whitespace has changed, which you chose not to see.');
  expect(browser.page).toContain('  two();');
  expect(browser.page).toContain('class="diff split"');
  await browser.get(`${address}?view=unified`);
  expect(browser.page).not.toContain('class="diff split"');
});

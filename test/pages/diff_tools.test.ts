import { expect, it } from 'vitest';
import { startCommittingWorld } from '../support/commits.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';

const { world, owner, filled, committed } = await startCommittingWorld();

it('changes of whitespace alone are left out by the address, whatever the reader usually wants', async () => {
  const { project, at } = await filled([{ action: 'create', file_path: 'a.txt', content: 'one\nsame\ntwo\n' }]);
  const { id } = await committed(at, [{ action: 'update', file_path: 'a.txt', content: '  one\nsame\nTWO\n' }]);
  const browser = await signedIn(world, owner);
  const address = `/${project.fullPath}/-/commit/${id}`;
  const removed = async (query: string) => {
    await browser.get(address + query);
    return [...browser.page.matchAll(/<td class="r">(.*?)<\/td>/g)].map(([, text]) => text?.replace(/<[^>]*>/g, ''));
  };
  expect(await removed('')).toEqual(['one', 'two']);
  expect(browser.page).toContain(`href="${address}?w=1">Hide whitespace</a>`);
  expect(await removed('?w=1')).toEqual(['two']);
  expect(browser.page).toContain(`href="${address}" aria-current="true">Hide whitespace</a>`);
  await browser.get('/profile');
  await browser.submit('/profile/preferences', { showWhitespaceInDiffs: 'false' });
  expect(await removed('')).toEqual(['two']);
  expect(browser.page).toContain(`href="${address}?w=0" aria-current="true">Hide whitespace</a>`);
  expect(await removed('?w=0')).toEqual(['one', 'two']);
});

it('a commit leads to the branches and tags that contain it', LONG, async () => {
  const { project, at } = await filled([{ action: 'create', file_path: 'a.txt', content: 'a\n' }]);
  await world.api(owner).post(`${at}/branches`, { branch: 'before', ref: 'master' });
  const { id } = await committed(at, [{ action: 'update', file_path: 'a.txt', content: 'b\n' }]);
  await world.api(owner).post(`${at}/branches`, { branch: 'after', ref: 'master' });
  await world.api(owner).post(`${at}/tags`, { tag_name: 'v1', ref: 'master' });
  const browser = await signedIn(world, owner);
  await browser.get(`/${project.fullPath}/-/commit/${id}`);
  expect(browser.page).toContain(`href="/${project.fullPath}/-/commit/${id}/refs"`);
  await browser.get(`/${project.fullPath}/-/commit/${id}/refs`);
  const names = [...browser.page.matchAll(/class="row-title" href="[^"]*">([^<]*)</g)].map(([, name]) => name);
  expect(names).toEqual(['after', 'master', 'v1']);
});

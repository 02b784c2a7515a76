// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { noticeOn } from '../support/browser.ts';
import { startCommittingWorld } from '../support/commits.ts';
import { signedIn } from '../support/oauth.ts';

const { world, owner, reporter, filled, committed } = await startCommittingWorld();

/** A merge request that changes the second line of a file, with the address of its changes. */
async function requested() {
  const { project, at } = await filled([{ action: 'create', file_path: 'a.txt', content: 'one\ntwo\nthree\n' }]);
  await world.api(owner).post(`${at}/branches`, { branch: 'topic', ref: 'master' });
  await committed(at, [{ action: 'update', file_path: 'a.txt', content: 'one\n2\nthree\n' }], {
    branch: 'topic',
  });
  const asked = { source_branch: 'topic', target_branch: 'master', title: 'Change <i>it</i>' };
  const { body } = await world.api(owner).post(`/projects/${project.id}/merge_requests`, asked);
  return { project, at, iid: body.iid, address: `/${project.fullPath}/-/merge_requests/${body.iid}/diffs` };
}

/** The hidden fields of the form on a line. */
function fieldsOf(page: string): Record<string, string> {
  const [form = ''] = /<form class="stack wide" id="form"[\s\S]*?<\/form>/.exec(page) ?? [];
  const fields = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
}

it('shows the changes with the threads on their lines, which are answered, resolved and opened again there', async () => {
  const { address } = await requested();
  const browser = await signedIn(world, owner);
  await browser.get(address);
  expect(browser.answer.status).toBe(200);
  expect(browser.page).not.toContain('<i>it</i>');
  const [, line = ''] = /line=(f[0-9a-f]{8}__2)#form/.exec(browser.page) ?? [];
  await browser.get(`${address}?line=${line}`);
  const fields = fieldsOf(browser.page);
  await browser.submit(`${address}?line=${line}`, { ...fields, body: '' });
  expect(browser.answer.status).toBe(422);
  expect(browser.page).toMatch(/field-problem/);
  await browser.submit(`${address}?line=${line}`, { ...fields, body: 'Why <script>x</script> *two*?' });
  expect(browser.answer.headers.location).toMatch(/\/diffs#note_\d+$/);
  await browser.follow();
  expect(browser.page).toMatch(/<td class="talk"[\s\S]*<em>two<\/em>/);
  expect(browser.page).not.toContain('<script>x');
  const [, thread = ''] = /name="discussionId" value="([^"]*)"/.exec(browser.page) ?? [];
  expect(browser.page).toMatch(/href="#note_\d+" data-next-thread>Next open thread/);
  await browser.submit(`${address}/replies`, { discussionId: thread, body: 'Because' });
  await browser.follow();
  expect(browser.page).toContain('Because');
  await browser.submit(`${address}/resolve`, { id: thread, resolved: 'true' });
  await browser.follow();
  expect(browser.page).toContain('Resolved thread');
  expect(browser.page).not.toContain('data-next-thread');
  const reading = await signedIn(world, reporter);
  await reading.get(address);
  expect(reading.page).toContain('Because');
  expect(reading.page).not.toContain('Unresolve thread');
  expect((await (await signedIn(world, await world.user())).get(address)).status).toBe(404);
});

it('keeps the comments of a review to their author until it is published', async () => {
  const { address } = await requested();
  const browser = await signedIn(world, reporter);
  await browser.get(address);
  const [, line = ''] = /line=(f[0-9a-f]{8}_2_)#form/.exec(browser.page) ?? [];
  await browser.get(`${address}?line=${line}`);
  expect(browser.page).toContain('Comment on removed line 2');
  const fields = fieldsOf(browser.page);
  for (const body of ['First thought', 'Dropped thought'])
    await browser.submit(`${address}/drafts?line=${line}`, { ...fields, body });
  const [, draft] = /#(draft_\d+)$/.exec(browser.answer.headers.location ?? '') ?? [];
  await browser.follow();
  // It leads back to the line that the review was begun at.
  expect(browser.page).toContain(`<section class="talk-thread" id="${draft}"`);
  expect(noticeOn(browser.page)).toContain('added to your review');
  expect(browser.page).toContain('2 comments that only you can see');
  const author = await signedIn(world, owner);
  await author.get(address);
  expect(author.page).not.toContain('thought');
  const ids = [...browser.page.matchAll(/name="id" value="([^"]*)">\s*<button class="danger"/g)].map(
    ([, id]) => id ?? '',
  );
  await browser.confirm(`${address}/drafts/delete`, { id: ids[1] ?? '' });
  await browser.submit(`${address}/publish`);
  await author.get(address);
  expect(author.page).toContain('First thought');
  expect(author.page).not.toContain('Dropped thought');
});

it('offers to apply a suggestion to those who may, and shows earlier versions with what was said of them', async () => {
  const { address } = await requested();
  const browser = await signedIn(world, owner);
  await browser.get(address);
  const [, line = ''] = /line=(f[0-9a-f]{8}__2)#form/.exec(browser.page) ?? [];
  await browser.get(`${address}?line=${line}`);
  const body = 'Better:\n```suggestion\nzwei\n```';
  await browser.submit(address, { ...fieldsOf(browser.page), body });
  await browser.follow();
  const [, id = ''] =
    /name="id" value="([^"]*)"><button class="second" type="submit">Apply suggestion/.exec(browser.page) ?? [];
  const reader = await signedIn(world, reporter);
  await reader.get(address);
  expect(reader.page).toContain('Better:');
  expect(reader.page).not.toContain('Apply suggestion');
  await browser.submit(`${address}/apply`, { id });
  expect(browser.answer.status).toBe(303);
  await world.idle();
  await browser.get(address);
  expect(browser.page).toMatch(/<td class="a">[^\n]*zwei/);
  expect(browser.page).not.toContain('This is an earlier version');
  const [, version = ''] = /<option value="(\d+)"/.exec(browser.page) ?? [];
  await browser.get(`${address}?version=${version}`);
  expect(browser.page).toContain('This is an earlier version');
  expect(browser.page).not.toMatch(/<td class="a">[^\n]*zwei/);
  expect(browser.page).toContain('Better:');
  expect(browser.page).not.toContain('#form');
});

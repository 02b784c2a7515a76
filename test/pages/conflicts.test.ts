import { expect, it } from 'vitest';
import { alertsOn, noticeOn } from '../support/browser.ts';
import { lines, withConflicts } from '../support/conflicts.ts';
import { git } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { commitTo, opened } from '../support/merge_requests.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reporter = await world.user();

async function stage() {
  const project = await world.project({ owner, visibility: 'public' });
  await world.member(project, reporter, 'reporter');
  const { iid } = await withConflicts(world, project, owner);
  await world.idle();
  const base = `/${project.fullPath}/-/merge_requests/${iid}`;
  return { project, iid, base, address: `${base}/conflicts`, directory: world.repositories.directory(project) };
}

/** The hidden fields of the form, and the message. */
function fieldsOf(page: string): Record<string, string> {
  const [form = ''] = /<form class="conflicts"[\s\S]*?<\/form>/.exec(page) ?? [];
  const fields = [...form.matchAll(/<input type="hidden" name="([\w-]+)" value="([^"]*)">/g)];
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
}

it('conflicts are resolved by a choice for each region, or by the text of a file, without scripts', async () => {
  const { base, address, directory } = await stage();
  const browser = await signedIn(world, owner);
  await browser.get(base);
  expect(browser.page).toContain(`href="${address}"`);
  await browser.get(address);
  expect(browser.answer.status).toBe(200);
  expect(browser.page).toContain('Conflict 1 of 2');
  expect(browser.page).toContain('&lt;&lt;&lt;&lt;&lt;&lt;&lt; topic\nours');
  const fields = { ...fieldsOf(browser.page), 'how-0': 'choose', 'how-1': 'edit', 'text-1': 'one\r\ntwo\r\n' };
  // Nothing is lost of what was chosen where something is missing.
  await browser.submit(address, { ...fields, 'region-0-0': 'BOTH', message: 'Mine' });
  expect(browser.answer.status).toBe(422);
  expect(alertsOn(browser.page)).toEqual(['Choose what to take for each conflict.']);
  expect(browser.page).toContain('name="region-0-0" value="BOTH" checked');
  expect(browser.page).toMatch(/name="text-1"[^>]*>\none\r?\ntwo/);
  await browser.submit(address, { ...fields, 'region-0-0': 'BOTH', 'region-0-1': 'THEIRS', message: 'Mine' });
  expect(browser.answer.headers.location).toBe(base);
  await browser.follow();
  expect(noticeOn(browser.page)).toBe('The conflicts are resolved.');
  expect(browser.page).toContain('Ready to merge');
  expect(git(directory, ['show', 'topic:a.txt'])).toBe(lines({ 1: 'TWO\nzwei', 6: 'sieben' }));
  expect(git(directory, ['show', 'topic:d/b.txt'])).toBe('one\ntwo\n');
  expect(git(directory, ['log', '-1', '--format=%B', 'topic']).trim()).toBe('Mine');
  await browser.get(address);
  expect(browser.page).toContain('There are no conflicts to resolve.');
});

it('what was chosen for other commits is not taken', LONG, async () => {
  const { project, address, directory } = await stage();
  const browser = await signedIn(world, owner);
  await browser.get(address);
  const chosen = { 'region-0-0': 'OURS', 'region-0-1': 'OURS', 'region-1-0': 'OURS', message: 'Mine' };
  const fields = { ...fieldsOf(browser.page), ...chosen };
  await commitTo(world, project, owner, 'master', 'a.txt', lines({ 0: 'eins', 1: 'zwei', 6: 'sieben' }));
  await world.idle();
  const tip = git(directory, ['rev-parse', 'topic']);
  await browser.submit(address, fields);
  expect(browser.answer.status).toBe(422);
  expect(alertsOn(browser.page)).toEqual(['A branch has moved since the conflicts were shown. Resolve them again.']);
  expect(browser.page).not.toContain('value="OURS" checked');
  expect(git(directory, ['rev-parse', 'topic'])).toBe(tip);
  await browser.submit(address, { ...fieldsOf(browser.page), ...chosen });
  expect(browser.answer.status).toBe(303);
});

it('what is not resolved in the browser is named, with why', LONG, async () => {
  const { project, directory } = await stage();
  git(directory, ['branch', 'other', 'master']);
  await commitTo(world, project, owner, 'other', 'c.txt', '\0');
  await commitTo(world, project, owner, 'master', 'c.txt', '\0\0');
  const { iid } = await opened(world, project, owner, { sourceBranch: 'other' });
  await world.idle();
  const browser = await signedIn(world, owner);
  await browser.get(`/${project.fullPath}/-/merge_requests/${iid}/conflicts`);
  expect(browser.page).toMatch(/<code>c\.txt<\/code> <span class="quiet">Binary content/);
  expect(browser.page).not.toContain('<form class="conflicts"');
});

it('those who cannot push to the source branch are offered nothing, and are refused', LONG, async () => {
  const { base, address, directory } = await stage();
  const writer = await signedIn(world, owner);
  await writer.get(address);
  const chosen = { 'region-0-0': 'OURS', 'region-0-1': 'OURS', 'region-1-0': 'OURS', message: 'Mine' };
  const fields: Record<string, string> = { ...fieldsOf(writer.page), ...chosen };
  const { authenticity_token: _token, ...sent } = fields;
  const browser = await signedIn(world, reporter);
  await browser.get(base);
  expect(browser.page).not.toContain('/conflicts"');
  expect(browser.page).toContain('Resolve the conflicts in a clone');
  const tip = git(directory, ['rev-parse', 'topic']);
  await browser.submit(address, sent);
  expect(browser.answer.status).toBe(422);
  for (const page of [browser.page, await browser.get(address).then(() => browser.page)]) {
    expect(page).toContain('You need permission to push to <code>topic</code>');
    expect(page).not.toContain('zwei');
  }
  expect(git(directory, ['rev-parse', 'topic'])).toBe(tip);
});

it('lines that end in CR and LF keep their ends', LONG, async () => {
  const project = await world.project({ owner });
  await commitTo(world, project, owner, 'master', 'a.txt', 'one\r\ntwo\r\n');
  const directory = world.repositories.directory(project);
  git(directory, ['branch', 'topic', 'master']);
  await commitTo(world, project, owner, 'topic', 'a.txt', 'one\r\nTWO\r\n');
  await commitTo(world, project, owner, 'master', 'a.txt', 'one\r\nzwei\r\n');
  const { iid } = await opened(world, project, owner);
  await world.idle();
  const address = `/${project.fullPath}/-/merge_requests/${iid}/conflicts`;
  const browser = await signedIn(world, owner);
  await browser.get(address);
  const fields = { ...fieldsOf(browser.page), 'how-0': 'edit', 'text-0': 'one\r\nboth\r\n', message: 'Mine' };
  await browser.submit(address, fields);
  expect(browser.answer.status).toBe(303);
  expect(git(directory, ['show', 'topic:a.txt'])).toBe('one\r\nboth\r\n');
});

import { readdirSync, readFileSync } from 'node:fs';
import { getOperationAST } from 'graphql';
import { expect, it } from 'vitest';
import type { Form } from '#pages/engine/row.ts';
import { rows } from '#pages/index.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { noticeOn } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

const forms = rows.filter((row): row is Form => row.kind === 'form');

/** The mutations of a form, by their names in the graph. */
function mutationsOf({ operation }: Form): string[] {
  const found = getOperationAST(operation);
  if (found?.operation !== 'mutation') return [];
  return found.selectionSet.selections.flatMap((one) => (one.kind === 'Field' ? [one.name.value] : []));
}

/** What takes something away, by the first word of a mutation or the last one of a path. */
const DESTRUCTIVE =
  /^(?:delete|remove|revoke|erase|unlink|unshare|archive|transfer|move(?=Project|Group)|rotate|stop|leave|deny|reject|disable|reset|clear|purge|end(?=Session))/;
const TAKES_AWAY =
  /\/(?:delete|remove|revoke|erase|unlink\w*|unprotect|clean_up|archive|transfer|rotate|stop|leave|deny|reject|end\w*)$/;

/** Forms that want the password, or a code, in place of an answer. */
const PROVEN = ['/profile/two_factor/disable', '/profile/passkeys/remove'];

/** What refuses something that others want: they can ask again. */
const REFUSED = ['/import/source_users/:id/reject'];

const destructive = forms.filter(
  (row) =>
    ![...PROVEN, ...REFUSED].includes(row.path) &&
    (TAKES_AWAY.test(row.path) || mutationsOf(row).some((name) => DESTRUCTIVE.test(name))),
);

it('marks the label of every field that must be filled in, and no other', () => {
  const folder = packagePath('pages/views');
  const views = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.eta'));
  const wrong: string[] = [];
  let marked = 0;
  for (const view of views) {
    // What a template prints stands in braces, and all that it shows sometimes is there.
    const text = readFileSync(`${folder}/${view}`, 'utf8')
      .replace(/<%[=~]\s*(.*?)\s*%>/gs, '{$1}')
      .replace(/<%.*?%>/gs, '');
    const idsOf = (tags: RegExp, attribute: string, isMarked: (tag: string) => boolean) =>
      [...text.matchAll(tags)].flatMap(([tag]) =>
        isMarked(tag) ? `${view}: ${new RegExp(` ${attribute}="([^"]*)"`).exec(tag)?.[1]}` : [],
      );
    const required = idsOf(/<(?:input|textarea|select)\b[^>]*>/g, 'id', (tag) => /\srequired[\s>]/.test(tag));
    const labels = idsOf(/<label\b[^>]*>/g, 'for', (tag) => / class="(?:[^"]* )?required"/.test(tag));
    marked += labels.length;
    wrong.push(...required.filter((id) => !labels.includes(id)), ...labels.filter((id) => !required.includes(id)));
  }
  expect(wrong).toEqual([]);
  expect(marked).toBeGreaterThan(9);
});

it('asks before each act that takes something away', () => {
  expect(destructive.length).toBeGreaterThan(50);
  expect(destructive.filter(({ asks }) => asks === null).map(({ path }) => path)).toEqual([]);
  // The page that asks is the one at the address of the form.
  const elsewhere = destructive.filter(({ asks, path }) => asks !== null && 'kind' in asks && asks.path !== path);
  expect(elsewhere.map(({ path }) => path)).toEqual([]);
});

it('does nothing of the kind at one click: each form leads to its question', LONG, async () => {
  const admin = await world.user({ admin: true });
  const browser = await signedIn(world, admin);
  await browser.get('/explore');
  const unasked: string[] = [];
  for (const { path, asks } of destructive) {
    const address = path.replaceAll(/[:*]\w+/g, (name) =>
      name === ':project' ? 'none/such' : /:(?:id|iid)/.test(name) ? '1' : 'none',
    );
    const { status, headers, body } = await browser.submit(address, { named: 'What <b>goes</b>', name: 'a-name' });
    const isAsked =
      typeof asks === 'function'
        ? status === 200 && String(body).includes('name="confirmed" value="true"') && !String(body).includes('<b>goes')
        : status === 303 && headers.location?.split('?')[0] === address;
    if (!isAsked) unasked.push(`${address}: ${status}`);
  }
  expect(unasked).toEqual([]);
});

it.each([
  '/profile/avatar/delete',
  '/profile/emails/1/delete',
  '/profile/personal_access_tokens/1/revoke',
  '/profile/applications/revoke',
  '/profile/account/sessions',
  '/profile/account/identities/company/disconnect',
])('asks at %s, too', async (path) => {
  const browser = await signedIn(world, await world.user());
  await browser.get('/profile');
  expect((await browser.submit(path, { named: 'It' })).status).toBe(200);
  expect(browser.page).toContain('name="confirmed" value="true"');
});

it('leads to the page that asks before the private token is renewed', async () => {
  const browser = await signedIn(world, await world.user());
  await browser.get('/profile/private_token');
  expect(browser.page).toContain('name="confirmed" value="true"');
  expect((await browser.submit('/profile/private_token')).headers.location).toBe('/profile/private_token');
});

it('every form that changes something says what was done, once', async () => {
  // Those that show what was made say so in place of a notice.
  const silent = forms.filter((row) => row.says === null && row.shows === null && mutationsOf(row).length > 0);
  expect(silent.map(({ path }) => path)).toEqual([]);
  const owner = await world.user();
  const project = await world.project({ owner });
  const browser = await signedIn(world, owner);
  const at = `/${project.fullPath}/-/labels`;
  await browser.get(`${at}/new`);
  await browser.submit(at, { title: 'docs', color: '#00ff00' });
  await browser.follow();
  expect(noticeOn(browser.page)).toBe('The label was created.');
  await browser.get(at);
  expect(noticeOn(browser.page)).toBeUndefined();
});

it('says it in the language of the reader, and even where the thing is gone', LONG, async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const browser = await signedIn(world, owner);
  const at = `/${project.fullPath}/-/settings/general/delete`;
  await browser.get(at, { 'Accept-Language': 'de' });
  await browser.request('POST', at, {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Accept-Language': 'de' },
    body: new URLSearchParams({
      authenticity_token: /name="authenticity_token" value="([^"]*)"/.exec(browser.page)?.[1] ?? '',
      confirmed: 'true',
      confirmation: project.fullPath,
    }).toString(),
  });
  await browser.get('/explore', { 'Accept-Language': 'de' });
  expect(noticeOn(browser.page)).toBe('Das Projekt wurde gelöscht.');
});

it('shows no notice that this server did not write, and none to a script', LONG, async () => {
  const owner = await world.user();
  const browser = await signedIn(world, owner);
  const forged = Buffer.from('Call 0900').toString('base64url');
  for (const value of [forged, `${forged}.`, `${forged}.${'a'.repeat(43)}`, '']) {
    browser.setCookie('gantry_notice', value);
    await browser.get('/explore');
    expect(browser.page).not.toContain('0900');
  }
  await browser.submit('/projects', { name: 'Quiet', path: 'quiet' });
  await browser.get(browser.answer.headers.location ?? '', { 'Sec-Fetch-Dest': 'empty' });
  expect(noticeOn(browser.page)).toBeUndefined();
  await browser.get('/explore', { 'Sec-Fetch-Dest': 'document' });
  expect(noticeOn(browser.page)).toBe('The project was created.');
});

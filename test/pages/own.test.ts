// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { startSession } from '#src/access/credentials/sessions/session.ts';
import { alertsOn, Browser } from '../support/browser.ts';
import { signedIn } from '../support/oauth.ts';
import { encodeKey, SAMPLES } from '../support/ssh_keys.ts';
import { PASSWORD, startWorld } from '../support/world.ts';

const world = await startWorld();

/** An RSA key of 512 bits. */
const SHORT = encodeKey('ssh-rsa', [
  Buffer.from([1, 0, 1]),
  Buffer.concat([Buffer.from([0, 0x80]), Buffer.alloc(63, 1)]),
]);

it('keeps colours, layout, language and first page, which work without scripts', async () => {
  const user = await world.user();
  const browser = await signedIn(world, user);
  await browser.get('/profile/preferences');
  expect(browser.page).not.toContain('data-theme');
  const chosen = {
    theme: 'dark',
    diffView: 'split',
    firstPage: 'todos',
    preferredLanguage: 'de',
    timezone: 'Europe/Berlin',
  };
  const answer = await browser.submit('/profile/preferences', { ...chosen, viewDiffsFileByFile: ['false', 'true'] });
  expect(answer.headers.location).toBe('/profile/preferences');
  await browser.get('/profile/preferences');
  expect(browser.page).toContain('<html lang="de" data-theme="dark">');
  expect(browser.page).toContain('Ihre Einstellungen sind gespeichert.');
  expect(browser.page).toMatch(/value="Europe\/Berlin" selected/);
  expect(browser.page).toMatch(/value="split" selected/);
  expect((await browser.get('/')).headers.location).toBe('/dashboard/todos');
  expect(await world.db.user.findUniqueOrThrow({ where: { id: user.id } })).toMatchObject({
    ...{ theme: 'dark', diffView: 'split', firstPage: 'todos', viewDiffsFileByFile: true },
    ...{ preferredLanguage: 'de', timezone: 'Europe/Berlin' },
  });
  expect((await browser.submit('/profile/preferences', { timezone: 'Mars/Olympus' })).status).toBe(422);
  expect((await browser.submit('/profile/preferences', { theme: 'pink' })).status).toBe(422);
});

it('shows what somebody gets mail about everywhere and in each place, and changes it', async () => {
  const user = await world.user();
  const group = await world.group({ owner: user });
  const project = await world.project({ owner: user, namespaceId: group.id });
  const hidden = await world.project({ owner: await world.user(), visibility: 'private' });
  const browser = await signedIn(world, user);
  await browser.get('/profile/notifications');
  await browser.submit('/profile/notifications', { level: 'watch', notificationEmail: `${user.username}@example.org` });
  await browser.get('/profile/notifications');
  expect(browser.page).toMatch(/value="watch" selected/);
  expect(browser.page).toContain(`/profile/notifications/groups/${group.fullPath}"`);
  const at = `/profile/notifications/projects/${project.fullPath}`;
  await browser.get(at);
  const sent = await browser.submit(at, { level: 'custom', newIssue: ['false', 'true'], newNote: 'false' });
  expect(sent.headers.location).toBe('/profile/notifications');
  await browser.get(at);
  expect(browser.page).toMatch(/name="newIssue" value="true" checked/);
  expect(browser.page).not.toMatch(/name="newNote" value="true" checked/);
  await browser.submit(`/profile/notifications/groups/${group.fullPath}`, { level: 'disabled' });
  const rows = await world.db.notificationSetting.findMany({ where: { userId: user.id }, orderBy: { id: 'asc' } });
  expect(rows.map(({ level }) => level)).toEqual(['watch', 'custom', 'disabled']);
  expect((await browser.get(`/profile/notifications/projects/${hidden.fullPath}`)).status).toBe(404);
  expect((await browser.submit('/profile/notifications', { notificationEmail: 'x@elsewhere.org' })).status).toBe(422);
});

it('tells where somebody is signed in, and signs one browser out or all others', async () => {
  const user = await world.user();
  const start = (address: string, userAgent: string) => startSession(world.db, user.id, { address, userAgent });
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
  await start('192.0.2.7', firefox);
  await start('192.0.2.8', `<b>${'x'.repeat(400)}`);
  const browser = await signedIn(world, user);
  await browser.get('/profile/sessions');
  expect(browser.page).toContain('Firefox on Linux');
  expect(browser.page).toContain('from 192.0.2.7');
  expect(browser.page).toContain('Unknown program');
  expect(browser.page).not.toContain('<b>x');
  const { id, userAgent } = await world.db.session.findFirstOrThrow({ where: { address: '192.0.2.8' } });
  expect(userAgent).toHaveLength(255);
  const stranger = await signedIn(world, await world.user());
  await stranger.get('/profile/sessions');
  expect(stranger.page).not.toContain('192.0.2.7');
  expect((await stranger.confirm(`/profile/sessions/${id}/end`)).status).toBe(404);
  expect((await browser.confirm(`/profile/sessions/${id}/end`)).headers.location).toBe('/profile/sessions');
  expect(await world.db.session.count({ where: { userId: user.id } })).toBe(2);
  await browser.confirm('/profile/sessions/end_others');
  expect(await world.db.session.count({ where: { userId: user.id } })).toBe(1);
  expect((await browser.get('/profile/sessions')).status).toBe(200);
});

it('adds and removes SSH and GPG keys, with when they were used', async () => {
  const user = await world.user();
  const browser = await signedIn(world, user);
  await browser.get('/profile/keys');
  await browser.submit('/profile/keys', { title: 'Laptop', key: SAMPLES[0]?.key ?? '' });
  const key = await world.db.sshKey.findFirstOrThrow({ where: { userId: user.id } });
  await world.db.sshKey.update({ where: { id: key.id }, data: { lastUsedAt: new Date('2026-03-04') } });
  await browser.get('/profile/keys');
  expect(browser.page).toContain('The SSH key was added.');
  expect(browser.page).toContain('last used on 2026-03-04');
  for (const [key, problem] of [
    ['', 'blank'],
    ['no key', 'not an SSH public key'],
    ['ssh-dance AAAAC3NzaC1lZDI1NTE5AAAAI', 'a type that is not accepted'],
    ['-----BEGIN OPENSSH PRIVATE KEY-----', 'a private key'],
    ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI', 'damaged or cut off'],
    [SHORT, 'too short'],
    [SAMPLES[0]?.key ?? '', 'already in use'],
  ] as const) {
    expect((await browser.submit('/profile/keys', { title: 'Desktop', key })).status).toBe(422);
    expect(alertsOn(browser.page).join()).toContain(problem);
  }
  expect((await browser.submit('/profile/keys', { title: ' ', key: 'typed <b>' })).status).toBe(422);
  expect(browser.page).toContain('typed &lt;b&gt;');
  expect((await browser.submit('/profile/keys/gpg', { gpgKey: 'no key' })).status).toBe(422);
  expect(browser.page).toContain('id="gpg-key-problem"');
  const stranger = await signedIn(world, await world.user());
  await stranger.get('/profile/keys');
  await stranger.confirm(`/profile/keys/${key.id}/delete`);
  expect(await world.db.sshKey.count({ where: { id: key.id } })).toBe(1);
  await browser.confirm(`/profile/keys/${key.id}/delete`);
  expect(await world.db.sshKey.count({ where: { userId: user.id } })).toBe(0);
});

it('makes an archive of what the server knows of somebody, for them alone', async () => {
  const user = await world.user();
  const project = await world.project({ owner: user });
  await world.issue(project, user, { title: 'Mine to keep' });
  await world.issue(project, await world.user({ admin: true }), { title: 'Not mine' });
  const browser = await signedIn(world, user);
  await browser.get('/profile/data');
  expect((await browser.get('/profile/data/archive')).status).toBe(404);
  await browser.submit('/profile/data/export');
  await expect
    .poll(async () => (await world.db.userExport.findUnique({ where: { userId: user.id } }))?.state, {
      timeout: 30_000,
    })
    .toBe('finished');
  await browser.get('/profile/data');
  expect(browser.page).toContain('href="/profile/data/archive"');
  const cookie = { Cookie: `gantry_session=${await startSession(world.db, user.id)}` };
  const { status, body } = await fetchArchive(cookie);
  expect(status).toBe(200);
  expect(body['issues.json']).toContain('Mine to keep');
  expect(body['issues.json']).not.toContain('Not mine');
  expect(body['profile.json']).toContain(user.username);
  const { passwordHash } = await world.db.user.findUniqueOrThrow({ where: { id: user.id } });
  expect(Object.values(body).join()).not.toContain(passwordHash);
  expect((await fetchArchive({ 'PRIVATE-TOKEN': user.token })).status).toBe(404);
  const stranger = await signedIn(world, await world.user());
  expect((await stranger.get('/profile/data/archive')).status).toBe(404);
  await world.db.userExport.update({
    where: { userId: user.id },
    data: { finishedAt: new Date(Date.now() - 90_000_000) },
  });
  expect((await fetchArchive(cookie)).status).toBe(404);
});

/** The files of the archive by name. */
async function fetchArchive(headers: Record<string, string>) {
  const { gunzipSync } = await import('node:zlib');
  const answer = await fetch(`${world.url}/profile/data/archive`, { headers: { ...headers, Accept: 'text/html' } });
  const body: Record<string, string> = {};
  if (answer.status === 200) {
    const { extract } = await import('tar-stream');
    const archive = extract();
    archive.end(gunzipSync(Buffer.from(await answer.arrayBuffer())));
    for await (const entry of archive) {
      const parts: Buffer[] = [];
      for await (const part of entry) parts.push(part as Buffer);
      body[entry.header.name] = Buffer.concat(parts).toString();
    }
  }
  return { status: answer.status, body };
}

it('deletes the account of whoever types their username and shows their password', async () => {
  const user = await world.user();
  const other = await world.user();
  const project = await world.project({ owner: other, visibility: 'public' });
  const issue = await world.issue(project, user, { title: 'Stays' });
  const group = await world.group({ owner: user });
  const browser = await signedIn(world, user);
  const at = '/profile/data/delete';
  await browser.get(at);
  expect(browser.page).toContain(`You are the only owner of`);
  const right = { typedUsername: user.username, password: PASSWORD };
  expect((await browser.confirm(at, right)).status).toBe(422);
  await world.member(group, other, 'owner');
  await browser.get(at);
  expect(browser.page).toContain('1 issue');
  expect((await browser.confirm(at, { ...right, typedUsername: other.username })).status).toBe(422);
  expect((await browser.confirm(at, { ...right, password: 'wrong' })).status).toBe(422);
  expect((await browser.confirm(at, { ...right, password: '' })).status).toBe(422);
  expect(await world.db.user.count({ where: { id: user.id } })).toBe(1);
  expect((await browser.confirm(at, right)).headers.location).toBe('/users/sign_in');
  expect(await world.db.user.count({ where: { id: user.id } })).toBe(0);
  const left = await world.db.issue.findUniqueOrThrow({ where: { id: issue.id }, include: { author: true } });
  expect(left.author.ghost).toBe(true);
});

it('is for nobody who is not signed in', async () => {
  const visitor = new Browser(world.send);
  for (const path of ['preferences', 'notifications', 'sessions', 'keys', 'data'])
    expect((await visitor.get(`/profile/${path}`)).headers.location).toMatch(/^\/users\/sign_in/);
});

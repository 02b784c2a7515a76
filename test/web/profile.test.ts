import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApp } from '#src/entrances/server/app.ts';
import type { SshAddress } from '#src/platform/config/ssh_address.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { alertsOn, Browser } from '../support/browser.ts';
import { sender } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { SAMPLES } from '../support/ssh_keys.ts';
import { SECRET, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/5HKmVAAAAABJRU5ErkJggg==',
  'base64',
);
const tokenOf = (page: string) => /name="authenticity_token" value="([^"]*)"/.exec(page)?.[1] ?? '';

async function onProfile(user?: TestUser) {
  const owner = user ?? (await world.user());
  const visitor = await signedIn(world, owner);
  await visitor.get('/profile');
  const me = async () => (await world.api(owner).get('/user')).body;
  return { user: owner, visitor, me };
}

/** Sends a file as browsers do. */
async function upload(visitor: Browser, content: Uint8Array, token = tokenOf(visitor.page)) {
  const form = new FormData();
  form.set('authenticity_token', token);
  form.set('avatar', new File([new Uint8Array(content)], '../me.html', { type: 'text/html' }));
  const encoded = new Response(form);
  const body = new Uint8Array(await encoded.arrayBuffer());
  const headers = { 'Content-Type': encoded.headers.get('content-type') ?? '' };
  return visitor.request('POST', '/profile/avatar', { headers, body });
}

describe('The profile', () => {
  it('is a page for users who are signed in, marked in the navigation', async () => {
    const stranger = new Browser(world.send);
    expect((await stranger.get('/profile')).headers.location).toBe('/users/sign_in?return_to=%2Fprofile');
    const { visitor } = await onProfile();
    expect(visitor.answer.status).toBe(200);
    const current = (page: string) => [...page.matchAll(/href="([^"]*)" aria-current="(\w+)"/g)].map(([, ...of]) => of);
    expect(current(visitor.page)).toEqual([['/profile', 'page']]);
    await visitor.get('/profile/applications/new');
    expect(current(visitor.page)).toEqual([['/profile/applications', 'true']]);
    await visitor.get('/profile/private_token');
    expect(current(visitor.page)).toEqual([['/profile/personal_access_tokens', 'true']]);
    await visitor.get('/');
    expect(current(visitor.page)).toEqual([['/', 'page']]);
  });

  it('saves what others see of a user, in both APIs and in the name of the personal namespace', LONG, async () => {
    const { user, visitor, me } = await onProfile();
    const fields = {
      name: ' Ada L. ',
      bio: 'First',
      organization: 'Engines',
      location: 'London',
      website_url: 'https://ada.example',
    };
    await visitor.submit('/profile', fields);
    expect(visitor.answer.headers.location).toBe('/profile');
    expect(await me()).toMatchObject({ ...fields, name: 'Ada L.' });
    const { body } = await world.api(user).get('/namespaces');
    expect(body[0]).toMatchObject({ path: user.username });
    await visitor.follow();
    expect(visitor.page).toContain('value="Ada L."');
  });

  it('shows all mistakes beside their fields, and keeps what was typed', async () => {
    const { visitor, me } = await onProfile();
    const before = await me();
    await visitor.submit('/profile', { name: ' ', bio: 'b'.repeat(256), location: 'kept' });
    expect(visitor.answer.status).toBe(422);
    expect(alertsOn(visitor.page)).toEqual(['Name can&#39;t be blank', 'Bio is too long (maximum is 255 characters)']);
    expect(visitor.page).toContain('value="kept"');
    expect(await me()).toEqual(before);
  });

  it('takes forms of this server alone', async () => {
    const { visitor, me } = await onProfile();
    const before = await me();
    const paths = ['', '/avatar/delete', '/emails', '/emails/1/delete', '/keys', '/keys/1/delete'];
    for (const path of paths) {
      expect((await visitor.submit(`/profile${path}`, { authenticity_token: 'forged', name: 'X' })).status).toBe(422);
    }
    expect((await upload(visitor, PNG, 'forged')).status).toBe(422);
    expect(await me()).toEqual(before);
  });

  it('has the version of Gantry at its foot for those who are signed in, as GET /version beside that of the API', async () => {
    const { visitor, user } = await onProfile();
    const { version } = (await world.api(user).get('/version')).body.gantry;
    expect(visitor.page).toContain(`<footer class="foot"><p>Gantry ${version}</p></footer>`);
    const stranger = new Browser(world.send);
    await stranger.get('/');
    expect(stranger.page).toContain('<footer class="foot"><p>Gantry</p></footer>');
    const icon = await world.send('GET', '/favicon.ico');
    expect([icon.status, icon.headers['content-type']]).toEqual([200, 'image/svg+xml']);
  });
});

describe('The picture of a user', () => {
  it('is shown wherever the user is, until it is removed', async () => {
    const { user, visitor, me } = await onProfile();
    expect((await me()).avatar_url).toContain('gravatar.com');
    expect((await upload(visitor, PNG)).headers.location).toBe('/profile');
    const { avatar_url: url } = await me();
    expect(url).toMatch(new RegExp(`^${world.url}/uploads/-/system/user/avatar/${user.id}/[0-9a-f]{32}\\.png$`));
    const picture = await fetch(url);
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(PNG);
    expect(picture.headers.get('content-type')).toBe('image/png');
    expect(picture.headers.get('content-security-policy')).toContain('sandbox');
    const project = await world.project({ owner: user });
    await world.api(user).post(`/projects/${project.id}/issues`, { title: 'Seen' });
    const [issue] = (await world.api(user).get(`/projects/${project.id}/issues`)).body;
    const [member] = (await world.api(user).get(`/projects/${project.id}/members`)).body;
    expect([issue.author.avatar_url, member?.avatar_url ?? url]).toEqual([url, url]);
    await visitor.get('/profile');
    await visitor.confirm('/profile/avatar/delete');
    expect((await me()).avatar_url).toContain('gravatar.com');
    expect((await fetch(url)).status).toBe(404);
  });

  it('is a picture by its content and small, or the form says why it is not', LONG, async () => {
    const { visitor, me } = await onProfile();
    await upload(visitor, Buffer.from('<script>alert(1)</script>'));
    expect(alertsOn(visitor.page)).toEqual(['Picture must be a PNG, JPEG, GIF or WebP image']);
    await upload(visitor, Buffer.alloc(0));
    expect(alertsOn(visitor.page)).toEqual(['Picture can&#39;t be blank']);
    await upload(visitor, Buffer.concat([PNG, Buffer.alloc(200 * 1024)]));
    expect(alertsOn(visitor.page)).toEqual(['Picture is too large (maximum is 200 KB)']);
    await upload(visitor, Buffer.concat([PNG, Buffer.alloc(3_000_000)]));
    expect(visitor.answer.headers.location).toBe('/profile?problem=avatar_too_large');
    await visitor.follow();
    expect(alertsOn(visitor.page)).toEqual(['Picture is too large (maximum is 200 KB)']);
    expect((await me()).avatar_url).toContain('gravatar.com');
  });

  it('is set and cleared over GraphQL, with the rest of the profile', async () => {
    const user = await world.user();
    const query =
      'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { name bio avatarUrl } } }';
    const form = new FormData();
    form.set('operations', JSON.stringify({ query, variables: { input: { name: 'Grace', bio: 'B', avatar: null } } }));
    form.set('map', JSON.stringify({ 0: ['variables.input.avatar'] }));
    form.set('0', new File([new Uint8Array(PNG)], 'me.png'));
    const headers = { 'PRIVATE-TOKEN': user.token };
    const set = await (await fetch(`${world.url}/graphql`, { method: 'POST', headers, body: form })).json();
    expect(set.data.updateProfile.user).toEqual({
      name: 'Grace',
      bio: 'B',
      avatarUrl: expect.stringMatching(/\.png$/),
    });
    const cleared = await world.graphql(query, { input: { avatar: null, bio: null } }, user);
    expect(cleared.body.data.updateProfile.user).toMatchObject({ name: 'Grace', bio: null });
    expect(cleared.body.data.updateProfile.user.avatarUrl).toContain('gravatar.com');
    const refused = await world.graphql(query, { input: { name: '' } }, user);
    expect(refused.body.errors[0].extensions).toMatchObject({ code: 'VALIDATION_FAILED' });
    const reader = await world.token(user, ['read_user']);
    for (const [token, code] of [
      [reader, 'INSUFFICIENT_SCOPE'],
      ['nobody', 'UNAUTHENTICATED'],
    ] as const) {
      const sent = { headers: { 'PRIVATE-TOKEN': token }, body: { query, variables: { input: { name: 'X' } } } };
      const { body } = await world.send('POST', '/graphql', sent);
      expect(JSON.stringify(body)).toContain(code);
    }
    expect((await world.api(user).get('/user')).body.name).toBe('Grace');
  });
});

describe('E-mail addresses and SSH keys', () => {
  it('are added and removed on their pages', async () => {
    const { user, visitor } = await onProfile();
    const email = `${world.unique('second')}@example.net`;
    await visitor.submit('/profile/emails', { email });
    await visitor.submit('/profile/keys', { title: 'Laptop', key: SAMPLES[0]?.key ?? '' });
    await visitor.get('/profile');
    expect(visitor.page).toContain(email);
    await visitor.get('/profile/keys');
    expect(visitor.page).toContain('Laptop');
    const emails = (await world.api(user).get('/user/emails')).body;
    const keys = (await world.api(user).get('/user/keys')).body;
    expect([emails.length, keys.length]).toEqual([1, 1]);
    await visitor.confirm(`/profile/emails/${emails[0].id}/delete`);
    await visitor.confirm(`/profile/keys/${keys[0].id}/delete`);
    expect((await world.api(user).get('/user/emails')).body).toEqual([]);
    expect((await world.api(user).get('/user/keys')).body).toEqual([]);
  });

  it('are refused beside their fields, with what was typed', async () => {
    const { visitor } = await onProfile();
    const other = await world.user();
    await visitor.submit('/profile/emails', { email: 'nonsense' });
    expect([visitor.answer.status, alertsOn(visitor.page)]).toEqual([422, ['Email is invalid']]);
    await visitor.submit('/profile/emails', { email: `${other.username}@example.org` });
    expect(alertsOn(visitor.page)).toEqual(['Email has already been taken']);
    await visitor.submit('/profile/keys', { title: ' ', key: 'typed' });
    expect(alertsOn(visitor.page)).toEqual([
      'Title can&#39;t be blank',
      expect.stringMatching(/^Key is not an SSH public key, which is a type such as ssh-ed25519/),
    ]);
    expect(visitor.page).toContain('>typed</textarea>');
    // The page opens at the first mistake.
    expect(visitor.page).toMatch(/<input id="title"[^>]*autofocus/);
  });

  it('of others stay where they are', async () => {
    const owner = await world.user();
    const { id } = (await world.api(owner).post('/user/emails', { email: `${world.unique('own')}@example.net` })).body;
    const { visitor } = await onProfile();
    for (const path of [
      `emails/${id}/delete`,
      `emails/${id}/confirmation`,
      'emails/x/delete',
      'keys/99999999999/delete',
    ]) {
      await visitor.submit(`/profile/${path}`);
    }
    expect((await world.api(owner).get('/user/emails')).body).toHaveLength(1);
  });
});

describe('The address of a form', () => {
  const actions = readdirSync(packagePath('pages/views'))
    .filter((name) => name.endsWith('.eta'))
    .flatMap((view) => {
      const text = readFileSync(packagePath(`pages/views/${view}`), 'utf8');
      return [...text.matchAll(/<form[^>]*method="post"[^>]*action="(\/[^"]*)"/g)].map(([, action = '']) => action);
    });
  const addresses = [...new Set([...actions.map((action) => action.replace(/<%=.*?%>/g, '999')), '/users/password'])];

  it.each(addresses)('leads back to a page where somebody reloads what a mistake brought: %s', async (address) => {
    const { visitor } = await onProfile();
    const { status, headers } = await visitor.request('GET', address);
    // The pages at the end of a link say that it is not valid any more.
    const isOfLink = address === '/users/password/edit' || address === '/users/confirmation';
    expect([address, status]).toEqual([
      address,
      isOfLink ? 404 : expect.toSatisfy((code) => [200, 303].includes(code)),
    ]);
    if (status !== 303) return;
    await visitor.get(String(headers.location));
    // As is the page of an invitation, where the browser has followed none.
    const isOfInvitation = address.startsWith('/-/invites/');
    expect([address, visitor.answer.status]).toEqual([
      address,
      isOfInvitation ? 404 : expect.toSatisfy((code) => [200, 303].includes(code)),
    ]);
  });

  it('is one of many', () => {
    expect(addresses).toEqual(
      expect.arrayContaining(['/profile/emails', '/profile/emails/999/delete', '/profile/avatar']),
    );
    expect(addresses.length).toBeGreaterThan(20);
  });
});

describe('Where git is served over SSH', () => {
  const page = async (address: SshAddress | null) => {
    const { db } = world;
    const stores = { db, secret: SECRET, jobs: { enqueue: async () => undefined }, repositories: world.repositories };
    const app = createApp({ ...stores, uploads: world.uploads, sshAddress: () => address });
    const server = createServer(app).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { send, close } = sender(port);
    onTestFinished(close);
    const { visitor } = await onProfile();
    return String(
      (
        await send('GET', '/profile/keys', {
          headers: { cookie: `gantry_session=${visitor.cookie('gantry_session')}` },
        })
      ).body,
    );
  };

  it('the page of keys says so, with the address', async () => {
    const text = await page({ host: 'git.example.org', port: 2222 });
    expect(text).toContain('clone and push over SSH');
    expect(text).toContain('<code>ssh://git@git.example.org:2222</code>');
    expect(text).not.toContain('does not offer git over SSH');
  });

  it('and where it is not, the page of keys says that', async () => {
    const text = await page(null);
    expect(text).toContain('does not offer git over SSH');
    expect(text).not.toContain('clone and push over SSH');
  });
});

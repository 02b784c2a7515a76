// One part in depth, which the long run has.
// @module-tag long
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import type { Browser } from '../support/browser.ts';
import { application, decide, settle, signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

/* The programs of examples/oauth, which docs/oauth.md shows, against a server. */
const world = await startWorld();
const owner = await world.user();
const user = await world.user();

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill();
  child = undefined;
});

/** Starts an example; `seen` waits until its output matches. */
function example(file: string, env: Record<string, string>) {
  const own = { PATH: process.env.PATH, ISSUER: world.url, ...env };
  const program = spawn(process.execPath, [packagePath(`examples/oauth/${file}`)], { env: own });
  child = program;
  let output = '';
  for (const stream of [program.stdout, program.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  const seen = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(output);
      if (found) return found;
      if (program.exitCode !== null) throw new Error(`${file} ended: ${output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return { program, seen };
}

describe('The web server', () => {
  const HOME = 'http://localhost:3000';

  it('signs people in, reads their projects, renews its tokens, and gives them back', {
    timeout: 120_000,
  }, async () => {
    const project = await world.project({ owner: user, visibility: 'private' });
    const app = await application(world, owner, {
      redirectUris: [`${HOME}/callback`],
      scopes: ['openid', 'email', 'read_api'],
    });
    const { seen } = example('web.js', { CLIENT_ID: app.uid, CLIENT_SECRET: app.secret, PORT: '0', URL: HOME });
    const [, port] = await seen(/Listening on port (\d+)/);
    let cookie = '';
    const visit = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', headers: { cookie } });
      cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      return answer;
    };
    expect(await (await visit('/')).text()).toContain('Sign in with Gantry');
    const away = new URL((await visit('/sign-in')).headers.get('location') ?? '');
    expect(away.origin).toBe(world.url);
    const browser: Browser = await signedIn(world, user);
    await browser.get(away.pathname + away.search);
    await settle(browser);
    const back = await decide(browser, 'approve');
    const callback = new URL(back.headers.location ?? '');
    // An answer that was meant for another browser is of no use.
    const stranger = await fetch(`http://127.0.0.1:${port}${callback.pathname}${callback.search}`, {
      redirect: 'manual',
    });
    expect(stranger.headers.get('location')).toBe('/');
    expect((await visit(callback.pathname + callback.search)).status).toBe(302);
    const seenProjects = async () => (await visit('/')).text();
    const expected = `${user.username}@example.org\n${project.fullPath}`;
    expect(await seenProjects()).toContain(expected);
    await world.db.$executeRaw`UPDATE oauth_tokens SET expires_at = now() - interval '1 second' WHERE kind = 'access'`;
    expect(await seenProjects()).toContain(expected);
    await visit('/sign-out');
    expect(await seenProjects()).toContain('Sign in with Gantry');
    expect(await world.db.oAuthGrant.findMany({ select: { revokedAt: true } })).toEqual([
      { revokedAt: expect.any(Date) },
    ]);
  });
});

describe('The web server with Auth.js', () => {
  it('signs people in, reads their projects, and ends its access when they sign out', {
    timeout: 120_000,
  }, async () => {
    const project = await world.project({ owner: user, visibility: 'private' });
    const home = `http://127.0.0.1:${await freePort()}`;
    const app = await application(world, owner, {
      redirectUris: [`${home}/auth/callback/gantry`],
      scopes: ['openid', 'email', 'read_api'],
    });
    const { seen } = example('auth-js/server.js', {
      CLIENT_ID: app.uid,
      CLIENT_SECRET: app.secret,
      AUTH_SECRET: 'a random text of its own',
      PORT: new URL(home).port,
    });
    await seen(/Listening on port/);
    const cookies = new Map<string, string>();
    const visit = async (path: string, form?: Record<string, string>, jar = cookies) => {
      const answer = await fetch(home + path, {
        redirect: 'manual',
        headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
      });
      for (const cookie of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        if (value === '') jar.delete(name);
        else jar.set(name, value);
      }
      return answer;
    };
    const csrfToken = async () => (await (await visit('/auth/csrf')).json()).csrfToken;
    expect(await (await visit('/')).text()).toContain('Sign in');
    expect(await (await visit('/auth/signin')).text()).toContain('Sign in with Gantry');
    const away = await visit('/auth/signin/gantry', { csrfToken: await csrfToken(), callbackUrl: '/' });
    const target = new URL(away.headers.get('location') ?? '');
    expect(target.origin).toBe(world.url);
    expect(target.searchParams.get('code_challenge_method')).toBe('S256');
    const browser = await signedIn(world, user);
    await browser.get(target.pathname + target.search);
    await settle(browser);
    const { pathname, search } = new URL((await decide(browser, 'approve')).headers.location ?? '');
    // An answer that was meant for another browser is of no use.
    const strange = new Map<string, string>();
    await visit(pathname + search, undefined, strange);
    expect([...strange.keys()]).not.toContain('authjs.session-token');
    await visit(pathname + search);
    expect(await (await visit('/')).text()).toBe(
      `Hello Name of ${user.username}, ${user.username}@example.org\n${await projectsOf(project.fullPath)}`,
    );
    expect(await (await visit('/auth/session')).text()).not.toMatch(/access/);
    await visit('/auth/signout', { csrfToken: await csrfToken() });
    expect(await (await visit('/')).text()).toContain('Sign in');
    const [{ id: applicationId } = { id: 0 }] = await world.db.oAuthApplication.findMany({ where: { uid: app.uid } });
    expect(await world.db.oAuthGrant.findMany({ where: { applicationId }, select: { revokedAt: true } })).toEqual([
      { revokedAt: expect.any(Date) },
    ]);
  });
});

/** The projects of the user as the example shows them, of which one is this. */
async function projectsOf(one: string): Promise<string> {
  const { body } = await world.api(user).get('/projects?membership=true&simple=true');
  const paths = body.map((project: { path_with_namespace: string }) => project.path_with_namespace);
  expect(paths).toContain(one);
  return paths.join('\n');
}

/** A port on which nothing listens right now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('The program on the command line', () => {
  it.each([
    ['approve', /Signed in as (\S+)/, 0],
    ['deny', /Access was denied\./, 1],
  ] as const)('is told what the user decides elsewhere: %s', { timeout: 120_000 }, async (decision, said, status) => {
    const app = await application(world, owner, { confidential: false, scopes: ['read_user'] });
    const { program, seen } = example('device.js', { CLIENT_ID: app.uid });
    const [, uri, userCode = ''] = await seen(/Open (\S+) and enter (\S+)/);
    expect(uri).toBe(`${world.url}/oauth/device`);
    const browser = await signedIn(world, user);
    await browser.get('/oauth/device');
    await browser.submit('/oauth/device', { user_code: userCode });
    await browser.submit('/oauth/device/decision', { user_code: userCode, decision });
    const ended = new Promise((resolve) => program.once('exit', resolve));
    const [, username] = await seen(said);
    if (decision === 'approve') expect(username).toBe(user.username);
    expect(await ended).toBe(status);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
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

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import passport from 'passport';
import { Strategy } from 'passport-oauth2';
import { afterAll, describe, expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { sender } from '../support/http.ts';
import { application, decide, settle, signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const user = await world.user();

/** A site that signs its visitors in through Gantry: `/login` begins, `/callback` says who it is. */
async function site(pkce: boolean, wrongSecret?: string) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const callbackURL = `http://127.0.0.1:${port}/callback`;
  const registered = await application(world, await world.user(), { redirectUris: [callbackURL] });
  const strategy = new Strategy(
    {
      authorizationURL: `${world.url}/oauth/authorize`,
      tokenURL: `${world.url}/oauth/token`,
      clientID: registered.uid,
      clientSecret: wrongSecret ?? registered.secret,
      callbackURL,
      state: true,
      pkce,
    },
    (accessToken: string, _refresh: string, _profile: unknown, done: (error: null, user: object) => void) => {
      const headers = { Authorization: `Bearer ${accessToken}` };
      world.send('GET', '/api/v4/user', { headers }).then(({ body }) => done(null, body));
    },
  );
  const authenticator = new passport.Passport();
  authenticator.use(strategy);
  const sessions = {};
  const app = express();
  app.use((request, _response, next) => {
    // One visitor at a time: the session of the site is in its memory.
    Object.assign(request, { session: sessions });
    next();
  });
  const authenticate = authenticator.authenticate('oauth2', { session: false });
  app.get('/login', authenticate);
  app.get('/callback', authenticate, (request, response) => {
    response.json({ username: (request.user as { username: string }).username });
  });
  app.use(
    (error: Error & { status?: number }, _: express.Request, response: express.Response, __: express.NextFunction) => {
      response.status(error.status ?? 500).json({ error: error.message });
    },
  );
  server.on('request', app);
  const { send, close } = sender(port);
  afterAll(() => {
    close();
    server.close();
  });
  return new Browser(send);
}

/** Signs in at a site; `change` may tamper with the way back. */
async function signInAt(there: Browser, decision: 'approve' | 'deny' = 'approve', change = (url: URL) => url) {
  await there.get('/login');
  const url = new URL(there.answer.headers.location ?? '');
  const here = await signedIn(world, user);
  await here.get(url.pathname + url.search);
  await settle(here);
  await decide(here, decision);
  const back = change(new URL(here.answer.headers.location ?? ''));
  return there.get(back.pathname + back.search);
}

describe('passport-oauth2', () => {
  it.each([
    ['with a secret', false],
    ['with a secret and PKCE', true],
  ])('signs a visitor in %s', async (_, pkce) => {
    expect((await signInAt(await site(pkce))).body).toEqual({ username: user.username });
  });

  it('signs nobody in when state was tampered with', async () => {
    const tamper = (url: URL) => {
      url.searchParams.set('state', 'another');
      return url;
    };
    expect((await signInAt(await site(false), 'approve', tamper)).status).toBe(403);
  });

  it('signs nobody in when the user refuses, or its secret is wrong', async () => {
    expect((await signInAt(await site(false), 'deny')).status).toBe(401);
    expect((await signInAt(await site(false, 'gsec-wrong'))).status).toBe(500);
  });
});

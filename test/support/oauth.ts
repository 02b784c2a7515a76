import { expect } from 'vitest';
import { startSession } from '#src/access/credentials/sessions/session.ts';
import type { ApplicationRow } from '#src/domain/applications/find.ts';
import { type NewApplication, registerApplication } from '#src/domain/applications/save.ts';
import { Browser } from './browser.ts';
import type { Answer } from './http.ts';
import { PASSWORD, startWorld, type TestUser, type World } from './world.ts';

export const CALLBACK = 'https://app.example/callback?kept=1';

/** An application that may ask for everything, unless said otherwise. */
export function application(
  world: World,
  owner: TestUser,
  input: Partial<NewApplication> = {},
): Promise<ApplicationRow & { secret: string }> {
  const values = {
    name: world.unique('Application '),
    redirectUris: [CALLBACK],
    scopes: ['api', 'read_user', 'openid', 'profile', 'email'],
    confidential: true,
    ...input,
  };
  return registerApplication(world.as(owner), values) as Promise<ApplicationRow & { secret: string }>;
}

/** A browser in which somebody is signed in, without the time that looking at a password takes. */
export async function signedIn(world: World, user: TestUser): Promise<Browser> {
  const browser = new Browser(world.send);
  browser.setCookie('gantry_session', await startSession(world.db, user.id));
  return browser;
}

/** Sends a browser to ask for a code, and follows until a page is shown or another site is reached. */
export async function authorize(browser: Browser, parameters: Record<string, string>): Promise<Answer> {
  const query = new URLSearchParams({ response_type: 'code', redirect_uri: CALLBACK, ...parameters });
  await browser.get(`/oauth/authorize?${query}`);
  return settle(browser);
}

/** Follows until a page is shown or another site is reached. */
export async function settle(browser: Browser): Promise<Answer> {
  while (browser.answer.headers.location?.startsWith('/')) await browser.follow();
  return browser.answer;
}

/** Answers the consent page that is shown. */
export async function decide(browser: Browser, decision: 'approve' | 'deny'): Promise<Answer> {
  const [, action = ''] = /<form class="actions" method="post" action="([^"]*)"/.exec(browser.page) ?? [];
  await browser.submit(action, { decision });
  return settle(browser);
}

/** Whether the consent page is shown. */
export function asks(browser: Browser): boolean {
  return browser.answer.status === 200 && browser.page.includes('value="approve"');
}

/** The parameters with which a browser was sent to another site. */
export function sentBack({ headers }: Answer): Record<string, string> {
  if (!headers.location?.includes(':')) throw new Error(`not sent anywhere: ${headers.location}`);
  return Object.fromEntries(new URL(headers.location).searchParams);
}

/** The code that an application gets when the user lets it in. */
export async function code(
  browser: Browser,
  { uid }: ApplicationRow,
  parameters: Record<string, string> = {},
): Promise<string> {
  await authorize(browser, { client_id: uid, ...parameters });
  if (asks(browser)) await decide(browser, 'approve');
  return sentBack(browser.answer).code ?? '';
}

/** The headers of a request with an access token. */
export const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

/** What RFC 6749 has for a request that is refused. */
export const refused = (status: number, error: string) => ({
  status,
  body: { error, error_description: expect.any(String) },
});

/** A request of an application, as a form. */
export function post(
  world: World,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return world.send('POST', path, { headers: { ...type, ...headers }, body: new URLSearchParams(fields).toString() });
}

/** Exchanges a code. */
export function exchange(
  world: World,
  application: ApplicationRow & { secret?: string },
  given: string,
  more: Record<string, string> = {},
): Promise<Answer> {
  const { uid, secret } = application;
  return post(world, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: uid,
    ...(secret === undefined ? {} : { client_secret: secret }),
    code: given,
    redirect_uri: CALLBACK,
    ...more,
  });
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
  created_at: number;
  id_token?: string;
}

/** The tokens that an application gets when the user lets it in. */
export async function tokens(
  world: World,
  user: TestUser,
  application: ApplicationRow & { secret?: string },
  parameters: Record<string, string> = {},
): Promise<Tokens> {
  const given = await code(await signedIn(world, user), application, parameters);
  const { status, body } = await exchange(world, application, given);
  if (status !== 200) throw new Error(`no tokens: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** A world with applications and a user, who ask for tokens. */
export async function startTokenWorld() {
  const world = await startWorld();
  const owner = await world.user();
  const app = await application(world, owner);
  const publicApp = await application(world, owner, { confidential: false, redirectUris: ['https://spa.example/'] });
  const user = await world.user();
  const client = { client_id: app.uid, client_secret: app.secret };
  const whoami = (token: string) => world.send('GET', '/api/v4/user', bearer(token));
  const refresh = (refresh_token: string, more: Record<string, string> = {}) =>
    post(world, '/oauth/token', { grant_type: 'refresh_token', refresh_token, ...client, ...more });
  const password = (more: Record<string, string> = {}, headers = {}) => {
    const given = { grant_type: 'password', username: user.username, password: PASSWORD, ...more };
    return post(world, '/oauth/token', given, headers);
  };
  return { world, owner, app, publicApp, user, client, whoami, refresh, password };
}

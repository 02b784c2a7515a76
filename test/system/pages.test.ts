import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults, launchChromium, openContext } from '../support/chromium.ts';
import { printed, type ServerProcess, startServer } from '../support/server_process.ts';
import { totp } from '../support/totp.ts';

let server: ServerProcess;
let browser: Browser;

beforeAll(async () => {
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral']);
  browser = await launchChromium();
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await server?.end('SIGTERM');
});

/** A browser in which the administrator is signed in. */
async function signedIn(options: Parameters<typeof openContext>[2] = {}) {
  const opened = await openContext(browser, server.url, options);
  await opened.page.goto('/users/sign_in');
  await signInAs(opened.page, 'root');
  await opened.page.waitForURL('**/');
  return opened;
}

/** Fills in the form for signing in that a page shows. */
async function signInAs(
  page: Page,
  login: string,
  password = printed(server.output(), 'Password') ?? '',
): Promise<void> {
  await page.getByLabel('Username or email').fill(login);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const PUBLIC = [
  '/',
  '/users/sign_in',
  '/users/sign_up',
  '/users/password/new',
  '/users/confirmation/new',
  '/no/such/page',
  '/oauth/authorize?client_id=unknown&response_type=code',
  '/oauth/authorize?client_id=%00&response_type=code',
];
const OWN = [
  '/',
  '/users/sign_out',
  '/profile',
  '/profile/applications',
  '/profile/applications/new',
  '/profile/personal_access_tokens',
  '/profile/private_token',
  '/profile/account',
];

/** What GraphQL answers to the administrator. */
async function asked(query: string, variables: object): Promise<unknown> {
  const token = printed(server.output(), 'Private token') ?? '';
  const headers = { 'Content-Type': 'application/json', 'Private-Token': token };
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query, variables }),
  });
  return response.json();
}

/** The text that an editor of GraphiQL shows, in one line: it breaks long ones, with spaces of its own kind. */
async function shown(editor: Locator): Promise<string> {
  return (await editor.innerText()).replace(/\s+/g, ' ');
}

/** Whether the background of an element is light or dark; runs in the page. */
function lightness(element: Element): 'light' | 'dark' {
  // Where an element has no background of its own, the body's is seen.
  const own = getComputedStyle(element).backgroundColor;
  const background = own === 'rgba(0, 0, 0, 0)' ? getComputedStyle(document.body).backgroundColor : own;
  const [red = 0, green = 0, blue = 0] = (background.match(/[\d.]+/g) ?? []).map(Number);
  return red + green + blue > 384 ? 'light' : 'dark';
}

/** A listener on this machine at which an application waits for users that come back; what they bring is in `arrived`. */
async function listener() {
  const arrived: URL[] = [];
  const listening = createServer(async (request, response) => {
    const { url = '/', method } = request;
    // What a form brings counts as what the address does; the application goes on to a page of its own then.
    const form = method === 'POST' ? `?${await text(request)}` : '';
    if (url.startsWith('/callback')) arrived.push(new URL(url + form, 'http://127.0.0.1'));
    if (method === 'POST') return void response.writeHead(303, { Location: '/welcome' }).end();
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>Back</title><h1>Back at the application</h1>');
  });
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  return { arrived, redirectUri: `http://127.0.0.1:${port}/callback`, close: () => listening.close() };
}

/** Registers an application on the page for that. */
async function register(page: Page, name: string, redirectUri: string): Promise<{ uid: string; secret: string }> {
  await page.goto('/profile/applications');
  await page.getByRole('link', { name: 'Register an application' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByLabel('Redirect URIs').fill(redirectUri);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Register' }).click();
  const uid = await page.locator('#application-id').innerText();
  const secret = await page.locator('#secret').innerText();
  expect(await accessibilityFaults(page)).toEqual([]);
  return { uid, secret };
}

/** Fills in the passwords of the form for a new account, and sends it. */
async function createAccount(page: Page, password: string): Promise<void> {
  await page.getByLabel('New password', { exact: true }).fill(password);
  await page.getByLabel('Confirm new password').fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
}

/** Goes to the form for a new account and says who one is. */
async function introduce(page: Page, name: string, username: string): Promise<void> {
  await page.goto('/users/sign_up');
  await page.getByLabel('Full name').fill(name);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Email').fill(`${username}@example.org`);
}

/** That a page has no fault that axe finds in any colours, and fits a small screen. */
async function expectSound(page: Page, where: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect({ where, faults: await accessibilityFaults(page) }).toEqual({ where, faults: [] });
  }
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect({ where, width }).toEqual({ where, width: 320 });
}

/** The parameters with which an application sends users here. */
const question = (uid: string, redirectUri: string, more: Record<string, string> = {}) =>
  new URLSearchParams({ client_id: uid, redirect_uri: redirectUri, response_type: 'code', state: 's t%', ...more });

/** The access token that an application gets for a code. */
async function redeem(
  { uid, secret }: { uid: string; secret: string },
  code: string,
  redirectUri: string,
): Promise<string> {
  const answer = await fetch(`${server.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: uid,
      client_secret: secret,
      code,
      redirect_uri: redirectUri,
    }),
  });
  const token = (await answer.json()) as { access_token: string; token_type: string };
  expect(token.token_type).toBe('bearer');
  return token.access_token;
}

describe('the pages in a real browser', () => {
  it.each([
    { width: 1280, colorScheme: 'light' as const },
    { width: 320, colorScheme: 'dark' as const },
  ])('have no fault that axe finds, and fit, at $width pixels in $colorScheme colours', async (look) => {
    const stranger = await openContext(browser, server.url, look);
    const member = await signedIn(look);
    for (const [{ page, troubles }, paths] of [
      [stranger, PUBLIC],
      [member, OWN],
    ] as const) {
      for (const path of paths) {
        await page.goto(path);
        expect({ path, faults: await accessibilityFaults(page) }).toEqual({ path, faults: [] });
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        expect({ path, width }).toEqual({ path, width: look.width });
      }
      // The browser reports the pages that are not there or refuse something, as it should be.
      expect(troubles.filter((line) => !/status of 40[04]/.test(line))).toEqual([]);
    }
    await stranger.context.close();
    await member.context.close();
  });

  it('work with the keyboard alone and without scripts', async () => {
    const { context, page } = await openContext(browser, server.url, { javaScriptEnabled: false });
    await page.goto('/');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').innerText()).toBe('Skip to content');
    await page.goto('/users/sign_in');
    // The browser puts the cursor there by itself, in its own time.
    await page.locator('input[name="login"]:focus').waitFor();
    await page.keyboard.type('root');
    await page.keyboard.press('Tab');
    await page.keyboard.type(printed(server.output(), 'Password') ?? '');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/');
    await page.locator('.bar summary').last().press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).press('Enter');
    await page.waitForURL('**/users/sign_in');
    await context.close();
  });
});

describe('an application signs people in', () => {
  it('is registered on a page that shows its secret once', async () => {
    const { context, page, troubles } = await signedIn();
    const { secret } = await register(page, 'Shown once', 'https://app.example/callback');
    await page.reload();
    expect(await page.getByText(secret).count()).toBe(0);
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('is let in, remembered and put out again in a real browser', async () => {
    const application = await listener();
    const { context, page, troubles } = await signedIn();
    const client = await register(page, 'Third party', application.redirectUri);
    await context.close();

    // Somebody who is not signed in follows the link of the application, signs in and comes back to its question.
    const visitor = await openContext(browser, server.url, { width: 320, colorScheme: 'dark' });
    const ask = `/oauth/authorize?${question(client.uid, application.redirectUri)}`;
    const isBack = () => visitor.page.getByRole('heading', { name: 'Back at the application' }).waitFor();
    await visitor.page.goto(ask);
    await signInAs(visitor.page, 'root');
    await visitor.page.getByRole('heading', { name: 'Authorize Third party?' }).waitFor();
    expect(await accessibilityFaults(visitor.page)).toEqual([]);
    expect(await visitor.page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await visitor.page.getByRole('button', { name: 'Authorize' }).click();
    await isBack();
    const back = application.arrived.at(-1)?.searchParams;
    expect(back?.get('state')).toBe('s t%');
    const token = await redeem(client, back?.get('code') ?? '', application.redirectUri);
    const whoAmI = () => fetch(`${server.url}/api/v4/user`, { headers: { Authorization: `Bearer ${token}` } });
    expect(await (await whoAmI()).json()).toMatchObject({ username: 'root' });

    // The answer is remembered: no question a second time.
    await visitor.page.goto(ask);
    await isBack();
    expect(application.arrived).toHaveLength(2);

    await visitor.page.goto('/profile/applications');
    expect(await accessibilityFaults(visitor.page)).toEqual([]);
    await visitor.page.getByRole('button', { name: 'Revoke access of Third party' }).click();
    await visitor.page.getByRole('button', { name: 'Revoke access', exact: true }).click();
    await visitor.page.getByRole('status').waitFor();
    expect((await whoAmI()).status).toBe(401);
    await visitor.page.goto(ask);
    await visitor.page.getByRole('button', { name: 'Deny' }).click();
    await isBack();
    const denied = application.arrived.at(-1)?.searchParams;
    expect([denied?.get('error'), denied?.get('state')]).toEqual(['access_denied', 's t%']);
    // The application itself is the one foreign host, and the one that users were to be led to.
    const foreign = [...troubles, ...visitor.troubles].filter((line) => !line.includes(application.redirectUri));
    expect(foreign.filter((line) => !line.includes('favicon'))).toEqual([]);
    await visitor.context.close();
    application.close();
  });
});

describe('an application that has answers sent by a form', () => {
  it('gets them from a page whose policy lets this one form go to this one address', async () => {
    const application = await listener();
    const { context, page, troubles } = await signedIn();
    const { uid } = await register(page, 'By form', application.redirectUri);
    const ask = question(uid, application.redirectUri, { response_mode: 'form_post' });
    await page.goto(`/oauth/authorize?${ask}`);
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.getByRole('heading', { name: 'Back at the application' }).waitFor();
    const { searchParams, search } = application.arrived.at(-1) ?? new URL('about:blank');
    expect([searchParams.get('state'), search.includes('code=')]).toEqual(['s t%', true]);
    expect(troubles.filter((line) => !line.includes(new URL(application.redirectUri).origin))).toEqual([]);
    await context.close();
    application.close();
  });
});

describe('the private token', () => {
  it('is renewed after a question, and shown once, on a small screen in any colours', async () => {
    const { context, page, troubles } = await openContext(browser, server.url, { width: 320 });
    await introduce(page, 'Grace H.', 'grace');
    await createAccount(page, 'correct horse battery');
    await page.waitForURL('**/');
    await page.goto('/profile/personal_access_tokens');
    await page.getByRole('link', { name: 'Renew private token' }).click();
    await expectSound(page, 'question');
    await page.getByRole('button', { name: 'Renew private token' }).click();
    await page.getByRole('status').waitFor();
    await expectSound(page, 'renewed');
    const token = await page.locator('#token').innerText();
    expect((await fetch(`${server.url}/api/v4/user`, { headers: { 'PRIVATE-TOKEN': token } })).status).toBe(200);
    await page.getByRole('link', { name: 'Done' }).click();
    expect(await page.getByText(token).count()).toBe(0);
    expect(troubles).toEqual([]);
    await context.close();
  });
});

describe('a new account', () => {
  it('is made after a mistake was corrected on the page that tells of it', async () => {
    const { context, page, troubles } = await openContext(browser, server.url, { width: 320 });
    await introduce(page, 'Ida R.', 'ida');
    await createAccount(page, 'short');
    await page.getByText('is too short').waitFor();
    await expectSound(page, 'refused');
    await createAccount(page, 'correct horse battery');
    await page.waitForURL('**/');
    expect(await (await page.request.get('/api/v4/user')).json()).toMatchObject({ username: 'ida', name: 'Ida R.' });
    expect(troubles.filter((line) => !line.includes('status of 422'))).toEqual([]);
    await context.close();
  });
});

describe('two factors', () => {
  it('are set up with an app, asked for when signing in, and made up for by a recovery code', async () => {
    const { context, page, troubles } = await openContext(browser, server.url, { width: 320 });
    const password = 'correct horse battery';
    await introduce(page, 'Ada L.', 'ada');
    await createAccount(page, password);
    await page.waitForURL('**/');

    await page.goto('/profile/account');
    await page.getByRole('button', { name: 'Set up two-factor authentication' }).click();
    await expectSound(page, 'setup');
    const secret = (await page.locator('#secret').innerText()).replaceAll(' ', '');
    // The code of the half minute before is taken too; the present one is kept for signing in.
    await page.getByLabel('Code', { exact: true }).fill(totp(secret, -1));
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('link', { name: 'I have saved these codes' }).waitFor();
    await expectSound(page, 'recovery codes');
    const recovery = await page.locator('code').first().innerText();
    await page.goto('/profile/account');
    await expectSound(page, 'account');

    for (const code of [() => totp(secret), () => recovery]) {
      await page.locator('.bar summary').last().click();
      await page.getByRole('button', { name: /Sign out ada/ }).click();
      await signInAs(page, 'ada', password);
      await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
      await expectSound(page, 'code');
      expect((await page.request.get('/api/v4/user')).status()).toBe(401);
      await page.getByLabel('Code').fill(code());
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForURL('**/');
      expect(await (await page.request.get('/api/v4/user')).json()).toMatchObject({
        username: 'ada',
        two_factor_enabled: true,
      });
    }
    expect(troubles.filter((line) => !line.includes('status of 401'))).toEqual([]);
    await context.close();
  });
});

describe('a passkey', () => {
  it('is added on its page, and signs in alone and behind the password', async () => {
    // Browsers give passkeys to names alone, not to addresses.
    const url = server.url.replace('127.0.0.1', 'localhost');
    const { context, page, troubles } = await openContext(browser, url, { width: 320 });
    const devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    const password = 'correct horse battery';
    await introduce(page, 'Lise M.', 'lise');
    await createAccount(page, password);
    await page.waitForURL('**/');
    await page.goto('/profile/account');
    await page.getByLabel('Name of a new passkey').fill('Laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('heading', { name: 'Add a passkey' }).waitFor();
    await expectSound(page, 'passkey');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('link', { name: 'I have saved these codes' }).waitFor();
    await page.goto('/profile/account');
    await expectSound(page, 'account with a passkey');
    await page.getByText('Laptop', { exact: true }).waitFor();

    for (const begin of [() => page.goto('/users/sign_in'), () => signInAs(page, 'lise', password)]) {
      await page.locator('.bar summary').last().click();
      await page.getByRole('button', { name: /Sign out lise/ }).click();
      await page.waitForURL('**/users/sign_in');
      await begin();
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForURL('**/');
      expect(await (await page.request.get('/api/v4/user')).json()).toMatchObject({
        username: 'lise',
        two_factor_enabled: true,
      });
    }
    expect(troubles.filter((line) => !line.includes('status of 401'))).toEqual([]);
    await context.close();
  });
});

describe('a personal access token', () => {
  it('is made on its page, which shows it, and works', async () => {
    const { context, page, troubles } = await openContext(browser, server.url, { width: 320 });
    await introduce(page, 'Mary S.', 'mary');
    await createAccount(page, 'correct horse battery');
    await page.waitForURL('**/');
    await page.goto('/profile/personal_access_tokens');
    await page.getByLabel('Name').fill('Bot');
    await page.getByLabel('api', { exact: false }).first().check();
    await page.getByRole('button', { name: 'Create token' }).click();
    await expectSound(page, 'token');
    const token = await page.locator('code.secret').innerText();
    expect((await fetch(`${server.url}/api/v4/user`, { headers: { 'PRIVATE-TOKEN': token } })).status).toBe(200);
    expect(troubles).toEqual([]);
    await context.close();
  });
});

/** Waits until the reader of the REST API is there: it has hundreds of operations. */
const readerOf = (page: Page) => page.locator('#operations-tag-users').waitFor({ timeout: 60_000 });

describe('the viewers', () => {
  it('GraphiQL answers as who is signed in, and asks no other host for anything', async () => {
    const { context, page, troubles } = await signedIn();
    await page.goto('/graphql');
    const editor = page.locator('.graphiql-query-editor .view-lines').first();
    await editor.getByText('viewer').waitFor();
    await editor.click();
    await page.keyboard.press('ControlOrMeta+a');
    // The editor closes the braces by itself.
    await page.keyboard.type('{ viewer { username');
    // Not with the button, above which suggestions may open at any moment.
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect.poll(() => page.locator('.graphiql-response').innerText(), { timeout: 20_000 }).toContain('"root"');
    expect(troubles).toEqual([]);
    await context.close();
  });

  it.each([
    { width: 1280, colorScheme: 'light' as const, above: false },
    { width: 320, colorScheme: 'dark' as const, above: true },
  ])(
    'GraphiQL opens with a query for the projects and issues of its reader, and fits $width pixels in $colorScheme colours',
    async ({ above, ...look }) => {
      const title = `For ${look.width} pixels`;
      const create = `mutation ($name: String!, $path: ProjectRef!) {
        createProject(input: { name: $name }) { project { id } }
        createIssue(input: { project: $path, title: $name }) { issue { id } }
      }`;
      const path = `root/for-${look.width}-pixels`;
      expect(await asked(create, { name: title, path })).not.toHaveProperty('errors');

      const { context, page, troubles } = await signedIn(look);
      await page.goto('/graphql');
      const answered = page.waitForResponse((response) => response.request().postData()?.includes('OPENED') ?? false);
      await page.getByRole('button', { name: /execute/i }).click();
      const viewer = {
        username: 'root',
        projects: { nodes: expect.arrayContaining([expect.objectContaining({ fullPath: path })]) },
        issues: { nodes: expect.arrayContaining([{ iid: 1, title, project: { fullPath: path } }]) },
      };
      expect(await (await answered).json()).toMatchObject({ data: { viewer } });
      const answer = page.locator('.graphiql-response');
      await expect.poll(() => shown(answer), { timeout: 20_000 }).toContain('"username": "root"');

      const editor = await page.locator('.graphiql-query-editor .monaco-editor').boundingBox();
      const result = await answer.boundingBox();
      if (!editor || !result) throw new Error('GraphiQL shows no editor or no answer');
      // Both have room for some lines.
      expect(Math.min(editor.width, result.width)).toBeGreaterThan(180);
      expect(Math.min(editor.height, result.height)).toBeGreaterThan(180);
      expect(editor.y + editor.height <= result.y).toBe(above);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(look.width);
      expect(await page.locator('.graphiql-container').first().evaluate(lightness)).toBe(look.colorScheme);
      expect(troubles).toEqual([]);
      await context.close();
    },
  );

  it('GraphiQL opens for strangers with a query that runs, and with the query of its address', async () => {
    const { context, page, troubles } = await openContext(browser, server.url);
    await page.goto('/graphql');
    await page.getByRole('button', { name: /execute/i }).click();
    const answer = page.locator('.graphiql-response');
    await expect.poll(() => shown(answer), { timeout: 20_000 }).toContain('"projects": {');
    expect(await shown(answer)).not.toContain('errors');

    const other = await openContext(browser, server.url);
    await other.page.goto(`/graphql?query=${encodeURIComponent('{ shared: projects { totalCount } }')}`);
    await other.page.getByRole('button', { name: /execute/i }).click();
    await expect
      .poll(() => shown(other.page.locator('.graphiql-response')), { timeout: 20_000 })
      .toContain('"shared": {');
    expect([...troubles, ...other.troubles]).toEqual([]);
    await context.close();
    await other.context.close();
  });

  it('the REST API can be read and tried', async () => {
    const { context, page, troubles } = await signedIn();
    await page.goto('/-/docs');
    await readerOf(page);
    await page.locator('#operations-tag-users').click();
    const operation = page.locator('.opblock', { has: page.locator('[data-path="/api/v4/user"]') });
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    await expect
      .poll(() => operation.locator('.live-responses-table').innerText(), { timeout: 20_000 })
      .toContain('"root"');
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('operations of the REST API are found by words of theirs, and shown with an example of an answer', async () => {
    const { context, page, troubles } = await openContext(browser, server.url);
    await page.goto('/-/docs');
    await readerOf(page);
    await page.getByLabel('Search operations').fill('protected BRANCHES of a pattern');
    const paths = page.locator('.opblock-summary-path');
    await expect.poll(() => paths.allInnerTexts(), { timeout: 60_000 }).not.toEqual([]);
    const found = (await paths.allInnerTexts()).map((text) => text.replaceAll(/[^\w/{}]/g, ''));
    expect(found).toContain('/api/v4/projects/{id}/protected_branches');
    expect(found.filter((path) => !path.includes('protected_'))).toEqual([]);
    const create = page.locator('.opblock-post', {
      has: page.locator('[data-path="/api/v4/projects/{id}/protected_branches"]'),
    });
    await create.locator('.opblock-summary-control').click();
    await expect
      .poll(() => create.locator('.responses-table').first().innerText(), { timeout: 20_000 })
      .toContain('"push_access_levels"');
    expect(troubles).toEqual([]);
    await context.close();
  });

  it('GraphiQL opens each task of the manual', async () => {
    const { context, page, troubles } = await openContext(browser, server.url);
    await page.goto('/graphql');
    await page.getByText('Tasks to begin with').click();
    await page.getByRole('link', { name: 'Create a project' }).click();
    await page.locator('.graphiql-query-editor .view-lines').first().getByText('createProject').first().waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  });

  it.each([
    { width: 1280, colorScheme: 'light' as const },
    { width: 320, colorScheme: 'dark' as const },
  ])('the REST API has readable colours and fits at $width pixels in $colorScheme colours', async (look) => {
    const { context, page, troubles } = await openContext(browser, server.url, look);
    await page.goto('/-/docs');
    await readerOf(page);
    await page.locator('#operations-tag-users').click();
    const operation = page.locator('.opblock', { has: page.locator('[data-path="/api/v4/user"]') });
    await operation.locator('.opblock-summary-control').click();
    const table = operation.locator('table.responses-table').first();
    await table.waitFor();
    expect(await page.locator('html').evaluate(lightness)).toBe(look.colorScheme);
    const faults = await accessibilityFaults(page);
    expect(faults.filter((fault) => /^(color-contrast|landmark)/.test(fault))).toEqual([]);
    const box = await table.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? look.width + 1)).toBeLessThanOrEqual(look.width);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(look.width);
    // The viewer follows the system while it is open.
    const other = look.colorScheme === 'dark' ? 'light' : 'dark';
    await page.emulateMedia({ colorScheme: other });
    await expect.poll(() => page.locator('html').evaluate(lightness)).toBe(other);
    expect(troubles).toEqual([]);
    await context.close();
  });
});

// One part in depth, which the long run has.
// @module-tag long
import {
  auth,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
  UnauthorizedError,
} from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationFull, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { expect, it } from 'vitest';
import { call } from '../support/mcp.ts';
import { application, decide, settle, signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const user = await world.user();
const serverUrl = `${world.url}/mcp`;
const CALLBACK = 'http://127.0.0.1:8765/callback';

/** An agent on somebody's computer: an application without a secret, which keeps what it learns. */
class Desktop implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = { client_name: 'Agent', redirect_uris: [CALLBACK] };
  readonly uid: string;
  kept: OAuthTokens | undefined;
  verifier = '';
  sentTo: URL | undefined;

  constructor(uid: string) {
    this.uid = uid;
  }
  clientInformation() {
    return { client_id: this.uid };
  }
  tokens() {
    return this.kept;
  }
  saveTokens(tokens: OAuthTokens) {
    this.kept = tokens;
  }
  redirectToAuthorization(url: URL) {
    this.sentTo = url;
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier;
  }
  codeVerifier() {
    return this.verifier;
  }
}

/** An agent whose user has let it in, in the browser. */
async function letIn(scopes: string[]): Promise<Desktop> {
  const { uid } = await application(world, user, { confidential: false, redirectUris: [CALLBACK], scopes });
  const desktop = new Desktop(uid);
  expect(await auth(desktop, { serverUrl })).toBe('REDIRECT');
  const browser = await signedIn(world, user);
  const { pathname, search } = desktop.sentTo ?? new URL(world.url);
  await browser.get(pathname + search);
  await settle(browser);
  await decide(browser, 'approve');
  const code = new URL(browser.answer.headers.location ?? '').searchParams.get('code') ?? '';
  expect(await auth(desktop, { serverUrl, authorizationCode: code })).toBe('AUTHORIZED');
  return desktop;
}

/** An agent that nobody has registered: it does so itself. */
class Newcomer extends Desktop {
  registered: OAuthClientInformationFull | undefined;

  constructor() {
    super('');
  }
  override clientInformation() {
    return this.registered as OAuthClientInformationFull;
  }
  saveClientInformation(client: OAuthClientInformationFull) {
    this.registered = client;
  }
}

async function connected(authProvider: Desktop): Promise<Client> {
  const client = new Client({ name: 'a test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider }));
  return client;
}

it('says where its tokens come from, as clients look for it', async () => {
  const refused = await fetch(serverUrl, { method: 'POST' });
  expect(refused.status).toBe(401);
  const { resourceMetadataUrl } = extractWWWAuthenticateParams(refused);
  expect(resourceMetadataUrl?.href).toBe(`${world.url}/.well-known/oauth-protected-resource/mcp`);
  const resource = await discoverOAuthProtectedResourceMetadata(serverUrl, { resourceMetadataUrl });
  expect(resource).toMatchObject({ resource: serverUrl, authorization_servers: [world.url] });
  expect(await discoverOAuthProtectedResourceMetadata(world.url)).toMatchObject({ resource: world.url });
  const server = await discoverAuthorizationServerMetadata(world.url);
  expect(server).toMatchObject({ issuer: world.url, code_challenge_methods_supported: ['S256'] });
  expect(server?.registration_endpoint).toBe(`${world.url}/oauth/register`);
});

it('lets an agent in whose user allows it, with PKCE and for this server, and renews its token', async () => {
  const desktop = await letIn(['api']);
  expect(desktop.sentTo?.searchParams.get('code_challenge_method')).toBe('S256');
  expect(desktop.sentTo?.searchParams.get('resource')).toBe(serverUrl);
  const client = await connected(desktop);
  expect((await call(client, 'get_viewer')).value).toMatchObject({ username: user.username });
  const project = await world.project({ owner: user });
  const made = await call(client, 'create_issue', { project: project.id, title: 'From an agent' });
  expect(made.value).toMatchObject({ title: 'From an agent' });

  const before = desktop.kept?.access_token;
  await world.db.oAuthToken.updateMany({
    where: { userId: user.id, kind: 'access' },
    data: { expiresAt: new Date(0) },
  });
  expect((await call(client, 'get_viewer')).isError).toBe(false);
  expect(desktop.kept?.access_token).not.toBe(before);
  await client.close();
});

it('offers an agent that may only read nothing but the tools that read', async () => {
  const client = await connected(await letIn(['read_api']));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('read_file');
  expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
  const project = await world.project({ owner: user });
  const refused = await call(client, 'create_issue', { project: project.id, title: 'Refused' });
  expect(refused).toMatchObject({ isError: true, texts: [expect.stringMatching(/^INSUFFICIENT_SCOPE/)] });
  expect(await world.db.issue.count({ where: { projectId: project.id } })).toBe(0);
  await client.close();
});

it('lets an agent in that nobody has registered: 401, registration, consent, token, tools', async () => {
  const agent = new Newcomer();
  const transport = new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: agent });
  const refused = new Client({ name: 'a test', version: '1.0.0' }).connect(transport);
  await expect(refused).rejects.toBeInstanceOf(UnauthorizedError);
  expect(agent.registered).toMatchObject({ client_name: 'Agent', token_endpoint_auth_method: 'none' });
  expect(agent.sentTo?.searchParams.get('client_id')).toBe(agent.registered?.client_id);

  const browser = await signedIn(world, user);
  const { pathname, search } = agent.sentTo ?? new URL(world.url);
  await browser.get(pathname + search);
  await settle(browser);
  expect(browser.page).toContain('Not verified');
  await decide(browser, 'approve');
  await transport.finishAuth(new URL(browser.answer.headers.location ?? '').searchParams.get('code') ?? '');

  const client = await connected(agent);
  expect((await call(client, 'get_viewer')).value).toMatchObject({ username: user.username });
  const project = await world.project({ owner: user });
  const made = await call(client, 'create_issue', { project: project.id, title: 'From a newcomer' });
  expect(made.value).toMatchObject({ title: 'From a newcomer' });
  await client.close();

  // An administrator who deletes it ends its access at once.
  await world.db.oAuthApplication.delete({ where: { uid: agent.registered?.client_id ?? '' } });
  agent.sentTo = undefined;
  await expect(connected(agent)).rejects.toThrow();
});

import crypto from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import type { OpenIdSettings } from '#src/platform/config/sign_in_providers.ts';

/** What an issuer says of a person, by the names of the claims. */
export type Claims = { sub: string } & Record<string, unknown>;

interface Granted {
  claims: Claims;
  nonce: string | null;
  challenge: string | null;
}

/** An OpenID Connect issuer that says whatever a test wants of a person; nobody has to sign in to it. */
export class Issuer {
  readonly url: string;
  /** Changes what is signed. */
  tamper: (claims: Record<string, unknown>) => Record<string, unknown> = (claims) => claims;
  /** What the userinfo endpoint adds. */
  userinfo: Record<string, unknown> = {};
  /** Paths that answer with more than anybody reads. */
  readonly huge = new Set<string>();
  readonly #key = crypto.generateKeyPairSync('rsa', { modulusLength: 2048 });
  readonly #granted = new Map<string, Granted>();
  readonly #tokens = new Map<string, Claims>();

  constructor(url: string) {
    this.url = url;
  }

  /** How a server knows the issuer. */
  settings(changes: Partial<OpenIdSettings> = {}): OpenIdSettings {
    return {
      type: 'openid',
      name: 'company',
      label: 'Company',
      issuer: this.url,
      clientId: 'gantry',
      clientSecret: 'secret of gantry',
      scope: 'openid profile email',
      newUsers: 'create',
      groups: [],
      trustEmail: false,
      trustTwoFactor: false,
      groupsClaim: 'groups',
      ...changes,
    };
  }

  /** Where a browser that was sent to `authorizationUrl` is sent back to, once the person with these claims has agreed. */
  agree(authorizationUrl: string, claims: Claims): string {
    const { searchParams: asked } = new URL(authorizationUrl);
    const code = crypto.randomUUID();
    this.#granted.set(code, { claims, nonce: asked.get('nonce'), challenge: asked.get('code_challenge') });
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', asked.get('state') ?? '');
    return back.pathname + back.search;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', this.url).pathname;
    const json = (body: unknown, status = 200) => {
      const text = JSON.stringify(this.huge.has(path) ? { ...(body as object), filler: 'x'.repeat(3_000_000) } : body);
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
    };
    if (path === '/.well-known/openid-configuration') return json(this.#metadata());
    if (path === '/keys')
      return json({ keys: [{ ...this.#key.publicKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] });
    if (path === '/userinfo') {
      const claims = this.#tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
      return json({ ...claims, ...this.userinfo });
    }
    let body = '';
    for await (const part of request) body += part;
    const form = new URLSearchParams(body);
    const granted = this.#granted.get(form.get('code') ?? '');
    this.#granted.delete(form.get('code') ?? '');
    const challenge = crypto
      .createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (path !== '/token' || !granted || granted.challenge !== challenge) return json({ error: 'invalid_grant' }, 400);
    const token = crypto.randomUUID();
    this.#tokens.set(token, { sub: granted.claims.sub });
    json({ access_token: token, token_type: 'Bearer', expires_in: 60, id_token: this.#sign(granted) });
  }

  #sign({ claims, nonce }: Granted): string {
    const now = Math.floor(Date.now() / 1000);
    const usual = {
      iss: this.url,
      aud: 'gantry',
      iat: now,
      exp: now + 60,
      ...(nonce === null ? {} : { nonce }),
      ...claims,
    };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const content = `${part({ alg: 'RS256' })}.${part(this.tamper(usual))}`;
    return `${content}.${crypto.sign('sha256', Buffer.from(content), this.#key.privateKey).toString('base64url')}`;
  }

  #metadata() {
    const { url } = this;
    return {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      userinfo_endpoint: `${url}/userinfo`,
      jwks_uri: `${url}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }
}

/** Starts an issuer, which stops after the last test of the file. */
export async function startIssuer(): Promise<Issuer> {
  let issuer: Issuer | undefined;
  const server = createServer((request, response) => void issuer?.serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = new Issuer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return issuer;
}

import type { Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import type { Person } from '#src/access/sign_in/providers/person.ts';
import type { OpenIdSettings } from '#src/platform/config/sign_in_providers.ts';
import { Unauthenticated, Unavailable } from '#src/platform/errors.ts';

/** Seconds that a provider has to answer a request. */
const TIMEOUT = 10;
/** The largest answer of a provider, in bytes. */
export const MAX_ANSWER_BYTES = 1024 * 1024;
/** Milliseconds after which a provider is asked for its endpoints again. */
const FRESH = 60 * 60_000;
/** How many groups of a person count. */
const MAX_GROUPS = 1000;

/** What must be known of a sign-in when the browser comes back. */
export interface Begun {
  state: string;
  nonce: string;
  verifier: string;
}

/** Claims of which the values are not known to be what they should be. */
type Claims = Record<string, unknown>;

/** An OpenID Connect provider, with which people sign in by the authorization code flow. */
export class OpenIdProvider {
  readonly settings: OpenIdSettings;
  readonly #report: (error: unknown) => void;
  #found: { at: number; configuration: Promise<Configuration> } | undefined;

  /** @param report receives what the provider did wrong, and errors of the network */
  constructor(settings: OpenIdSettings, report: (error: unknown) => void) {
    this.settings = settings;
    this.#report = report;
  }

  /** Where to send a browser, and what to remember until it comes back. Throws Unavailable if the provider does not answer. */
  async begin(redirectUri: string): Promise<{ url: string; begun: Begun }> {
    const client = await import('openid-client');
    const configuration = await this.#configuration();
    const begun = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.settings.scope,
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(begun.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, begun };
  }

  /**
   * Who the browser that came back to `url` belongs to: signature, issuer, audience, nonce, state and PKCE are verified. Throws
   * Unauthenticated, Unavailable.
   */
  async finish(url: URL, { state, nonce, verifier }: Begun): Promise<Person> {
    const client = await import('openid-client');
    const configuration = await this.#configuration();
    try {
      const tokens = await client.authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      return this.#personOf(await this.#claims(configuration, tokens));
    } catch (error) {
      throw await this.#refusal(error);
    }
  }

  /** Asks for the endpoints anew, and says what there is. Throws the errors of the network and of the library. */
  async test(): Promise<string> {
    const metadata = (await discover(this.settings)).serverMetadata();
    const missing = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'].filter(
      (name) => typeof metadata[name] !== 'string',
    );
    if (missing.length > 0) throw new Error(`The metadata has no ${missing.join(', ')}`);
    const keys = await limitedFetch(String(metadata.jwks_uri), { signal: AbortSignal.timeout(TIMEOUT * 1000) });
    if (!keys.ok) throw new Error(`The keys at ${metadata.jwks_uri} cannot be read: ${keys.status}`);
    return `${metadata.issuer} answers with its endpoints and keys.`;
  }

  /** The claims of the ID token, and those of the userinfo endpoint where the token lacks some. */
  async #claims(
    configuration: Configuration,
    tokens: TokenEndpointResponse & TokenEndpointResponseHelpers,
  ): Promise<Claims> {
    const client = await import('openid-client');
    const claims: Claims = { ...tokens.claims() };
    const wanted = [
      'email',
      'name',
      'preferred_username',
      ...(this.settings.groups.length > 0 ? [this.settings.groupsClaim] : []),
    ];
    const endpoint = configuration.serverMetadata().userinfo_endpoint;
    if (endpoint === undefined || wanted.every((claim) => claims[claim] !== undefined)) return claims;
    const more = await client.fetchUserInfo(configuration, tokens.access_token, String(claims.sub));
    return { ...more, ...claims };
  }

  #personOf(claims: Claims): Person {
    const { settings } = this;
    const { sub, email, email_verified: verified, name, preferred_username: preferred, nickname } = claims;
    const address = textOf(email);
    const username = textOf(preferred) ?? textOf(nickname) ?? address ?? textOf(name) ?? '';
    const groups = claims[settings.groupsClaim];
    return {
      provider: settings.name,
      externUid: String(sub),
      username,
      name: textOf(name) ?? username,
      email: address,
      // As text, Amazon Cognito has it.
      emailConfirmed: settings.trustEmail || verified === true || verified === 'true',
      groups: (Array.isArray(groups) ? groups : []).slice(0, MAX_GROUPS).filter((one) => typeof one === 'string'),
    };
  }

  #configuration(): Promise<Configuration> {
    const { settings } = this;
    if (!this.#found || Date.now() - this.#found.at > FRESH) {
      const configuration = discover(settings);
      const found = { at: Date.now(), configuration };
      this.#found = found;
      configuration.catch(() => {
        if (this.#found === found) this.#found = undefined;
      });
    }
    return this.#found.configuration.catch((error) => {
      this.#report(error);
      throw new Unavailable(`${settings.label} cannot be reached at the moment. Try again later.`, 30);
    });
  }

  async #refusal(error: unknown): Promise<Error> {
    const { label } = this.settings;
    const { AuthorizationResponseError, ClientError, ResponseBodyError } = await import('openid-client');
    if (error instanceof AuthorizationResponseError && error.error === 'access_denied') {
      return new Unauthenticated(`You were not signed in with ${label}.`);
    }
    this.#report(error);
    const isNetwork = error instanceof ClientError && ['OAUTH_TIMEOUT', 'OAUTH_ABORT'].includes(error.code ?? '');
    if (isNetwork || (error instanceof TypeError && !(error instanceof ResponseBodyError))) {
      return new Unavailable(`${label} cannot be reached at the moment. Try again later.`, 30);
    }
    return new Unauthenticated(`${label} did not say who you are. Start again.`);
  }
}

/** Reads the metadata of the issuer. */
async function discover({ issuer, clientId, clientSecret }: OpenIdSettings): Promise<Configuration> {
  const client = await import('openid-client');
  const isLocal = new URL(issuer).protocol === 'http:';
  const found = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
    timeout: TIMEOUT,
    [client.customFetch]: limitedFetch,
    execute: isLocal ? [client.allowInsecureRequests] : [],
  });
  const metadata = found.serverMetadata();
  // Without the list, the standard's default is basic.
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const authenticate = methods.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost;
  const authentication = clientSecret === undefined ? client.None() : authenticate(clientSecret);
  const configuration = new client.Configuration(metadata, clientId, undefined, authentication);
  configuration.timeout = TIMEOUT;
  configuration[client.customFetch] = limitedFetch;
  if (isLocal) client.allowInsecureRequests(configuration);
  return configuration;
}

/** Like fetch, for answers that are small. */
async function limitedFetch(url: string, options: object): Promise<Response> {
  const response = await fetch(url, options);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) throw new TypeError(`The answer of ${new URL(url).host} is too large`);
    parts.push(part);
  }
  const { status, statusText, headers } = response;
  return new Response(parts.length === 0 ? null : Buffer.concat(parts), { status, statusText, headers });
}

/** A text of a claim that is not empty; null for anything else. */
function textOf(claim: unknown): string | null {
  return typeof claim === 'string' && claim.trim() !== '' && !claim.includes('\0') ? claim.trim().slice(0, 255) : null;
}

import type { Request, RequestHandler, Response } from 'express';
import { SELF_REGISTERED_GRANTS } from '#src/access/oauth/clients.ts';
import { Unreadable } from '#src/access/oauth/form.ts';
import type { ClientValues, OAuthOptions, RegisteredClient } from '#src/access/oauth/options.ts';
import { parseJson, UnusableJson } from '#src/base/json.ts';
import { RateLimited, ValidationFailed } from '#src/platform/errors.ts';
import { readAtMost } from '#src/platform/limits/read_at_most.ts';

/** Where clients register themselves (OAuth 2.0 Dynamic Client Registration, RFC 7591). */
export const REGISTRATION = '/oauth/register';

/** Largest request body, in bytes. */
const MAX_BODY = 16 * 1024;

/** What a client that registered itself may ask for: what /mcp needs, and no more. */
export const REGISTRABLE_SCOPES = ['api', 'read_api'];

/** What is wrong with the metadata, in the words of RFC 7591, 3.2.2. */
class Refused extends Error {
  readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata';

  constructor(error: Refused['error'], description: string) {
    super(description);
    this.error = error;
  }
}

/**
 * POST /oauth/register. Everything that names another address (`logo_uri`, `jwks_uri`, `sector_identifier_uri` …) is ignored: nothing
 * of what clients say of themselves is fetched, shown or kept but name, redirect addresses and scopes.
 */
export function register(
  { contextOf }: Pick<OAuthOptions, 'contextOf'>,
  registerClient: NonNullable<OAuthOptions['registerClient']>,
) {
  return async (request: Request, response: Response): Promise<void> => {
    try {
      const values = valuesOf(await readMetadata(request));
      const client = await registerClient(contextOf(null, request), values);
      response.status(201).json(answerOf(client));
    } catch (error) {
      refuse(response, error);
    }
  };
}

/** The answer to browsers that ask whether a script of another site may register. */
export const preflight: RequestHandler = (_request, response) => {
  response.setHeader('Access-Control-Allow-Methods', 'POST');
  response.setHeader('Access-Control-Allow-Headers', 'Content-Type, MCP-Protocol-Version');
  response.status(204).end();
};

/** Throws Unreadable for what is no object in JSON. */
async function readMetadata(request: Request): Promise<Record<string, unknown>> {
  if (!request.is('application/json')) throw new Unreadable('the body must be application/json');
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new Unreadable('the body must not be compressed');
  }
  const body = await readAtMost(
    request,
    MAX_BODY,
    () => new Unreadable(`the body has more than ${MAX_BODY} bytes`),
  ).catch((error) => {
    throw error instanceof Unreadable ? error : new Unreadable('the body cannot be read', { cause: error });
  });
  const metadata = readJson(body);
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    throw new Unreadable('the body is not a JSON object');
  }
  return metadata as Record<string, unknown>;
}

function readJson(body: Buffer): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof UnusableJson) throw new Unreadable(error.message);
    throw error;
  }
}

/** What of the metadata counts. What a client leaves out has a default, and what it cannot have is left out. Throws Refused. */
function valuesOf(metadata: Record<string, unknown>): ClientValues {
  const { client_name: name = 'Unnamed application', redirect_uris: redirectUris, scope } = metadata;
  if (typeof name !== 'string') throw new Refused('invalid_client_metadata', 'client_name must be a text');
  if (!isTexts(redirectUris)) throw new Refused('invalid_redirect_uri', 'redirect_uris must be a list of addresses');
  for (const [field, needed] of [
    ['grant_types', 'authorization_code'],
    ['response_types', 'code'],
  ] as const) {
    const given = metadata[field] ?? [needed];
    if (!isTexts(given) || !given.includes(needed)) {
      throw new Refused('invalid_client_metadata', `${field} must be a list with ${needed}`);
    }
  }
  return { name, redirectUris, scopes: scopesOf(scope) };
}

/** Those of the requested scopes that it may have; all without `scope`. Throws Refused. */
function scopesOf(scope: unknown): string[] {
  if (scope === undefined || scope === '') return REGISTRABLE_SCOPES;
  if (typeof scope !== 'string') throw new Refused('invalid_client_metadata', 'scope must be a text');
  const wanted = scope.split(' ');
  const possible = REGISTRABLE_SCOPES.filter((one) => wanted.includes(one));
  if (possible.length > 0) return possible;
  const needed = REGISTRABLE_SCOPES.join(' or ');
  throw new Refused('invalid_client_metadata', `scope must contain ${needed}: no other can be had without an owner`);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function answerOf({ uid, name, redirectUris, scopes, createdAt }: RegisteredClient): object {
  return {
    client_id: uid,
    client_id_issued_at: Math.floor(createdAt.getTime() / 1000),
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: SELF_REGISTERED_GRANTS,
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: scopes.join(' '),
  };
}

/** Answers a request that the client has to correct, or to send later; throws other errors. */
function refuse(response: Response, thrown: unknown): void {
  const error = thrown instanceof ValidationFailed ? inWords(thrown) : thrown;
  if (error instanceof Refused) {
    return void response.status(400).json({ error: error.error, error_description: error.message });
  }
  if (!(error instanceof RateLimited)) throw error;
  response.setHeader('Retry-After', String(error.extensions.retryAfter));
  response.status(429).json({ error: 'temporarily_unavailable', error_description: error.message });
}

function inWords({ fields }: ValidationFailed): Refused {
  const [[field, [problem = 'is invalid'] = []] = ['client_name']] = Object.entries(fields);
  if (field === 'redirect_uri') return new Refused('invalid_redirect_uri', `redirect_uris: one ${problem}`);
  return new Refused('invalid_client_metadata', `${field === 'name' ? 'client_name' : field} ${problem}`);
}

import type { ClientMetadata } from 'oidc-provider';
import { DEVICE_GRANT } from '#src/access/oauth/device_grant.ts';
import { defaultScope, SCOPE_NAMES } from '#src/access/permissions/scopes.ts';
import type { Db } from '#src/platform/database/db.ts';

/** Stands for the application when a client names none, which only the password grant allows. IDs of applications are longer. */
export const NO_APPLICATION = 'password';

/** The grant types of the token endpoint. */
export const GRANT_TYPES = ['authorization_code', 'refresh_token', 'password', 'client_credentials', DEVICE_GRANT];

/** The grant types of an application that registered itself. */
export const SELF_REGISTERED_GRANTS = ['authorization_code', 'refresh_token'];

/** An application in the form that the provider expects; undefined if there is none with that ID. */
export async function findClient(db: Db, uid: string): Promise<ClientMetadata | undefined> {
  if (uid === NO_APPLICATION) return noApplication;
  if (uid.includes('\0')) return undefined;
  const application = await db.oAuthApplication.findUnique({ where: { uid } });
  if (!application) return undefined;
  const { ownerId, name, secretHash, redirectUris, scopes } = application;
  const common = {
    client_id: uid,
    client_name: name,
    redirect_uris: redirectUris,
    scope: scopes.join(' '),
    response_types: ['code' as const],
  };
  if (!secretHash) {
    return {
      ...common,
      // Loopback redirects may use any port (RFC 8252, 7.3): programs take one that happens to be free.
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      // Whoever registered itself gets nothing but by the page on which a user authorizes it.
      grant_types: ownerId === null ? SELF_REGISTERED_GRANTS : [...SELF_REGISTERED_GRANTS, 'password', DEVICE_GRANT],
      self_registered: ownerId === null,
    };
  }
  return {
    ...common,
    application_type: 'web',
    token_endpoint_auth_method: 'client_secret_basic',
    client_secret: Buffer.from(secretHash).toString('base64url'),
    grant_types: GRANT_TYPES,
  };
}

/** The scope of a request that does not name one. */
export async function scopeUnsaid(db: Db, uid: unknown): Promise<string> {
  const client = typeof uid === 'string' ? await findClient(db, uid) : undefined;
  return defaultScope(client?.scope?.split(' ') ?? ['api']);
}

const noApplication: ClientMetadata = {
  client_id: NO_APPLICATION,
  client_name: 'No application',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  redirect_uris: [],
  response_types: [],
  grant_types: ['password', 'refresh_token'],
  scope: SCOPE_NAMES.join(' '),
};

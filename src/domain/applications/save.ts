import crypto from 'node:crypto';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { APPLICATION, type ApplicationRow, findApplication } from '#src/domain/applications/find.ts';
import { type ApplicationValues, checkValues } from '#src/domain/applications/values.ts';
import { BadRequest, Forbidden } from '#src/platform/errors.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import { tokenHash } from '#src/platform/secrets.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

export interface NewApplication extends ApplicationValues {
  /** Whether it can keep a secret. */
  confidential: boolean;
}

export interface ApplicationCredentials {
  /** The application ID. */
  uid: string;
  secret: string;
}

/**
 * Registers an application of the actor, with random credentials unless some are given. While the setting
 * `user_oauth_applications` is off, only administrators may. Throws Forbidden, ValidationFailed.
 */
export async function registerApplication(
  context: Context,
  input: NewApplication,
  known: ApplicationCredentials = { uid: crypto.randomBytes(32).toString('hex'), secret: newSecret() },
): Promise<ApplicationRow> {
  const { id: ownerId } = await requireRegistrar(context);
  const { name, redirectUris, scopes } = checkValues(input);
  const secret = input.confidential ? known.secret : undefined;
  const { id } = await context.db.oAuthApplication.create({
    data: {
      ownerId,
      uid: known.uid,
      secretHash: secret === undefined ? null : tokenHash(secret),
      name,
      redirectUris: [...redirectUris],
      scopes: [...scopes],
    },
    select: { id: true },
  });
  return withSecret(await findApplication(context, id, APPLICATION), secret);
}

/** Whether the actor may register applications now. */
export async function mayRegister(context: Context): Promise<boolean> {
  const { userOauthApplications } = await currentSettings(context.db);
  return userOauthApplications || requireActor(context).admin;
}

/**
 * Changes an application: unset means unchanged. Authorizations and tokens lose the scopes that it can no longer request.
 * Throws Forbidden, NotFound, ValidationFailed.
 */
export async function updateApplication(
  context: Context,
  id: number,
  changes: { [Name in keyof ApplicationValues]?: ApplicationValues[Name] | null | undefined },
): Promise<ApplicationRow> {
  requireCredentialManager(context);
  const before = await findApplication(context, id, APPLICATION);
  const { name, redirectUris, scopes } = checkValues({
    name: changes.name === undefined ? before.name : (changes.name ?? ''),
    redirectUris: changes.redirectUris === undefined ? before.redirectUris : (changes.redirectUris ?? []),
    scopes: changes.scopes === undefined ? before.scopes : (changes.scopes ?? []),
  });
  const allowed = [...scopes];
  await context.db.$transaction([
    context.db.oAuthApplication.updateMany({
      where: { id },
      data: { name, redirectUris: [...redirectUris], scopes: allowed, updatedAt: new Date() },
    }),
    context.db.$executeRaw`
      UPDATE oauth_grants SET revoked_at = now()
      WHERE application_id = ${id} AND revoked_at IS NULL AND NOT scopes <@ ${allowed}::text[]`,
    context.db.$executeRaw`
      UPDATE oauth_tokens SET revoked_at = now()
      WHERE application_id = ${id} AND revoked_at IS NULL AND NOT scopes <@ ${allowed}::text[]`,
    context.db.$executeRaw`
      UPDATE oauth_authorizations SET scopes = ARRAY(SELECT s FROM unnest(scopes) s WHERE s = ANY(${allowed}::text[]))
      WHERE application_id = ${id} AND NOT scopes <@ ${allowed}::text[]`,
  ]);
  return findApplication(context, id, APPLICATION);
}

/** Renews the secret of an application; the old one stops working immediately. Throws Forbidden, NotFound, BadRequest. */
export async function renewSecret(context: Context, id: number): Promise<ApplicationRow> {
  requireCredentialManager(context);
  const { confidential } = await findApplication(context, id, APPLICATION);
  if (!confidential) throw new BadRequest('This application is public: it has no secret');
  const secret = newSecret();
  await context.db.oAuthApplication.updateMany({
    where: { id, secretHash: { not: null } },
    data: { secretHash: tokenHash(secret), updatedAt: new Date() },
  });
  return withSecret(await findApplication(context, id, APPLICATION), secret);
}

/** Deletes an application with all its authorizations and tokens. Throws Forbidden, NotFound. */
export async function deleteApplication<R>(
  context: Context,
  id: number,
  selection: Selection<'OAuthApplication', R>,
): Promise<R> {
  requireCredentialManager(context);
  const application = await findApplication(context, id, selection);
  await context.db.oAuthApplication.deleteMany({ where: { id } });
  return application;
}

async function requireRegistrar(context: Context) {
  const actor = requireCredentialManager(context);
  if (!(await mayRegister(context)))
    throw new Forbidden('Only administrators can register applications on this server');
  return actor;
}

/** 256 random bits after a recognizable prefix. */
function newSecret(): string {
  return `gsec-${crypto.randomBytes(32).toString('base64url')}`;
}

function withSecret(application: ApplicationRow, secret: string | undefined): ApplicationRow {
  return secret === undefined ? application : { ...application, secret };
}

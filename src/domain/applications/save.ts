import crypto from 'node:crypto';
import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
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
  const data = {
    ownerId,
    uid: known.uid,
    secretHash: secret === undefined ? null : tokenHash(secret),
    name,
    redirectUris: [...redirectUris],
    scopes: [...scopes],
  };
  const { id } = await context.db.$transaction(async (tx) => {
    const made = await tx.oAuthApplication.create({ data, select: AUDITED });
    await audit(tx, context, { action: 'application_created', ...audited(made) });
    return made;
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
  await context.db.$transaction(async (tx) => {
    const whole = await rowBefore(tx, 'OAuthApplication', id);
    await tx.oAuthApplication.updateMany({
      where: { id },
      data: { name, redirectUris: [...redirectUris], scopes: allowed, updatedAt: new Date() },
    });
    await tx.$executeRaw`
      UPDATE oauth_grants SET revoked_at = now()
      WHERE application_id = ${id} AND revoked_at IS NULL AND NOT scopes <@ ${allowed}::text[]`;
    await tx.$executeRaw`
      UPDATE oauth_tokens SET revoked_at = now()
      WHERE application_id = ${id} AND revoked_at IS NULL AND NOT scopes <@ ${allowed}::text[]`;
    await tx.$executeRaw`
      UPDATE oauth_authorizations SET scopes = ARRAY(SELECT s FROM unnest(scopes) s WHERE s = ANY(${allowed}::text[]))
      WHERE application_id = ${id} AND NOT scopes <@ ${allowed}::text[]`;
    const found = await tx.oAuthApplication.findUnique({ where: { id }, select: AUDITED });
    if (found) await auditChanges(tx, context, { action: 'application_updated', ...audited(found) }, whole);
  });
  return findApplication(context, id, APPLICATION);
}

/** Renews the secret of an application; the old one stops working immediately. Throws Forbidden, NotFound, BadRequest. */
export async function renewSecret(context: Context, id: number): Promise<ApplicationRow> {
  requireCredentialManager(context);
  const { confidential } = await findApplication(context, id, APPLICATION);
  if (!confidential) throw new BadRequest('This application is public: it has no secret').asWrongState();
  const secret = newSecret();
  await context.db.$transaction(async (tx) => {
    const [changed] = await tx.oAuthApplication.updateManyAndReturn({
      where: { id, secretHash: { not: null } },
      data: { secretHash: tokenHash(secret), updatedAt: new Date() },
      select: AUDITED,
    });
    if (changed) await audit(tx, context, { action: 'application_secret_renewed', ...audited(changed) });
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
  await context.db.$transaction(async (tx) => {
    const found = await tx.oAuthApplication.findUnique({ where: { id }, select: AUDITED });
    const { count } = await tx.oAuthApplication.deleteMany({ where: { id } });
    if (found && count > 0) await audit(tx, context, { action: 'application_deleted', ...audited(found) });
  });
  return application;
}

const AUDITED = { id: true, ownerId: true, name: true } as const;

function audited({ id, ownerId, name }: { id: number; ownerId: number | null; name: string }) {
  const place = ownerId === null ? ('server' as const) : { userId: ownerId };
  return { place, target: { type: 'Application' as const, id, name } };
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

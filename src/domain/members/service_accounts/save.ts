import { randomBytes } from 'node:crypto';
import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { type Audited, audit } from '#src/access/audit/record.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { provisionerAt, serviceAccountOf } from '#src/domain/members/service_accounts/list.ts';
import { auditPlace, type Source } from '#src/domain/members/source.ts';
import type { OwnerRef } from '#src/domain/projects/owner.ts';
import { checkUser, refuseTaken, takenMeanwhile } from '#src/domain/users/attributes.ts';
import { createUser, type Provision } from '#src/domain/users/create.ts';
import { normaliseAddress } from '#src/domain/users/emails/address.ts';
import { renamePersonalNamespace } from '#src/domain/users/personal_namespace.ts';
import { Prisma, queryRows, type Transaction } from '#src/platform/database/db.ts';
import { LimitReached, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;

/** How many service accounts a project or group can have. */
export const MAX_SERVICE_ACCOUNTS = 100;

const DEFAULT_NAME = 'Service account user';

/** What can be said of a service account. */
export interface ServiceAccountValues {
  name?: string | null | undefined;
  username?: string | null | undefined;
  /** Set by administrators alone, who answer for it: nobody is asked to confirm it. */
  email?: string | null | undefined;
}

const ANY = select('User', { id: true });

/**
 * Creates a service account of a project or group, for its owners, or of the server, for administrators: a bot that stays without
 * tokens, is a member of nothing yet, and has no projects and groups of its own. One of a project or group that an external user made
 * is external. Throws NotFound, Forbidden, Conflict, ValidationFailed.
 */
export async function createServiceAccount<R>(
  context: Context,
  place: OwnerRef,
  values: ServiceAccountValues,
  selection: Selection<'User', R>,
): Promise<R> {
  const actor = requireCredentialManager(context);
  const source = await provisionerAt(context, place);
  requireOwnAddress(actor, values);
  const generated = generatedName(source);
  const username = values.username || generated;
  const { db, secret } = context;
  const { id } = await createUser(
    { db, secret, clientAddress: null },
    {
      ...{ username, name: values.name ?? DEFAULT_NAME, email: values.email ?? `${generated}@noreply.invalid` },
      ...{ bot: true, serviceAccount: provisionOf(source), canCreateGroup: false, projectsLimit: 0 },
      ...{ external: !actor.admin && actor.external, createdById: actor.id },
    },
    async (tx, _, userId) => {
      if (source) await requireRoom(tx, source);
      await audit(tx, context, { action: 'service_account_created', ...auditedAccount(source, userId) });
    },
  );
  return serviceAccountOf(db, source, id, selection);
}

/**
 * Updates a service account of a project, group or the server: what is unset or null stays. Throws NotFound, Forbidden, Conflict,
 * ValidationFailed.
 */
export async function updateServiceAccount<R>(
  context: Context,
  place: OwnerRef,
  { id, ...values }: ServiceAccountValues & { id: number },
  selection: Selection<'User', R>,
): Promise<R> {
  const actor = requireCredentialManager(context);
  const source = await provisionerAt(context, place);
  const { db } = context;
  await serviceAccountOf(db, source, id, ANY);
  requireOwnAddress(actor, values);
  const changes = {
    ...(values.name == null ? {} : { name: values.name }),
    ...(values.username == null ? {} : { username: values.username }),
    ...(values.email == null ? {} : { email: normaliseAddress(values.email) }),
  };
  await refuseTaken(db, changes, id);
  checkUser(changes);
  try {
    await db.$transaction(async (tx) => {
      const before = await rowBefore(tx, 'User', id);
      await tx.user.update({ where: { id }, data: changes });
      if (changes.username !== undefined || changes.name !== undefined) await renamePersonalNamespace(tx, id);
      await auditChanges(tx, context, { action: 'service_account_updated', ...auditedAccount(source, id) }, before);
    });
  } catch (error) {
    throw takenMeanwhile(error);
  }
  return serviceAccountOf(db, source, id, selection);
}

/** Where the audit log has what was done to a service account, and the account. */
export function auditedAccount(source: Source | null, id: number): Pick<Audited, 'place' | 'target'> {
  return { place: source ? auditPlace(source) : { userId: id }, target: { type: 'User', id } };
}

/** Throws ValidationFailed for the address of somebody else: only administrators answer for one. */
function requireOwnAddress(actor: Actor, { email }: ServiceAccountValues): void {
  if (email != null && !actor.admin) throw new ValidationFailed({ email: ['can be set only by administrators'] });
}

function generatedName(source: Source | null): string {
  const place = source ? `${source.kind}_${source.record.id}_` : '';
  return `service_account_${place}${randomBytes(16).toString('hex')}`;
}

function provisionOf(source: Source | null): Provision {
  if (source === null) return { serviceAccount: 'server' };
  return source.kind === 'project'
    ? { serviceAccount: 'project', provisionedByProjectId: source.record.id }
    : { serviceAccount: 'group', provisionedByGroupId: source.record.id };
}

/** Counts under a lock, with the new one. Throws NotFound for what was deleted meanwhile, ValidationFailed. */
async function requireRoom(tx: Transaction, { kind, record }: Source): Promise<void> {
  const held = kind === 'project' ? sql`projects` : sql`namespaces`;
  const [place] = await queryRows<object>(
    tx,
    sql`SELECT id FROM ${held} WHERE id = ${record.id} AND deleted_at IS NULL FOR NO KEY UPDATE`,
  );
  if (!place) throw new NotFound(kind === 'project' ? 'Project' : 'Group');
  const where = kind === 'project' ? { provisionedByProjectId: record.id } : { provisionedByGroupId: record.id };
  if ((await tx.user.count({ where })) > MAX_SERVICE_ACCOUNTS) {
    throw new LimitReached(`A ${kind} can have at most ${MAX_SERVICE_ACCOUNTS} service accounts`);
  }
}

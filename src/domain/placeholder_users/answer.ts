import { activeUser } from '#src/access/credentials/authenticate.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { type AuditedSourceUser, auditedColumns, auditPlaceholder } from '#src/domain/placeholder_users/audited.ts';
import { managed } from '#src/domain/placeholder_users/find.ts';
import type { ChangedSourceUser } from '#src/domain/placeholder_users/reassign.ts';
import { Prisma, queryRows, type Transaction } from '#src/platform/database/db.ts';
import { Forbidden, NotFound, WrongState } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

const { sql } = Prisma;
const source = alias('ImportSourceUser', 's');

type Row = AuditedSourceUser & { askedById: number | null };

/**
 * Accepts to be who a placeholder stands for: a job gives the actor everything that the placeholder has, and what later imports of the
 * owners bring. Throws NotFound unless the actor was asked, and WrongState if who asked does not manage the namespace any more, or the
 * actor has become an administrator to whom nothing may be assigned.
 */
export async function acceptReassignment(context: Context, id: number): Promise<ChangedSourceUser> {
  const actor = requireActor(context);
  const { allowContributionMappingToAdmins: toAdmins } = await currentSettings(context.db);
  return answer(context, id, async (tx, row) => {
    if (actor.admin && !toAdmins) throw new WrongState('Nothing may be assigned to administrators here');
    const asker = row.askedById === null ? null : await activeUser(tx, row.askedById);
    const right = asker && sql`SELECT 1 FROM ${table(source)} WHERE ${source.id} = ${id} AND ${managed(asker)}`;
    if (right === null || (await queryRows(tx, right)).length === 0) {
      throw new WrongState('Who asked you does not own the group any more');
    }
    await context.jobs.enqueue(tx, 'users.take_over_placeholders', { sourceUserId: id });
    await auditPlaceholder(tx, context, row, 'placeholder_reassignment_accepted', actor.username);
    return { status: 'reassignment_in_progress', acceptedAt: new Date(), confirmationSkipped: false };
  });
}

/** Refuses to be who a placeholder stands for. Throws NotFound unless the actor was asked. */
export function rejectReassignment(context: Context, id: number): Promise<ChangedSourceUser> {
  return answer(context, id, async (tx, row) => {
    await auditPlaceholder(tx, context, row, 'placeholder_reassignment_rejected', requireActor(context).username);
    return { status: 'rejected' };
  });
}

async function answer(
  context: Context,
  id: number,
  decide: (tx: Transaction, row: Row) => Promise<Prisma.ImportSourceUserUncheckedUpdateInput>,
): Promise<ChangedSourceUser> {
  const actor = requireActor(context);
  if (actor.bot) throw new Forbidden();
  await context.db.$transaction(async (tx) => {
    const [row] = await queryRows<Row>(
      tx,
      sql`SELECT ${source.id}, ${source.reassignedById} AS "askedById", ${auditedColumns(source)} FROM ${table(source)}
        WHERE ${source.id} = ${id} AND ${source.reassignToUserId} = ${actor.id} AND ${source.status} = 'awaiting_approval'
        FOR UPDATE OF s`,
    );
    if (!row) throw new NotFound('ImportSourceUser');
    await tx.importSourceUser.update({ where: { id }, data: await decide(tx, row) });
  });
  return { id };
}

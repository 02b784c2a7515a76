import { activeUser } from '#src/access/credentials/authenticate.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { managed } from '#src/domain/placeholder_users/find.ts';
import type { ChangedSourceUser } from '#src/domain/placeholder_users/reassign.ts';
import { Prisma, queryRows, type Transaction } from '#src/platform/database/db.ts';
import { Forbidden, NotFound, WrongState } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const source = alias('ImportSourceUser', 's');

/**
 * Accepts to be who a placeholder stands for: a job gives the actor everything that the placeholder has, and what later imports of the
 * owners bring. Throws NotFound unless the actor was asked, and WrongState if who asked does not manage the namespace any more.
 */
export function acceptReassignment(context: Context, id: number): Promise<ChangedSourceUser> {
  return answer(context, id, async (tx, askedById) => {
    const asker = askedById === null ? null : await activeUser(context.db, askedById);
    const right = asker && sql`SELECT 1 FROM ${table(source)} WHERE ${source.id} = ${id} AND ${managed(asker)}`;
    if (right === null || (await queryRows(tx, right)).length === 0) {
      throw new WrongState('Who asked you does not own the group any more');
    }
    await context.jobs.enqueue(tx, 'users.take_over_placeholders', { sourceUserId: id });
    return { status: 'reassignment_in_progress', acceptedAt: new Date() };
  });
}

/** Refuses to be who a placeholder stands for. Throws NotFound unless the actor was asked. */
export function rejectReassignment(context: Context, id: number): Promise<ChangedSourceUser> {
  return answer(context, id, async () => ({ status: 'rejected' }));
}

async function answer(
  context: Context,
  id: number,
  decide: (tx: Transaction, askedById: number | null) => Promise<Prisma.ImportSourceUserUncheckedUpdateInput>,
): Promise<ChangedSourceUser> {
  const actor = requireActor(context);
  if (actor.bot) throw new Forbidden();
  await context.db.$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<{ askedById: number | null }[]>`
      SELECT reassigned_by_id AS "askedById" FROM import_source_users
      WHERE id = ${id} AND reassign_to_user_id = ${actor.id} AND status = 'awaiting_approval' FOR UPDATE`;
    if (!row) throw new NotFound('ImportSourceUser');
    await tx.importSourceUser.update({ where: { id }, data: await decide(tx, row.askedById) });
  });
  return { id };
}

import type { Context } from '#src/access/permissions/actor.ts';
import { hasMemberships, named } from '#src/domain/placeholder_users/take_over.ts';
import { Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** Placeholders that one statement looks at. */
const BATCH_SIZE = 10_000;

/**
 * Removes placeholders that nothing names, a day after they were made: of imports that came to nothing, and of what was deleted. A source
 * whose user somebody has accepted is remembered.
 */
export async function removeUnusedPlaceholders({ db }: Pick<Context, 'db'>): Promise<void> {
  for (let last = 0; ; ) {
    const rows = await db.$queryRaw<{ id: number; isNamed: boolean }[]>`
      SELECT u.id, ${isUsed(sql`u.id`)} AS "isNamed" FROM users u
      WHERE u.placeholder_source IS NOT NULL AND u.id > ${last} AND u.created_at < now() - interval '1 day'
      ORDER BY u.id LIMIT ${BATCH_SIZE}`;
    for (const { id } of rows.filter(({ isNamed }) => !isNamed)) await remove(db, id);
    last = rows.at(-1)?.id ?? last;
    if (rows.length < BATCH_SIZE) return;
  }
}

/** Whether anything names a placeholder, or a membership is kept for it. */
function isUsed(id: Prisma.Sql): Prisma.Sql {
  return sql`(${hasMemberships(id)} OR ${named(id)})`;
}

async function remove(db: Context['db'], id: number): Promise<void> {
  await db.$transaction(async (tx) => {
    // An import that is under way may name it: the next run looks again.
    const free = await tx.$queryRaw<object[]>`
      SELECT id FROM users u WHERE id = ${id} AND placeholder_source IS NOT NULL FOR UPDATE SKIP LOCKED`;
    if (free.length === 0) return;
    const [found] = await tx.$queryRaw<{ isNamed: boolean }[]>`SELECT ${isUsed(sql`${id}::int`)} AS "isNamed"`;
    if (found?.isNamed !== false) return;
    await tx.importSourceUser.deleteMany({ where: { placeholderUserId: id, acceptedAt: null } });
    await tx.$executeRaw`DELETE FROM users WHERE id = ${id} AND placeholder_source IS NOT NULL`;
  });
}

import { createUser } from '#src/domain/users/create.ts';
import type { Db } from '#src/platform/database/db.ts';
import { Conflict } from '#src/platform/errors.ts';

/** Placeholders of imports are ghosts, too. */
const THE_GHOST = { ghost: true, placeholderSource: null };

/** The ID of the user who replaces deleted ones; created when first needed. */
export async function ghostId(db: Db, secret: string): Promise<number> {
  for (let attempt = 0; ; attempt += 1) {
    const ghost = await db.user.findFirst({ where: THE_GHOST, select: { id: true } });
    if (ghost) return ghost.id;
    try {
      return (await createGhost(db, secret, `ghost${attempt || ''}`)).id;
    } catch (error) {
      // Either the name is taken, or another request has just created the ghost.
      if (!(error instanceof Conflict) && !(await db.user.count({ where: THE_GHOST }))) throw error;
    }
  }
}

function createGhost(db: Db, secret: string, username: string): Promise<{ id: number }> {
  const bio = 'Stands in the place of users who were deleted.';
  const email = `${username}@ghost.invalid`;
  return createUser({ db, secret, clientAddress: null }, { username, email, name: 'Ghost User', bio, ghost: true });
}

import { audit, BY_SERVER } from '#src/access/audit/record.ts';
import { createUser, type NewUser } from '#src/domain/users/create.ts';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';

/**
 * Whether the initial administrator is not needed any more: an administrator exists, under any name, or the name is taken. A root
 * that was renamed or deleted is not recreated at the next start.
 */
export async function hasAdministrator(db: Db): Promise<boolean> {
  const exists = Prisma.sql`SELECT EXISTS (SELECT 1 FROM users WHERE admin OR lower(username) = 'root') AS found`;
  const [row] = await queryRows<{ found: boolean }>(db, exists);
  return row?.found === true;
}

/** Creates the administrator `root` unless there is one; returns whether it was created. */
export async function bootstrapAdministrator(
  db: Db,
  secret: string,
  { password, privateToken }: { password: string; privateToken: string },
): Promise<boolean> {
  if (await hasAdministrator(db)) return false;
  const email = 'admin@example.com';
  const root = { username: 'root', name: 'Administrator', email, password, privateToken, admin: true };
  await createUser({ db, secret, clientAddress: null }, root);
  return true;
}

/** Implements `gantry user create`. Throws ValidationFailed. */
export async function createUserFromCommandLine(db: Db, secret: string, input: NewUser): Promise<{ id: number }> {
  return createUser({ db, secret, clientAddress: null }, input, async (tx, _, userId) => {
    const target = { type: 'User', id: userId } as const;
    await audit(tx, BY_SERVER, { action: 'user_created', place: { userId }, target });
  });
}

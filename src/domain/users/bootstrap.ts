import { createUser, type NewUser } from '#src/domain/users/create.ts';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';

/**
 * Whether the administrator of the first start is not needed any more: there is one, be it under another name, or the name
 * is somebody's. A root that was renamed or deleted does not come back with the next start.
 */
export async function hasAdministrator(db: Db): Promise<boolean> {
  const exists = Prisma.sql`SELECT EXISTS (SELECT 1 FROM users WHERE admin OR lower(username) = 'root') AS found`;
  const [row] = await queryRows<{ found: boolean }>(db, exists);
  return row?.found === true;
}

/** Creates the administrator `root` unless there is one; true when it was created now. */
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

/** What `gantry user create` does. Throws ValidationFailed. */
export async function createUserFromCommandLine(db: Db, secret: string, input: NewUser): Promise<{ id: number }> {
  return createUser({ db, secret, clientAddress: null }, input);
}

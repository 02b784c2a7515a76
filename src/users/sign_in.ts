import type { Context } from '#src/access/actor.ts';
import { signInByPassword } from '#src/access/sign_in/sign_in.ts';
import { findAccount } from '#src/users/find.ts';
import type { UserRow } from '#src/users/rows.ts';

/** As signInByPassword, with the user's record and private token. */
export async function signIn(context: Context, login: string, password: string): Promise<UserRow> {
  const { id, passwordHash } = await signInByPassword(context, login, password);
  // Whoever changes the password, or adds a second factor, meanwhile keeps the private token from who signs in here.
  return findAccount(context, id, { withToken: { passwordHash } });
}

import type { Context } from '#src/access/permissions/actor.ts';
import { signInByPassword } from '#src/access/sign_in/sign_in.ts';
import { findAccount, type OwnAccount } from '#src/domain/users/find.ts';
import type { Selection } from '#src/platform/records/selection.ts';

/** Like signInByPassword, with the user's record and private token. */
export async function signIn<R>(
  context: Context,
  login: string,
  password: string,
  selection: Selection<'User', R>,
): Promise<R & OwnAccount> {
  const { id, passwordHash } = await signInByPassword(context, login, password, { reactivates: true });
  // If the password or the second factor changes in the meantime, the private token is not shown.
  return findAccount(context, id, { withToken: { passwordHash } }, selection);
}

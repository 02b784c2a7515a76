import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { refuseApplications } from '#src/access/permissions/manage_credentials.ts';
import { hashPassword } from '#src/access/sign_in/hash_password.ts';
import { passwordErrors } from '#src/access/sign_in/password_errors.ts';
import { replacePassword } from '#src/access/sign_in/replace_password.ts';
import { verifyLogin } from '#src/access/sign_in/sign_in.ts';
import { verifySecondFactor } from '#src/access/sign_in/two_factor/verify.ts';
import { type FieldErrors, Unauthenticated, ValidationFailed } from '#src/platform/errors.ts';

export interface PasswordChange {
  /** Username or e-mail address; the actor's when absent. */
  login?: string | null | undefined;
  currentPassword: string;
  newPassword: string;
  /** A code of the second factor, or a recovery code: required for users who have one, wherever they are signed in. */
  code?: string | null | undefined;
}

/**
 * Changes the password of an account, given the current one, which may be one that must be renewed, and the second factor if
 * there is one. Works without being signed in. Throws RateLimited, Unavailable, Unauthenticated, Forbidden for OAuth tokens,
 * ValidationFailed.
 */
export async function changePassword(context: Context, change: PasswordChange): Promise<{ id: number }> {
  const { currentPassword, newPassword } = change;
  refuseApplications(context.actor);
  const login = change.login ?? requireActor(context).username;
  const errors = newPasswordErrors(change);
  if (errors.length > 0) throw new ValidationFailed({ password: errors });
  const { id, passwordHash, twoFactorEnabled, viaDirectory } = await verifyLogin(context, login, currentPassword);
  if (viaDirectory) throw new ValidationFailed({ password: ['is kept in the directory, and is changed there'] });
  if (twoFactorEnabled) {
    if (!change.code) throw new ValidationFailed({ code: ["can't be blank"] });
    await verifySecondFactor(context, id, change.code);
  }
  await replacePassword(context, { id, passwordHash }, await hashPassword(newPassword, context.clientAddress));
  return { id };
}

function newPasswordErrors({ currentPassword, newPassword }: PasswordChange): string[] {
  const errors = passwordErrors(newPassword);
  if (errors.length === 0 && newPassword === currentPassword) errors.push('must differ from the current one');
  return errors;
}

/**
 * All errors of a form in which actors change their own password, by field; `more` says that it has other errors, too. The
 * current password is verified only if there are other errors: otherwise changePassword does that. The code is not verified, as
 * each works only once. Throws RateLimited, Unavailable, Unauthenticated.
 */
export async function passwordChangeErrors(
  context: Context,
  change: PasswordChange,
  { more }: { more: boolean },
): Promise<FieldErrors> {
  const { id, username } = requireActor(context);
  const { currentPassword, code } = change;
  const errors: FieldErrors = {};
  const ofNew = newPasswordErrors(change);
  if (ofNew.length > 0) errors.password = ofNew;
  if (currentPassword === '') errors.current_password = ["can't be blank"];
  const user = await context.db.user.findUnique({ where: { id }, select: { twoFactorEnabled: true } });
  if (user?.twoFactorEnabled && !code) errors.code = ["can't be blank"];
  if ((more || Object.keys(errors).length > 0) && currentPassword !== '') {
    await verifyLogin(context, username, currentPassword).catch((error) => {
      if (!(error instanceof Unauthenticated)) throw error;
      errors.current_password = ['is wrong'];
    });
  }
  return errors;
}

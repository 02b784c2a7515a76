import { audit } from '#src/access/audit/record.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { requireCredentialManager } from '#src/access/permissions/manage_credentials.ts';
import { removeUser } from '#src/domain/lifecycle/delete_user.ts';
import { provisionerAt, serviceAccountOf } from '#src/domain/members/service_accounts/list.ts';
import { auditedAccount } from '#src/domain/members/service_accounts/save.ts';
import type { OwnerRef } from '#src/domain/projects/owner.ts';
import { ghostId } from '#src/domain/users/ghost.ts';
import { Forbidden, NotFound } from '#src/platform/errors.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const ACCOUNT = select('User', { id: true, admin: true });

/**
 * Deletes a service account of a project, group or the server with its tokens and memberships, as deleteUser does: what it has written
 * goes to the ghost user. Throws NotFound, Forbidden.
 */
export async function deleteServiceAccount<R>(
  context: Context,
  place: OwnerRef,
  id: number,
  selection: Selection<'User', R>,
): Promise<R> {
  const actor = requireCredentialManager(context);
  const source = await provisionerAt(context, place);
  const account = await serviceAccountOf(context.db, source, id, ACCOUNT);
  if (account.admin && !actor.admin) throw new Forbidden();
  const ghost = await ghostId(context.db, context.secret);
  const deleted = await removeUser(
    context,
    {
      ...{ id, ghost },
      check: (tx) => audit(tx, context, { action: 'service_account_deleted', ...auditedAccount(source, id) }),
    },
    selection,
  );
  if (!deleted) throw new NotFound('User');
  return deleted;
}

import { lockNamespaceTree } from '#src/domain/namespaces/lock.ts';
import { renameNamespace } from '#src/domain/namespaces/rename.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/**
 * Renames the personal namespace of a user after the user was renamed; its old paths redirect to the new ones. The caller holds
 * the lock on the user's row.
 */
export async function renamePersonalNamespace(tx: Transaction, userId: number): Promise<void> {
  const owner = await tx.user.findUniqueOrThrow({
    where: { id: userId },
    select: { username: true, name: true, namespace: { select: { id: true } } },
  });
  const held = owner.namespace && (await lockNamespaceTree(tx, owner.namespace.id));
  if (held) await renameNamespace(tx, held, { path: owner.username, name: owner.username, title: owner.name });
}

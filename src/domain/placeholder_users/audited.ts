import type { AuditAction } from '#src/access/audit/actions.ts';
import { type Auditing, audit } from '#src/access/audit/record.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import type { Alias } from '#src/platform/records/alias.ts';

const { sql } = Prisma;

/** What of the user of a source an entry of the audit log has. */
export interface AuditedSourceUser {
  id: number;
  sourceName: string;
  namespaceId: number;
  /** The user of a personal namespace; null for a group. */
  ownerId: number | null;
}

/** The columns of AuditedSourceUser, besides the ID. */
export function auditedColumns(source: Alias<'ImportSourceUser'>): Prisma.Sql {
  return sql`${source.sourceName} AS "sourceName", ${source.namespaceId} AS "namespaceId",
    (SELECT an.owner_id FROM namespaces an WHERE an.id = ${source.namespaceId}) AS "ownerId"`;
}

/** What is done about a placeholder. */
export type PlaceholderAction = Extract<AuditAction, `placeholder_${string}`>;

/** Records what was done about a placeholder, with the account that it is about. */
export async function auditPlaceholder(
  tx: Transaction,
  auditing: Auditing,
  { id, sourceName, namespaceId, ownerId }: AuditedSourceUser,
  action: PlaceholderAction,
  account: string | null = null,
): Promise<void> {
  const place = ownerId === null ? { groupId: namespaceId } : { userId: ownerId };
  const assigned = account === null ? {} : { attribute: 'account', to: account };
  await audit(tx, auditing, { action, place, target: { type: 'Placeholder', id, name: sourceName }, ...assigned });
}

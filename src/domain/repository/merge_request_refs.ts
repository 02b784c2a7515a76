import type { RefChange } from '#src/domain/repository/change_refs.ts';
import type { Oid } from '#src/git/base/model.ts';
import { KEPT_REFS, MERGE_REQUEST_REFS } from '#src/git/refs/name.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** The namespace of merge request refs; clients can fetch but not change them. */
export const MERGE_REQUESTS = `${MERGE_REQUEST_REFS}/`;

/** The namespaces of refs that the server itself creates. */
export const OWN_REFS = [MERGE_REQUESTS, `${KEPT_REFS}/`] as const;

export function isOwnRef(name: string): boolean {
  return OWN_REFS.some((prefix) => name.startsWith(prefix));
}

/** The ref for the head of a merge request, in the target project's repository. */
export function headRef(iid: number): string {
  return `${MERGE_REQUESTS}${iid}/head`;
}

/** The ref for the merge of a merge request into its target branch, in the target project's repository. */
export function mergeRef(iid: number): string {
  return `${MERGE_REQUESTS}${iid}/merge`;
}

/** The ref that keeps a commit that is no longer on its branch; hidden from clients. */
export function keptRef(oid: Oid): string {
  return `${KEPT_REFS}/${oid}`;
}

/** Records the server's own refs from the disk, in the transaction that holds the lock, so that backups contain them. */
export async function recordOwnRefs(tx: Transaction, projectId: number, changes: readonly RefChange[]): Promise<void> {
  const rows = JSON.stringify(changes.map(({ name, to }) => ({ name, oid: to })));
  await tx.$executeRaw`
    WITH refs AS (SELECT * FROM jsonb_to_recordset(${rows}::jsonb) AS r (name text, oid text)),
    gone AS (DELETE FROM recorded_refs WHERE project_id = ${projectId} AND name IN (SELECT name FROM refs WHERE oid IS NULL))
    INSERT INTO recorded_refs (project_id, name, oid) SELECT ${projectId}, name, oid FROM refs WHERE oid IS NOT NULL
    ON CONFLICT (project_id, name) DO UPDATE SET oid = EXCLUDED.oid`;
}

import type { ReleaseChanged } from '#src/domain/changes/change.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { hookSubscriptions } from '#src/domain/changes/wanted_hooks.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** Records the event of a release for hooks, in the transaction that writes it. */
export async function recordReleaseEvent(
  tx: Transaction,
  { db }: ChangeContext,
  { release: { id }, action }: ReleaseChanged,
): Promise<void> {
  if (!(await hookSubscriptions(db, tx)).release) return;
  await tx.$executeRaw`
    SELECT record_hook_event('release', r.project_id, ${releaseFacts(action)})
    FROM releases r WHERE r.id = ${id} AND EXISTS (SELECT 1 FROM hooks_for('release', r.project_id))`;
}

/** A SQL expression for the facts of an event about the release `r` (ReleaseFacts). */
export function releaseFacts(action: ReleaseChanged['action']): Prisma.Sql {
  return sql`jsonb_build_object('release', to_jsonb(r), 'project', hook_project(r.project_id), 'action', ${action}::text,
    'links', (SELECT COALESCE(jsonb_agg(jsonb_build_object('id', l.id, 'type', l.type, 'name', l.name, 'url', l.url) ORDER BY l.id DESC), '[]')
      FROM release_links l WHERE l.release_id = r.id),
    'sha', (SELECT t.oid FROM recorded_refs t WHERE t.project_id = r.project_id AND t.name = 'refs/tags/' || r.tag))`;
}

import type { FeatureFlagSwitched } from '#src/domain/changes/change.ts';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { hookSubscriptions } from '#src/domain/changes/wanted_hooks.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** Records the event of a feature flag for hooks, in the transaction that turns it on or off. */
export async function recordFeatureFlagEvent(
  tx: Transaction,
  { db }: ChangeContext,
  { actor, flag: { id } }: FeatureFlagSwitched,
): Promise<void> {
  if (!(await hookSubscriptions(db, tx)).featureFlag) return;
  await tx.$executeRaw`
    SELECT record_hook_event('feature_flag', f.project_id, ${featureFlagFacts(actor.id)})
    FROM feature_flags f WHERE f.id = ${id} AND EXISTS (SELECT 1 FROM hooks_for('feature_flag', f.project_id))`;
}

/** A SQL expression for the facts of an event about the flag `f` (FeatureFlagFacts). */
export function featureFlagFacts(actorId: number): Prisma.Sql {
  return sql`jsonb_build_object('flag', to_jsonb(f), 'project', hook_project(f.project_id), 'user', hook_user(${actorId}::int))`;
}

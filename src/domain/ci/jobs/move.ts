import { CANCELABLE, type JobStatus } from '#src/domain/changes/pipeline_status.ts';
import {
  endDeployments,
  recordDeployment,
  recordDeploymentStarts,
  recordFailedStop,
} from '#src/domain/ci/deployments/record.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** States that a job can be moved to. */
export type Destination = 'pending' | 'running' | 'success' | 'failed' | 'canceled';

/** The states from which each state can be reached (behaviour.md 8), and the name of that transition. */
const MOVES: Record<Destination, { event: string; from: readonly JobStatus[] }> = {
  pending: { event: 'enqueue', from: ['created', 'skipped', 'manual', 'scheduled', 'waiting_for_resource'] },
  running: { event: 'run', from: ['created', 'pending'] },
  success: { event: 'success', from: ['created', 'pending', 'running'] },
  failed: { event: 'drop', from: ['created', 'pending', 'running'] },
  canceled: { event: 'cancel', from: [...CANCELABLE, 'canceling'] },
};

/**
 * Moves a job to a state and sets its times; a job with an environment is a deployment while it runs, and when it has ended. The pipeline is locked, and
 * the caller settles it afterwards. Throws BadRequest for invalid transitions.
 */
export async function moveJob(
  tx: Transaction,
  { id, status }: { id: number; status: JobStatus },
  to: Destination,
): Promise<void> {
  const { event, from } = MOVES[to];
  if (!from.includes(status)) {
    const reason = `Status cannot transition via "${event}"`;
    throw new BadRequest(`Cannot transition status via :${event} from :${status} (Reason(s): ${reason})`).asWrongState(
      status,
    );
  }
  const finished = to !== 'pending' && to !== 'running';
  await tx.$executeRaw`
    UPDATE jobs SET status = ${to}::job_status, updated_at = now(),
      queued_at = CASE WHEN ${!finished} THEN COALESCE(queued_at, now()) ELSE queued_at END,
      started_at = CASE WHEN ${to === 'running'} THEN now() ELSE started_at END,
      finished_at = CASE WHEN ${finished} THEN now() END, scheduled_at = NULL
    WHERE id = ${id}`;
  if (to === 'running') await recordDeploymentStarts(tx, [id]);
  else if (to === 'success') await recordDeployment(tx, id);
  else if (to !== 'pending') {
    await recordFailedStop(tx, id);
    await endDeployments(tx, [id], to);
  }
}

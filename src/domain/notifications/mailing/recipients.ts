import { activeUser } from '#src/access/credentials/authenticate.ts';
import { can } from '#src/access/permissions/abilities.ts';
import { candidates, REASONS, type Reason } from '#src/domain/notifications/mailing/candidates.ts';
import type { Happening, PipelineHappening, RecordHappening } from '#src/domain/notifications/mailing/request.ts';
import { whoWantsMail } from '#src/domain/notifications/wanted.ts';
import { PROJECT_BASE } from '#src/domain/projects/find.ts';
import { projectsWithIds } from '#src/domain/projects/named.ts';
import { readersAmong } from '#src/domain/tracking/subjects/readers.ts';
import { type Db, queryJson } from '#src/platform/database/db.ts';
import { select } from '#src/platform/records/selection.ts';

/** A recipient of mail, their address, and the reason. */
export interface Recipient {
  userId: number;
  email: string;
  reason: Reason | 'pipeline';
}

const BASE = select('Project', PROJECT_BASE);

/**
 * The current recipients of mail about an event: those who participate or watch, have it enabled, may see it, and have a
 * confirmed address.
 *
 * @param only restricts it to these users
 */
export function recipientsOf(
  db: Db,
  happening: Happening,
  only: readonly number[] | null = null,
): Promise<Recipient[]> {
  return 'subject' in happening ? ofRecord(db, happening, only) : ofPipeline(db, happening);
}

async function ofRecord(db: Db, happening: RecordHappening, only: readonly number[] | null): Promise<Recipient[]> {
  const { subject, projectId, event, noteId } = happening;
  const found = await candidates(db, happening, only);
  const ids = [...new Set(found.map(({ userId }) => userId))];
  if (ids.length === 0) return [];
  const readers = await readersAmong(db, { ...subject, project: { id: projectId } }, { ids, noteId });
  const mayRead = new Set(readers.map(({ id }) => id));
  const asked = found.filter(({ userId }) => mayRead.has(userId));
  const wanting = await whoWantsMail(
    db,
    projectId,
    event,
    asked.map(({ userId, reason }) => ({ userId, role: roleOf(reason) })),
  );
  const reasons = new Map<number, Reason>();
  for (const reason of REASONS.toReversed()) {
    for (const one of asked) if (one.reason === reason) reasons.set(one.userId, reason);
  }
  return wanting.map((one) => ({ ...one, reason: reasons.get(one.userId) ?? 'watching' }));
}

function roleOf(reason: Reason): 'mentioned' | 'participant' | 'bystander' {
  if (reason === 'mentioned') return reason;
  return reason === 'watching' ? 'bystander' : 'participant';
}

/** Authors of pipelines are notified of failures, and of success only if they enabled that. */
async function ofPipeline(db: Db, { event, projectId, pipelineId }: PipelineHappening): Promise<Recipient[]> {
  const pipeline = await db.pipeline.findUnique({ where: { id: pipelineId, projectId }, select: { userId: true } });
  const actor = pipeline && (await activeUser(db, pipeline.userId));
  if (!actor) return [];
  const [project] = await queryJson<(typeof BASE.row)[]>(db, projectsWithIds(actor, [projectId], BASE));
  if (!project || !can(actor, 'read_pipeline', project)) return [];
  const role = event === 'failedPipeline' ? 'participant' : 'bystander';
  const wanting = await whoWantsMail(db, projectId, event, [{ userId: actor.id, role }]);
  return wanting.map((one) => ({ ...one, reason: 'pipeline' }));
}

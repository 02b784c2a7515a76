import { can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { recordSubjectChanges } from '#src/domain/changes/record.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { type Located, locateSubject, type SubjectType } from '#src/domain/tracking/locate_subject.ts';
import { touchSubject } from '#src/domain/tracking/subjects/lock.ts';
import { Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';

/**
 * Deletes an entry of time, for the user who spent the time and masters of the project. Returns what it was of. Throws NotFound,
 * Forbidden, and ValidationFailed if more time was taken back than would be left.
 */
export async function deleteTimelog(context: Context, id: number): Promise<{ id: number; on: Located }> {
  const actor = requireActor(context);
  const { on, userId } = await locateTimelog(context, id);
  if (!mayDelete(actor, on.project, { userId })) throw new Forbidden();
  await context.db.$transaction(async (tx) => {
    await touchSubject(tx, on);
    const [deleted] = await tx.$queryRaw<
      { seconds: number }[]
    >`DELETE FROM timelogs WHERE id = ${id} RETURNING seconds`;
    if (!deleted) throw new NotFound('Timelog');
    const column = on.type === 'Issue' ? { issueId: on.id } : { mergeRequestId: on.id };
    const { _sum: sum } = await tx.timelog.aggregate({ where: column, _sum: { seconds: true } });
    if ((sum.seconds ?? 0) < 0) throw new ValidationFailed({ id: ['is time of which some was taken back later'] });
    const { seconds } = deleted;
    if (seconds !== 0) await recordSubjectChanges(tx, context, actor, on, [{ kind: 'timeSpent', seconds: -seconds }]);
  });
  return { id, on };
}

/** An entry of what the actor can see. Throws NotFound. */
async function locateTimelog(context: Context, id: number): Promise<{ on: Located; userId: number }> {
  const found = await context.db.timelog.findUnique({
    where: { id },
    select: {
      userId: true,
      issue: { select: { projectId: true, iid: true } },
      mergeRequest: { select: { targetProjectId: true, iid: true } },
    },
  });
  const { issue, mergeRequest } = found ?? {};
  const projectId = issue?.projectId ?? mergeRequest?.targetProjectId;
  const iid = issue?.iid ?? mergeRequest?.iid;
  if (!found || projectId === undefined || iid === undefined) throw new NotFound('Timelog');
  const type: SubjectType = issue ? 'Issue' : 'MergeRequest';
  const on = await locateSubject(context, type, projectId, iid).catch((error) => {
    // Nobody learns of a project that they cannot see.
    throw error instanceof NotFound || error instanceof Forbidden ? new NotFound('Timelog') : error;
  });
  return { on, userId: found.userId };
}

/** Whether the actor may delete an entry of time of what they can see: the user who spent it may, and masters. */
export function mayDelete(actor: Actor, project: ProjectRow, { userId }: { userId: number }): boolean {
  return userId === actor.id || can(actor, 'admin_note', project);
}

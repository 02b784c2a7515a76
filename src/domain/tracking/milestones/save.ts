import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { findMilestone } from '#src/domain/tracking/milestones/list.ts';
import { violates } from '#src/platform/database/db.ts';
import { type FieldErrors, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';
import { lengthError } from '#src/platform/text.ts';

export interface MilestoneValues {
  title?: string | null | undefined;
  description?: string | null | undefined;
  /** YYYY-MM-DD. */
  startDate?: string | null | undefined;
  dueDate?: string | null | undefined;
}

export interface MilestoneChanges extends MilestoneValues {
  stateEvent?: 'close' | 'activate' | null | undefined;
}

/** Creates a milestone. Throws NotFound, Forbidden, ValidationFailed. */
export async function createMilestone(
  context: Context,
  ref: IdOrPath,
  values: MilestoneValues,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_milestone', project);
  const { title = '', description, startDate, dueDate } = values;
  check({ title, description, startDate, dueDate });
  const id = await unlessTaken(
    context.db.$transaction(async (tx) => {
      const [milestone] = await tx.$queryRaw<[{ id: number }]>`
        WITH counter AS (UPDATE project_counters SET last_milestone_iid = last_milestone_iid + 1
          WHERE project_id = ${project.id} RETURNING last_milestone_iid)
        INSERT INTO milestones (iid, project_id, title, description, start_date, due_date)
        SELECT last_milestone_iid, ${project.id}, ${title}, ${description ?? null}, ${startDate ?? null}::date,
          ${dueDate ?? null}::date FROM counter RETURNING id`;
      const made = { id: milestone.id, title: title ?? '' };
      await recordChange(tx, context, {
        type: 'milestoneChanged',
        actor,
        project,
        milestone: made,
        action: 'opened',
      });
      return milestone.id;
    }),
  );
  return { project, id };
}

/** Updates a milestone: unset means unchanged, null clears. Throws NotFound, Forbidden, ValidationFailed. */
export async function updateMilestone(
  context: Context,
  ref: IdOrPath,
  id: number,
  changes: MilestoneChanges,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_milestone', project);
  await findMilestone(context, project, id, select('Milestone', { id: true }));
  const { title, description, stateEvent } = changes;
  const state = stateEvent ? STATES[stateEvent] : undefined;
  await unlessTaken(
    context.db.$transaction(async (tx) => {
      // Locked, as given dates are validated against those that stay.
      const [milestone] = await tx.$queryRaw<LockedMilestone[]>`
        SELECT title, state, start_date::text AS "startDate", due_date::text AS "dueDate" FROM milestones WHERE id = ${id}
        FOR UPDATE`;
      if (!milestone) throw new NotFound('Milestone');
      const startDate = changes.startDate === undefined ? milestone.startDate : changes.startDate;
      const dueDate = changes.dueDate === undefined ? milestone.dueDate : changes.dueDate;
      check({ title, description, startDate, dueDate });
      await tx.milestone.update({
        where: { id },
        data: {
          ...(title == null ? {} : { title }),
          ...(description === undefined ? {} : { description }),
          startDate: startDate === null ? null : new Date(startDate),
          dueDate: dueDate === null ? null : new Date(dueDate),
          ...(state ? { state } : {}),
        },
      });
      if (state && state !== milestone.state) {
        const action = state === 'closed' ? 'closed' : 'opened';
        const changed = { id, title: title ?? milestone.title };
        await recordChange(tx, context, { type: 'milestoneChanged', actor, project, milestone: changed, action });
      }
    }),
  );
  return { project, id };
}

interface LockedMilestone {
  title: string;
  state: 'active' | 'closed';
  /** YYYY-MM-DD. */
  startDate: string | null;
  dueDate: string | null;
}

const STATES = { close: 'closed', activate: 'active' } as const;

function check({ title, description, startDate, dueDate }: MilestoneValues): void {
  const errors: FieldErrors = {};
  if (title !== undefined && (title === null || title.trim() === '')) errors.title = ["can't be blank"];
  else if (title && title.length > 255) errors.title = ['is too long (maximum is 255 characters)'];
  const tooLong = lengthError(description);
  if (tooLong) errors.description = [tooLong];
  if (startDate && dueDate && startDate >= dueDate) errors.start_date = ["Can't be greater than due date"];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

async function unlessTaken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw violates(error) ? new ValidationFailed({ title: ['has already been taken'] }) : error;
  }
}

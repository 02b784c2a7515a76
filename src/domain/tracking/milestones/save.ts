import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { lengthError } from '#src/base/text.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import { groupsAround } from '#src/domain/projects/groups_around.ts';
import { type OwnedRecord, type Owner, type OwnerRef, ownerColumns, requireOwner } from '#src/domain/projects/owner.ts';
import { findMilestone } from '#src/domain/tracking/milestones/list.ts';
import { Prisma, type Transaction, violates } from '#src/platform/database/db.ts';
import { type FieldErrors, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

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

export const ADMIN_MILESTONE = { project: 'admin_milestone', group: 'admin_group_milestone' } as const;

/** Creates a milestone of a project or group. Throws NotFound, Forbidden, BadRequest, ValidationFailed. */
export async function createMilestone(context: Context, ref: OwnerRef, values: MilestoneValues): Promise<OwnedRecord> {
  const actor = requireActor(context);
  const place = await requireOwner(context, ref, ADMIN_MILESTONE);
  const { title = '', description, startDate, dueDate } = values;
  check({ title, description, startDate, dueDate });
  const id = await unlessTaken(
    { ...ownerColumns(place), title },
    context.db.$transaction(async (tx) => {
      await requireFree(tx, place, title ?? '');
      const iid = await nextNumber(tx, place);
      const { project, group } = place;
      const [milestone] = await tx.$queryRaw<[{ id: number }]>`
        INSERT INTO milestones (iid, project_id, group_id, title, description, start_date, due_date)
        VALUES (${iid}, ${project?.id ?? null}, ${group?.id ?? null}, ${title}, ${description ?? null}, ${startDate ?? null}::date,
          ${dueDate ?? null}::date) RETURNING id`;
      const made = { id: milestone.id, title: title ?? '' };
      await recordChange(tx, context, { type: 'milestoneChanged', actor, project, milestone: made, action: 'opened' });
      return milestone.id;
    }),
  );
  return { place, id };
}

/** The next number of a milestone of the project or group. */
export async function nextNumber(tx: Transaction, { project, group }: Owner): Promise<number> {
  const counted = project
    ? Prisma.sql`UPDATE project_counters SET last_milestone_iid = last_milestone_iid + 1 WHERE project_id = ${project.id}
        RETURNING last_milestone_iid AS iid`
    : Prisma.sql`UPDATE namespaces SET last_milestone_iid = last_milestone_iid + 1 WHERE id = ${group.id} AND deleted_at IS NULL
        RETURNING last_milestone_iid AS iid`;
  const [next] = await tx.$queryRaw<{ iid: number }[]>(counted);
  if (!next) throw new NotFound(project ? 'Project' : 'Group');
  return next.iid;
}

/** Throws ValidationFailed if a group around the place, or the group itself, has a milestone with the title. */
async function requireFree(tx: Transaction, { project, group }: Owner, title: string, except = 0): Promise<void> {
  const around = project ? groupsAround(project.id) : Prisma.sql`${group.lineage}::int[]`;
  const [found] = await tx.$queryRaw<{ id: number }[]>`
    SELECT id FROM milestones WHERE group_id = ANY(${around}) AND title = ${title} AND id <> ${except} LIMIT 1`;
  if (found) throw titleTaken({ id: found.id });
}

/** Updates a milestone: unset means unchanged, null clears. Throws NotFound, Forbidden, BadRequest, ValidationFailed. */
export async function updateMilestone(
  context: Context,
  ref: OwnerRef,
  id: number,
  changes: MilestoneChanges,
): Promise<OwnedRecord> {
  const actor = requireActor(context);
  const place = await requireOwner(context, ref, ADMIN_MILESTONE);
  await findMilestone(context, place, id, ID);
  const { title, description, stateEvent } = changes;
  const state = stateEvent ? STATES[stateEvent] : undefined;
  await unlessTaken(
    { ...ownerColumns(place), title },
    context.db.$transaction(async (tx) => {
      // Locked, as given dates are validated against those that stay.
      const [milestone] = await tx.$queryRaw<LockedMilestone[]>`
        SELECT title, state, start_date::text AS "startDate", due_date::text AS "dueDate" FROM milestones WHERE id = ${id}
        FOR UPDATE`;
      if (!milestone) throw new NotFound('Milestone');
      const startDate = changes.startDate === undefined ? milestone.startDate : changes.startDate;
      const dueDate = changes.dueDate === undefined ? milestone.dueDate : changes.dueDate;
      check({ title, description, startDate, dueDate });
      if (title != null) await requireFree(tx, place, title, id);
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
        const { project } = place;
        await recordChange(tx, context, { type: 'milestoneChanged', actor, project, milestone: changed, action });
      }
    }),
  );
  return { place, id };
}

/** Deletes a milestone: issues and merge requests lose it. Returns its ID. Throws NotFound, Forbidden, BadRequest. */
export async function deleteMilestone(context: Context, ref: OwnerRef, id: number): Promise<number> {
  const actor = requireActor(context);
  const place = await requireOwner(context, ref, ADMIN_MILESTONE);
  const { title } = await findMilestone(context, place, id, TITLE);
  await context.db.$transaction(async (tx) => {
    const { project } = place;
    const milestone = { id, title };
    await recordChange(tx, context, { type: 'milestoneChanged', actor, project, milestone, action: 'destroyed' });
    const { count } = await tx.milestone.deleteMany({ where: { id } });
    if (count === 0) throw new NotFound('Milestone');
  });
  return id;
}

const ID = select('Milestone', { id: true });
const TITLE = select('Milestone', { title: true });

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

/** The error for a title of another milestone, which the condition finds. */
function titleTaken(where: Record<string, unknown>): ValidationFailed {
  return new ValidationFailed({ title: ['has already been taken'] }).asExisting({ type: 'Milestone', where });
}

async function unlessTaken<T>(where: Record<string, unknown>, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw violates(error) ? titleTaken(where) : error;
  }
}

import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { lengthError } from '#src/base/text.ts';
import { setSubscription } from '#src/domain/activity/subscribe.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { groupsAround } from '#src/domain/projects/groups_around.ts';
import {
  findOwner,
  type OwnedRecord,
  type Owner,
  type OwnerRef,
  ownerColumns,
  requireOwner,
} from '#src/domain/projects/owner.ts';
import { parseColor } from '#src/domain/tracking/labels/color.ts';
import { findLabel, type LabelRef } from '#src/domain/tracking/labels/list.ts';
import { Prisma, type Transaction, violates } from '#src/platform/database/db.ts';
import { AlreadyExists, type Existing, type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

export interface LabelValues {
  title?: string | null | undefined;
  color?: string | null | undefined;
  description?: string | null | undefined;
  /** 0 or more; null removes it. Only for labels of projects. */
  priority?: number | null | undefined;
  archived?: boolean | null | undefined;
}

const ID = select('Label', { id: true });
export const ADMIN_LABEL = { project: 'admin_label', group: 'admin_group_label' } as const;

/**
 * Creates a label of a project or group. Throws NotFound, Forbidden, BadRequest, ValidationFailed, and Conflict if the place or a
 * group around it has one of that title.
 */
export async function createLabel(context: Context, ref: OwnerRef, values: LabelValues): Promise<OwnedRecord> {
  const place = await requireOwner(context, ref, ADMIN_LABEL);
  const { title, color } = checked(place, { ...values, title: values.title ?? '', color: values.color ?? '' });
  const { description = null, priority = null } = values;
  const archived = values.archived ?? false;
  const taken = () => new AlreadyExists('Label already exists', existingLabel(place, title ?? ''), 'title');
  try {
    const data = { ...ownerColumns(place), title: title ?? '', color: color ?? '', description, priority, archived };
    const id = await context.db.$transaction(async (tx) => {
      if (await isTaken(tx, place, data.title)) throw taken();
      return (await tx.label.create({ data, select: { id: true } })).id;
    });
    return { place, id };
  } catch (error) {
    throw violates(error) ? taken() : error;
  }
}

/** The label of the title at the place or in a group around it. */
function existingLabel({ project, group }: Owner, title = ''): Existing {
  const places = project
    ? [{ projectId: project.id }, { group: { id: project.namespaceId } }]
    : [{ groupId: { in: [...group.lineage] } }];
  return { type: 'Label', where: { title, OR: places } };
}

/** Whether a group around the place, or the group itself, has a label with the title. */
async function isTaken(tx: Transaction, { project, group }: Owner, title: string, except = 0): Promise<boolean> {
  const around = project ? groupsAround(project.id) : Prisma.sql`${group.lineage}::int[]`;
  const found = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM labels WHERE group_id = ANY(${around}) AND title = ${title} AND id <> ${except} LIMIT 1`;
  return found.length > 0;
}

/** Updates a label: unset means unchanged. Throws NotFound, Forbidden, BadRequest, ValidationFailed. */
export async function updateLabel(
  context: Context,
  ref: OwnerRef,
  label: LabelRef,
  values: LabelValues,
): Promise<OwnedRecord> {
  const place = await requireOwner(context, ref, ADMIN_LABEL);
  const { id } = await findLabel(context, place, label, ID);
  const { description, priority, archived } = values;
  const taken = () =>
    new ValidationFailed({ title: ['has already been taken'] }).asExisting(existingLabel(place, values.title?.trim()));
  try {
    const data = {
      ...checked(place, values),
      ...(description === undefined ? {} : { description }),
      ...(priority === undefined ? {} : { priority }),
      ...(archived == null ? {} : { archived }),
    };
    await context.db.$transaction(async (tx) => {
      if (data.title !== undefined && (await isTaken(tx, place, data.title, id))) throw taken();
      await tx.label.update({ where: { id }, data });
    });
  } catch (error) {
    throw violates(error) ? taken() : error;
  }
  return { place, id };
}

/** Sets the priority of a label in a project, which may be that of a group around it; null removes it. Throws as updateLabel. */
export async function setLabelPriority(
  context: Context,
  project: IdOrPath,
  ref: LabelRef,
  priority: number | null,
): Promise<OwnedRecord> {
  const place = await requireOwner(context, { project }, ADMIN_LABEL);
  if (!place.project) throw new Error('A project was named');
  const projectId = place.project.id;
  checked(place, { priority });
  const { id, groupId } = await findLabel(context, place, ref, GROUP, { includeAncestorGroups: true });
  if (groupId === null) await context.db.label.update({ where: { id }, data: { priority } });
  else if (priority === null) await context.db.labelPriority.deleteMany({ where: { projectId, labelId: id } });
  else {
    await context.db.labelPriority.upsert({
      where: { projectId_labelId: { projectId, labelId: id } },
      create: { projectId, labelId: id, priority },
      update: { priority },
    });
  }
  return { place, id };
}

const GROUP = select('Label', { id: true, groupId: true });

/** Deletes a label and removes it from everything. Returns its ID. Throws NotFound, Forbidden, BadRequest. */
export async function deleteLabel(context: Context, ref: OwnerRef, label: LabelRef): Promise<number> {
  const place = await requireOwner(context, ref, ADMIN_LABEL);
  const { id } = await findLabel(context, place, label, ID);
  await context.db.$transaction([
    context.db.subscription.deleteMany({ where: { subjectType: 'Label', subjectId: id } }),
    context.db.label.deleteMany({ where: { id } }),
  ]);
  return id;
}

/**
 * Subscribes to a label of the place or of a group around it, or unsubscribes. `changed` is false if that is the case
 * already. Throws NotFound, BadRequest.
 */
export async function subscribeToLabel(
  context: Context,
  ref: OwnerRef,
  labelRef: LabelRef,
  subscribed: boolean,
): Promise<OwnedRecord & { changed: boolean }> {
  const actor = requireActor(context);
  const place = await findOwner(context, ref);
  if (place.project) authorize(actor, 'read_label', place.project);
  const { id, isSubscribed } = await findLabel(
    context,
    place,
    labelRef,
    select('Label', { id: true, isSubscribed: true }),
    { includeAncestorGroups: true },
  );
  const changed = await setSubscription(context.db, actor.id, { type: 'Label', id }, isSubscribed, subscribed);
  return { place, id, changed };
}

/** Validates and normalizes the given values. The contract's messages call the name `title` (behaviour.md 1.6). */
function checked(
  place: Owner,
  { title, color, priority, description }: LabelValues,
): { title?: string; color?: string } {
  const errors: FieldErrors = {};
  const name = title?.trim();
  if (name === '') errors.title = ["can't be blank"];
  else if (name !== undefined && name.length > 255) errors.title = ['is too long (maximum is 255 characters)'];
  else if (name?.includes(',')) errors.title = ['is invalid'];
  const tooLong = lengthError(description);
  if (tooLong) errors.description = [tooLong];
  const hex = color == null ? undefined : parseColor(color);
  if (hex === null) errors.color = ['must be a valid color code'];
  if (priority != null && place.group) errors.priority = ['is of labels of projects only'];
  else if (priority != null && priority < 0) errors.priority = ['must be greater than or equal to 0'];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  return { ...(name === undefined ? {} : { title: name }), ...(hex == null ? {} : { color: hex }) };
}

import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { setSubscription } from '#src/domain/activity/subscribe.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { parseColor } from '#src/domain/tracking/labels/color.ts';
import { findLabel, type LabelRef } from '#src/domain/tracking/labels/list.ts';
import { violates } from '#src/platform/database/db.ts';
import { Conflict, type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';
import { lengthError } from '#src/platform/text.ts';

export interface LabelValues {
  title?: string | null | undefined;
  color?: string | null | undefined;
  description?: string | null | undefined;
  /** 0 or more; null removes it. */
  priority?: number | null | undefined;
}

const ID = select('Label', { id: true });

/** Creates a label. Throws NotFound, Forbidden, Conflict, ValidationFailed. */
export async function createLabel(context: Context, ref: IdOrPath, values: LabelValues): Promise<ChangedRecord> {
  const { project } = await administered(context, ref);
  const { title, color } = checked({ ...values, title: values.title ?? '', color: values.color ?? '' });
  const { description = null, priority = null } = values;
  try {
    const data = { projectId: project.id, title: title ?? '', color: color ?? '', description, priority };
    const { id } = await context.db.label.create({ data, select: { id: true } });
    return { project, id };
  } catch (error) {
    throw violates(error) ? new Conflict('Label already exists', undefined, 'title') : error;
  }
}

/** Updates a label: unset means unchanged. Throws NotFound, Forbidden, ValidationFailed. */
export async function updateLabel(
  context: Context,
  ref: IdOrPath,
  label: LabelRef,
  values: LabelValues,
): Promise<ChangedRecord> {
  const { project } = await administered(context, ref);
  const { id } = await findLabel(context, project, label, ID);
  const { description, priority } = values;
  try {
    const data = {
      ...checked(values),
      ...(description === undefined ? {} : { description }),
      ...(priority === undefined ? {} : { priority }),
    };
    await context.db.label.update({ where: { id }, data });
  } catch (error) {
    throw violates(error) ? new ValidationFailed({ title: ['has already been taken'] }) : error;
  }
  return { project, id };
}

/** Deletes a label and removes it from everything. Returns its ID. Throws NotFound, Forbidden. */
export async function deleteLabel(context: Context, ref: IdOrPath, label: LabelRef): Promise<number> {
  const { project } = await administered(context, ref);
  const { id } = await findLabel(context, project, label, ID);
  await context.db.$transaction([
    context.db.subscription.deleteMany({ where: { subjectType: 'Label', subjectId: id } }),
    context.db.label.deleteMany({ where: { id } }),
  ]);
  return id;
}

/** Subscribes to a label, or unsubscribes. Throws NotModified if that is the case already, NotFound. */
export async function subscribeToLabel(
  context: Context,
  ref: IdOrPath,
  labelRef: LabelRef,
  subscribed: boolean,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'read_label', project);
  const { id, isSubscribed } = await findLabel(
    context,
    project,
    labelRef,
    select('Label', { id: true, isSubscribed: true }),
  );
  await setSubscription(context.db, actor.id, { type: 'Label', id }, isSubscribed, subscribed);
  return { project, id };
}

async function administered(context: Context, ref: IdOrPath) {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_label', project);
  return { actor, project };
}

/** Validates and normalizes the given values. The contract's messages call the name `title` (behaviour.md 1.6). */
function checked({ title, color, priority, description }: LabelValues): { title?: string; color?: string } {
  const errors: FieldErrors = {};
  const name = title?.trim();
  if (name === '') errors.title = ["can't be blank"];
  else if (name !== undefined && name.length > 255) errors.title = ['is too long (maximum is 255 characters)'];
  else if (name?.includes(',')) errors.title = ['is invalid'];
  const tooLong = lengthError(description);
  if (tooLong) errors.description = [tooLong];
  const hex = color == null ? undefined : parseColor(color);
  if (hex === null) errors.color = ['must be a valid color code'];
  if (priority != null && priority < 0) errors.priority = ['must be greater than or equal to 0'];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  return { ...(name === undefined ? {} : { title: name }), ...(hex == null ? {} : { color: hex }) };
}

import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { findTrigger } from '#src/domain/ci/triggers/list.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';
import { encrypt, newToken, tokenHash } from '#src/platform/secrets.ts';

const ID = select('Trigger', { id: true });

/** Prefix of trigger tokens, so that they are recognized where they do not belong. */
export const TRIGGER_TOKEN = 'gtr-';

/** Creates a trigger of the actor, with a random token unless one is given. Throws NotFound, Forbidden, ValidationFailed. */
export async function createTrigger(
  context: Context,
  ref: IdOrPath,
  description: string,
  token = newToken(TRIGGER_TOKEN),
): Promise<ChangedRecord> {
  const { actor, project } = await administered(context, ref);
  const { id } = await context.db.trigger.create({
    data: {
      projectId: project.id,
      ownerId: actor.id,
      description: checked(description),
      tokenHash: tokenHash(token),
      tokenEncrypted: encrypt(token, context.secret),
    },
    select: { id: true },
  });
  return { project, id };
}

/** Changes the description; unset means unchanged. Throws NotFound, Forbidden, ValidationFailed. */
export async function updateTrigger(
  context: Context,
  ref: IdOrPath,
  id: number,
  description: string | null | undefined,
): Promise<ChangedRecord> {
  const { project } = await administered(context, ref);
  await findTrigger(context, project, id, ID);
  const data = { ...(description == null ? {} : { description: checked(description) }), updatedAt: new Date() };
  await context.db.trigger.updateMany({ where: { id }, data });
  return { project, id };
}

/** Makes the actor the owner of the trigger, so that it starts pipelines on their behalf. Throws NotFound, Forbidden. */
export async function takeTrigger(context: Context, ref: IdOrPath, id: number): Promise<ChangedRecord> {
  const { actor, project } = await administered(context, ref);
  await findTrigger(context, project, id, ID);
  await context.db.trigger.updateMany({ where: { id }, data: { ownerId: actor.id, updatedAt: new Date() } });
  return { project, id };
}

/** Deletes a trigger; its pipelines stay. Throws NotFound, Forbidden. */
export async function deleteTrigger(context: Context, ref: IdOrPath, id: number): Promise<void> {
  const { project } = await administered(context, ref);
  await findTrigger(context, project, id, ID);
  await context.db.trigger.deleteMany({ where: { id } });
}

async function administered(context: Context, ref: IdOrPath) {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_trigger', project);
  return { actor, project };
}

function checked(description: string): string {
  if (description.trim() === '') throw new ValidationFailed({ description: ["can't be blank"] });
  if (description.length > 255) {
    throw new ValidationFailed({ description: ['is too long (maximum is 255 characters)'] });
  }
  return description;
}

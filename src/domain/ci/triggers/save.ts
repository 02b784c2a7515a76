import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { findTrigger, TRIGGER_TOKEN } from '#src/domain/ci/triggers/list.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import type { Trigger } from '#src/generated/prisma/client.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';
import { encrypt, newToken, tokenHash } from '#src/platform/secrets.ts';

const ID_AND_NAME = { id: true, description: true } as const;
const ID = select('Trigger', ID_AND_NAME);

/** Creates a trigger of the actor, with a random token unless one is given. Throws NotFound, Forbidden, ValidationFailed. */
export async function createTrigger(
  context: Context,
  ref: IdOrPath,
  description: string,
  token = newToken(TRIGGER_TOKEN),
): Promise<ChangedRecord> {
  const { actor, project } = await administered(context, ref);
  const data = {
    projectId: project.id,
    ownerId: actor.id,
    description: checked(description),
    ...stored(token, context.secret),
  };
  const { id } = await context.db.$transaction(async (tx) => {
    const made = await tx.trigger.create({ data, select: ID_AND_NAME });
    await audit(tx, context, { action: 'trigger_created', ...audited(project, made) });
    return made;
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
  const trigger = await findTrigger(context, project, id, ID);
  const data = { ...(description == null ? {} : { description: checked(description) }), updatedAt: new Date() };
  await change(context, project, trigger, data);
  return { project, id };
}

/**
 * Makes the actor the owner of the trigger, so that it starts pipelines on their behalf. It gets a new token: others know the old
 * one. Throws NotFound, Forbidden.
 */
export async function takeTrigger(context: Context, ref: IdOrPath, id: number): Promise<ChangedRecord> {
  const { actor, project } = await administered(context, ref);
  const trigger = await findTrigger(context, project, id, ID);
  const renewed = stored(newToken(TRIGGER_TOKEN), context.secret);
  await change(context, project, trigger, { ownerId: actor.id, ...renewed, updatedAt: new Date() });
  return { project, id };
}

/** Deletes a trigger; its pipelines stay. Throws NotFound, Forbidden. */
export async function deleteTrigger(context: Context, ref: IdOrPath, id: number): Promise<void> {
  const { project } = await administered(context, ref);
  const trigger = await findTrigger(context, project, id, ID);
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.trigger.deleteMany({ where: { id } });
    if (count > 0) await audit(tx, context, { action: 'trigger_deleted', ...audited(project, trigger) });
  });
}

async function change(
  context: Context,
  project: { id: number },
  trigger: typeof ID.row,
  data: Partial<Pick<Trigger, 'description' | 'ownerId' | 'updatedAt'> & ReturnType<typeof stored>>,
): Promise<void> {
  await context.db.$transaction(async (tx) => {
    const before = await rowBefore(tx, 'Trigger', trigger.id);
    await tx.trigger.updateMany({ where: { id: trigger.id }, data });
    await auditChanges(tx, context, { action: 'trigger_updated', ...audited(project, trigger) }, before);
  });
}

function audited({ id: projectId }: { id: number }, { id, description }: typeof ID.row) {
  return { place: { projectId }, target: { type: 'Trigger' as const, id, name: description } };
}

/** What is kept of a token. */
function stored(token: string, secret: string) {
  return { tokenHash: tokenHash(token), tokenEncrypted: encrypt(token, secret) };
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

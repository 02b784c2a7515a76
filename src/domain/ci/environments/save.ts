import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { findEnvironment } from '#src/domain/ci/environments/list.ts';
import type { Tier } from '#src/domain/ci/environments/tier.ts';
import { ENVIRONMENT_NAME, NAME_RULE, slugOf } from '#src/domain/ci/environments/values.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { violates } from '#src/platform/database/db.ts';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';
import { isWebUrl } from '#src/platform/web_url.ts';

export interface EnvironmentValues {
  name?: string | null | undefined;
  externalUrl?: string | null | undefined;
  description?: string | null | undefined;
  /** Null for what the name says. */
  tier?: Tier | null | undefined;
  autoStopSetting?: 'always' | 'with_action' | null | undefined;
}

const MAX_DESCRIPTION_LENGTH = 10_000;
const ID = select('Environment', { id: true });

/** Creates an environment. Throws NotFound, Forbidden, ValidationFailed. */
export async function createEnvironment(
  context: Context,
  ref: IdOrPath,
  values: EnvironmentValues,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'create_environment', project);
  const name = values.name ?? '';
  check({ ...values, name });
  const data = {
    ...{ projectId: project.id, name, slug: slugOf(name), externalUrl: values.externalUrl || null },
    ...{ description: values.description || null, tier: values.tier ?? null },
    autoStopSetting: values.autoStopSetting ?? ('always' as const),
  };
  const { id } = await unlessTaken(
    { projectId: project.id, name },
    context.db.environment.create({ data, select: { id: true } }),
  );
  return { project, id };
}

/** Changes an environment: unset means unchanged; its slug stays. Throws NotFound, Forbidden, ValidationFailed. */
export async function updateEnvironment(
  context: Context,
  ref: IdOrPath,
  id: number,
  values: EnvironmentValues,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_environment', project);
  await findEnvironment(context, project, id, ID);
  check(values);
  const { name, externalUrl, description, tier, autoStopSetting } = values;
  const data = {
    ...(name == null ? {} : { name }),
    ...(externalUrl === undefined ? {} : { externalUrl: externalUrl || null }),
    ...(description === undefined ? {} : { description: description || null }),
    ...(tier === undefined ? {} : { tier }),
    ...(autoStopSetting == null ? {} : { autoStopSetting }),
    updatedAt: new Date(),
  };
  await unlessTaken(
    { projectId: project.id, name: name ?? undefined },
    context.db.environment.updateMany({ where: { id }, data }),
  );
  return { project, id };
}

/** Deletes an environment with its deployments. Throws NotFound, Forbidden. */
export async function deleteEnvironment(context: Context, ref: IdOrPath, id: number): Promise<void> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_environment', project);
  await findEnvironment(context, project, id, ID);
  await context.db.environment.deleteMany({ where: { id } });
}

function check({ name, externalUrl, description }: EnvironmentValues): void {
  const errors: FieldErrors = {};
  const tooLong = 'is too long (maximum is 255 characters)';
  if (name != null) {
    if (name.trim() === '') errors.name = ["can't be blank"];
    else if (name.length > 255) errors.name = [tooLong];
    else if (!ENVIRONMENT_NAME.test(name)) errors.name = [NAME_RULE];
  }
  if (externalUrl) {
    if (externalUrl.length > 255) errors.external_url = [tooLong];
    else if (!isWebUrl(externalUrl)) errors.external_url = ['must be a valid URL'];
  }
  if (description && description.length > MAX_DESCRIPTION_LENGTH) {
    errors.description = [`is too long (maximum is ${MAX_DESCRIPTION_LENGTH} characters)`];
  }
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

async function unlessTaken<T>(where: { projectId: number; name: string | undefined }, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!violates(error)) throw error;
    throw new ValidationFailed({ name: ['has already been taken'] }).asExisting({ type: 'Environment', where });
  }
}

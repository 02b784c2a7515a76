import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { findVariable } from '#src/domain/ci/variables/list.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { violates } from '#src/platform/database/db.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import { encrypt } from '#src/platform/secrets.ts';

/** A new variable for jobs. */
interface NewVariable {
  key: string;
  value: string;
  /** Whether only jobs of protected branches get it. */
  isProtected?: boolean | null | undefined;
}

/** Identifies a changed variable, for reading it back. */
export interface ChangedVariable {
  project: ProjectRow;
  key: string;
}

const ID = select('Variable', { id: true });

/** Creates a variable. Throws NotFound, Forbidden, ValidationFailed. */
export async function createVariable(
  context: Context,
  ref: IdOrPath,
  { key, value, isProtected }: NewVariable,
): Promise<ChangedVariable> {
  const project = await administered(context, ref);
  const errors = keyErrors(key);
  if (errors.length > 0) throw new ValidationFailed({ key: errors });
  const valueEncrypted = encrypt(value, context.secret);
  const data = { projectId: project.id, key, valueEncrypted, protected: isProtected ?? false };
  await context.db.variable.create({ data }).catch((error) => {
    throw violates(error) ? new ValidationFailed({ key: ['has already been taken'] }) : error;
  });
  return { project, key };
}

/** Updates a variable. Throws NotFound, Forbidden. */
export async function updateVariable(
  context: Context,
  ref: IdOrPath,
  { key, value, isProtected }: NewVariable,
): Promise<ChangedVariable> {
  const project = await administered(context, ref);
  const { id } = await findVariable(context, project, key, ID);
  const { count } = await context.db.variable.updateMany({
    where: { id },
    data: {
      valueEncrypted: encrypt(value, context.secret),
      ...(isProtected == null ? {} : { protected: isProtected }),
    },
  });
  if (count === 0) throw new NotFound('Variable');
  return { project, key };
}

/** Deletes a variable and returns the selected fields as they were. Throws NotFound, Forbidden. */
export async function deleteVariable<R>(
  context: Context,
  ref: IdOrPath,
  key: string,
  selection: Selection<'Variable', R>,
): Promise<R> {
  const project = await administered(context, ref);
  const found = await findVariable(context, project, key, selection.with(ID));
  const { count } = await context.db.variable.deleteMany({ where: { id: found.id } });
  if (count === 0) throw new NotFound('Variable');
  return found;
}

async function administered(context: Context, ref: IdOrPath): Promise<ProjectRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_variable', project);
  return project;
}

/** The errors of a key (rest-api-v4.md, Limits; behaviour.md 1.6). */
function keyErrors(key: string): string[] {
  const errors = [];
  if (key === '') errors.push("can't be blank");
  if (key.length > 255) errors.push('is too long (maximum is 255 characters)');
  if (!/^\w*$/.test(key)) errors.push("can contain only letters, digits and '_'.");
  return errors;
}

import crypto from 'node:crypto';
import '#src/domain/terraform_states/computed_fields.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { type ChangedRecord, projectScoped } from '#src/domain/projects/project_scoped.ts';
import { deleteState, lockState, unlockState } from '#src/domain/terraform_states/states.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const state = alias('TerraformState', 'ts');

/** The states of projects by name, for developers. */
export const terraformStates = projectScoped({
  ability: 'read_terraform_state',
  rows: state,
  order: order('TerraformState', ['name']),
});

/** The state of a project with that name. Throws NotFound, Forbidden, Unauthenticated. */
export function findStateNamed<R>(
  context: Context,
  project: ProjectRow,
  name: string,
  selection: Selection<'TerraformState', R>,
): Promise<R> {
  // Names that the database cannot compare match nothing.
  return terraformStates.find(context, project, sql`${state.name} = ${name.replaceAll('\0', ' ')}`, selection);
}

const ID = select('TerraformState', { id: true });

/** Locks a state by hand, until somebody unlocks it. Throws NotFound, Forbidden, StateLocked. */
export async function lockByHand(context: Context, ref: IdOrPath, name: string): Promise<ChangedRecord> {
  const { username } = requireActor(context);
  const { project, id } = await named(context, ref, name);
  await lockState(
    context,
    { project: project.id, name },
    { ID: crypto.randomUUID(), Operation: 'Manual lock', Who: username },
  );
  return { project, id };
}

/** Unlocks a state, whoever locked it. Throws NotFound, Forbidden. */
export async function unlockByHand(context: Context, ref: IdOrPath, name: string): Promise<ChangedRecord> {
  const found = await named(context, ref, name);
  await unlockState(context, { project: found.project.id, name }, null);
  return found;
}

/** Deletes a state with its versions. Throws NotFound, Forbidden, and StateLocked while it is locked. */
export async function deleteNamed(context: Context, ref: IdOrPath, name: string): Promise<ChangedRecord> {
  const found = await named(context, ref, name);
  await deleteState(context, { project: found.project.id, name });
  return found;
}

async function named(context: Context, ref: IdOrPath, name: string): Promise<ChangedRecord> {
  requireActor(context);
  const project = await findProject(context, ref);
  return { project, ...(await findStateNamed(context, project, name, ID)) };
}

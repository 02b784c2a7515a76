import type { Context } from '#src/access/actor.ts';
import { Prisma } from '#src/platform/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import type { Columns } from '#src/platform/records/model.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import { decrypt } from '#src/platform/secrets.ts';
import { findBelowProject, listBelowProjects, type ProjectRecords } from '#src/projects/below.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import '#src/users/own_values.ts';

const { sql } = Prisma;
const trigger = alias('Trigger', 't');

const TRIGGERS: ProjectRecords<'Trigger'> = {
  ability: 'admin_trigger',
  rows: trigger,
  where: (project) => sql`${trigger.projectId} = ${project}`,
  order: ({ id }) => id,
};

/** The triggers of each project, oldest first, as listBelowProjects reads them. */
export function listTriggers<R>(
  context: Context,
  projects: readonly ProjectRow[],
  page: PageRequest,
  selection: Selection<'Trigger', R>,
): Promise<(Page<R> | Error)[]> {
  return listBelowProjects(context, projects, TRIGGERS, page, selection);
}

/** One trigger of the project. Throws NotFound, Forbidden, Unauthenticated. */
export function findTrigger<R>(
  context: Context,
  project: ProjectRow,
  id: number,
  selection: Selection<'Trigger', R>,
): Promise<R> {
  return findBelowProject(context, project, TRIGGERS, sql`${trigger.id} = ${id}`, selection);
}

/** What whoever starts a pipeline by a trigger shows. */
export function triggerToken(
  { secret }: Context,
  { tokenEncrypted }: Pick<Columns['Trigger'], 'tokenEncrypted'>,
): string {
  return decrypt(Buffer.from(tokenEncrypted, 'base64'), secret);
}

import type { Context } from '#src/access/actor.ts';
import { Prisma } from '#src/platform/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import type { Columns } from '#src/platform/records/model.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import { decrypt } from '#src/platform/secrets.ts';
import { findBelowProject, listBelowProjects, type ProjectRecords } from '#src/projects/below.ts';
import type { ProjectRow } from '#src/projects/find.ts';

const { sql } = Prisma;
const variable = alias('Variable', 'v');

const VARIABLES: ProjectRecords<'Variable'> = {
  ability: 'admin_variable',
  rows: variable,
  where: (project) => sql`${variable.projectId} = ${project}`,
  order: ({ id }) => id,
};

/** The variables of each project in the order of their creation, for who administers it, as listBelowProjects reads them. */
export function listVariables<R>(
  context: Context,
  projects: readonly ProjectRow[],
  page: PageRequest,
  selection: Selection<'Variable', R>,
): Promise<(Page<R> | Error)[]> {
  return listBelowProjects(context, projects, VARIABLES, page, selection);
}

/** One variable of a project. Throws Forbidden, NotFound, Unauthenticated. */
export function findVariable<R>(
  context: Context,
  project: ProjectRow,
  key: string,
  selection: Selection<'Variable', R>,
): Promise<R> {
  // What the database cannot compare is the name of nothing.
  const isIt = sql`${variable.key} = ${key.replaceAll('\0', ' ')}`;
  return findBelowProject(context, project, VARIABLES, isIt, selection);
}

/** The value that builds get. */
export function variableValue(
  { secret }: Context,
  { valueEncrypted }: Pick<Columns['Variable'], 'valueEncrypted'>,
): string {
  return decrypt(Buffer.from(valueEncrypted, 'base64'), secret);
}

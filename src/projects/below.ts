import { authorize, type ProjectAbility } from '#src/access/abilities.ts';
import { type Context, requireActor } from '#src/access/actor.ts';
import { Prisma, readPages } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { Alias } from '#src/platform/records/alias.ts';
import type { ModelName } from '#src/platform/records/model.ts';
import { type Asked, ofEach, ofPermitted } from '#src/platform/records/parents.ts';
import { pageOfRows, readRow } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import type { ProjectRow } from '#src/projects/find.ts';

const { sql } = Prisma;

/** Records that belong to projects, and what it takes to read them. */
export interface ProjectRecords<M extends ModelName> {
  ability: ProjectAbility;
  rows: Alias<M>;
  /** Which rows are those of the project with that ID. */
  where: (project: number | Prisma.Sql) => Prisma.Sql;
  order: (row: Alias<M>) => Prisma.Sql;
}

/** Where a record of a project is to be read, once it was changed. */
export interface ChangedRecord {
  project: ProjectRow;
  id: number;
}

/**
 * A page of the records of each project, in one statement; Forbidden in the place of those that the actor may not read. Throws
 * Unauthenticated.
 */
export async function listBelowProjects<M extends ModelName, R>(
  context: Context,
  projects: readonly ProjectRow[],
  { ability, rows, where, order }: ProjectRecords<M>,
  page: PageRequest,
  selection: Selection<M, R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const pageOf = ({ project }: Asked<{ project: number }>) =>
    pageOfRows(selection, { rows, where: where(project), order }, page);
  return ofPermitted(
    projects,
    (project) => authorize(actor, ability, project),
    (permitted) => {
      const parents = permitted.map(({ id }) => ({ project: id }));
      return readPages<R>(context.db, page.offset, ofEach(parents, { project: 'int' }, pageOf));
    },
  );
}

/** The record of the project that a condition names. Throws NotFound, Forbidden, Unauthenticated. */
export async function findBelowProject<M extends ModelName, R>(
  context: Context,
  project: ProjectRow,
  records: ProjectRecords<M>,
  isIt: Prisma.Sql,
  selection: Selection<M, R>,
): Promise<R> {
  authorize(requireActor(context), records.ability, project);
  return changedBelowProject(context, project, records, isIt, selection);
}

/** As findBelowProject, for reading back what the actor was allowed to change. Throws NotFound. */
export async function changedBelowProject<M extends ModelName, R>(
  { db }: Context,
  project: ProjectRow,
  { rows, where }: ProjectRecords<M>,
  isIt: Prisma.Sql,
  selection: Selection<M, R>,
): Promise<R> {
  const found = await readRow(db, selection, { rows, where: sql`${where(project.id)} AND ${isIt}` });
  if (!found) throw new NotFound(selection.model);
  return found;
}

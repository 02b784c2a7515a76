import type { Context } from '#src/access/actor.ts';
import { Prisma } from '#src/platform/db.ts';
import { alias } from '#src/platform/records/alias.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/users/own_values.ts';
import { type ChangedRecord, changedBelowProject, findBelowProject, type ProjectRecords } from '#src/projects/below.ts';
import type { ProjectRow } from '#src/projects/find.ts';

const { sql } = Prisma;
const pipeline = alias('Pipeline', 'p');

export const PIPELINES: ProjectRecords<'Pipeline'> = {
  ability: 'read_pipeline',
  rows: pipeline,
  where: (project) => sql`${pipeline.projectId} = ${project}`,
  order: ({ id }) => id,
};

/** One pipeline of the project. Throws NotFound, Forbidden, Unauthenticated. */
export function findPipeline<R>(
  context: Context,
  project: ProjectRow,
  id: number,
  selection: Selection<'Pipeline', R>,
): Promise<R> {
  return findBelowProject(context, project, PIPELINES, sql`${pipeline.id} = ${id}`, selection);
}

/** The pipeline that a command has started or changed. Throws NotFound. */
export function changedPipeline<R>(
  context: Context,
  { project, id }: ChangedRecord,
  selection: Selection<'Pipeline', R>,
): Promise<R> {
  return changedBelowProject(context, project, PIPELINES, sql`${pipeline.id} = ${id}`, selection);
}

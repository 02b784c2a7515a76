import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias } from '#src/platform/records/alias.ts';
import '#src/domain/ci/computed_fields.ts';
import '#src/domain/users/computed_fields.ts';

const pipeline = alias('Pipeline', 'p');

/** The condition for the pipeline of a project with that number. */
export const numbered = (iid: number) => Prisma.sql`${pipeline.iid} = ${iid}`;

/** A pipeline of a project: one that the actor may read, or one that a command has started or changed. */
export const {
  find: findPipeline,
  changed: changedPipeline,
  findByIds: findPipelinesByIds,
} = projectScoped({
  ability: 'read_pipeline',
  rows: pipeline,
});

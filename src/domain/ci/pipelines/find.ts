import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { alias } from '#src/platform/records/alias.ts';
import '#src/domain/ci/computed_fields.ts';
import '#src/domain/users/computed_fields.ts';

/** A pipeline of a project: one that the actor may read, or one that a command has started or changed. */
export const {
  find: findPipeline,
  changed: changedPipeline,
  findByIds: findPipelinesByIds,
} = projectScoped({
  ability: 'read_pipeline',
  rows: alias('Pipeline', 'p'),
});

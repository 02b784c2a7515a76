import { alias } from '#src/platform/records/alias.ts';
import { ofProjects } from '#src/projects/below.ts';
import '#src/users/own_values.ts';

/** A pipeline of a project: one that the actor may read, or one that a command has started or changed. */
export const {
  find: findPipeline,
  changed: changedPipeline,
  findByIds: findPipelinesByIds,
} = ofProjects({
  ability: 'read_pipeline',
  rows: alias('Pipeline', 'p'),
});

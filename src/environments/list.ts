import { alias } from '#src/platform/records/alias.ts';
import { ofProjects } from '#src/projects/below.ts';

/** The environments of projects, oldest first, and one of them. */
export const {
  list: listEnvironments,
  find: findEnvironment,
  findByIds: findEnvironmentsByIds,
} = ofProjects({
  ability: 'read_environment',
  rows: alias('Environment', 'e'),
});

import { ofProjects } from '#src/domain/projects/below.ts';
import { alias } from '#src/platform/records/alias.ts';

/** The environments of projects, oldest first, and one of them. */
export const {
  list: listEnvironments,
  find: findEnvironment,
  findByIds: findEnvironmentsByIds,
} = ofProjects({
  ability: 'read_environment',
  rows: alias('Environment', 'e'),
});

import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { alias } from '#src/platform/records/alias.ts';

/** The environments of projects, oldest first, and one of them. */
export const {
  list: listEnvironments,
  find: findEnvironment,
  findByIds: findEnvironmentsByIds,
} = projectScoped({
  ability: 'read_environment',
  rows: alias('Environment', 'e'),
});

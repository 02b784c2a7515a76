import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { alias } from '#src/platform/records/alias.ts';
import '#src/domain/ci/computed_fields.ts';
import '#src/domain/users/computed_fields.ts';

/** The deployments of projects, oldest first, and one of them. */
export const {
  list: listDeployments,
  find: findDeployment,
  findByIds: findDeploymentsByIds,
} = projectScoped({
  ability: 'read_deployment',
  rows: alias('Deployment', 'd'),
});

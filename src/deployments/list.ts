import { alias } from '#src/platform/records/alias.ts';
import { ofProjects } from '#src/projects/below.ts';
import '#src/users/own_values.ts';

/** The deployments of projects, oldest first, and one of them. */
export const {
  list: listDeployments,
  find: findDeployment,
  findByIds: findDeploymentsByIds,
} = ofProjects({
  ability: 'read_deployment',
  rows: alias('Deployment', 'd'),
});

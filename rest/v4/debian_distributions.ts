import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

type Operations = Record<'list' | 'one', Route['operation']>;

/** The routes of distributions of Debian packages are the same below projects and groups. */
export const debianDistributions: Route[] = [
  ...routesOf('project', {
    list: operations.ProjectDebianDistributionsDocument,
    one: operations.ProjectDebianDistributionDocument,
  }),
  ...routesOf('group', {
    list: operations.GroupDebianDistributionsDocument,
    one: operations.GroupDebianDistributionDocument,
  }),
];

function routesOf(place: 'project' | 'group', { list, one }: Operations): Route[] {
  const path = `/${place}s/:id${place === 'group' ? '/-' : ''}/debian_distributions`;
  const noun = place === 'project' ? 'Project' : 'Group';
  const reading = {
    ...({ method: 'GET', purpose: 'read_package', basic: true, deployToken: true } as const),
    ...(place === 'project' && ({ auth: 'optional', precheck: 'read_package', jobToken: true } as const)),
  };
  const writing = place === 'project' ? ({ purpose: 'write_package', basic: true, jobToken: true } as const) : {};
  const publishing = place === 'project' ? ({ precheck: 'publish_package' } as const) : {};
  const at = { path: `${path}/:codename`, notFound: { DebianDistribution: '404 Not Found' } };
  const record = '...DebianDistributionRecord';
  return [
    { ...reading, path, operation: list, result: `${place}.debianDistributions` },
    { ...reading, ...at, operation: one, result: `${place}.debianDistribution` },
    {
      method: 'POST',
      path,
      ...writing,
      ...publishing,
      ...mutation(`Create${noun}DebianDistribution`, 'createDebianDistribution.debianDistribution', record),
      required: ['codename'],
    },
    {
      method: 'PUT',
      ...at,
      ...writing,
      ...publishing,
      ...mutation(`Update${noun}DebianDistribution`, 'updateDebianDistribution.debianDistribution', record),
    },
    {
      method: 'DELETE',
      ...at,
      ...writing,
      ...(place === 'project' && ({ precheck: 'delete_package' } as const)),
      ...mutation(`Delete${noun}DebianDistribution`, 'deleteDebianDistribution', 'deletedDebianDistributionId'),
      status: 202,
      body: {},
    },
  ];
}

import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** Toggles are defined by nothing but what was set. */
const constants = { definition: null };
const precheck = 'administrate';

export const featureToggles: Route[] = [
  {
    method: 'GET',
    path: '/features',
    operation: operations.FeaturesDocument,
    result: 'featureToggles',
    constants,
    precheck,
  },
  {
    method: 'POST',
    path: '/features/:name',
    ...mutation('SetFeature', 'setFeatureToggle.featureToggle', '...FeatureRecord'),
    names: { users: 'user', groups: 'group', projects: 'project' },
    unsupported: { namespace: [], repository: [] },
    constants,
    precheck,
  },
  {
    method: 'DELETE',
    path: '/features/:name',
    ...mutation('DeleteFeature', 'deleteFeatureToggle', 'deletedFeatureToggleName'),
    status: 204,
    precheck,
  },
];

import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const MISSING = '404 Push Rule Not Found';

/** The routes of push rules are the same below projects and groups. */
export const pushRules: Route[] = [
  ...routesOf('project', operations.ProjectPushRuleDocument),
  ...routesOf('group', operations.GroupPushRuleDocument),
];

function routesOf(place: 'project' | 'group', operation: Route['operation']): Route[] {
  const path = `/${place}s/:id/push_rule`;
  const noun = place === 'project' ? 'Project' : 'Group';
  const notFound = { PushRule: MISSING };
  const record = `${place === 'project' ? 'project_id: projectId ' : ''}...PushRuleRecord`;
  return [
    {
      method: 'GET',
      path,
      operation,
      result: `${place}.pushRule`,
      whenNull: { status: 404, message: MISSING },
    },
    {
      method: 'POST',
      path,
      ...mutation(`Create${noun}PushRule`, 'createPushRule.pushRule', record),
      alsoRefuses: [422],
    },
    {
      method: 'PUT',
      path,
      ...mutation(`Update${noun}PushRule`, 'updatePushRule.pushRule', record),
      notFound,
    },
    {
      method: 'DELETE',
      path,
      ...mutation(`Delete${noun}PushRule`, 'deletePushRule', 'deletedPushRuleId'),
      status: 204,
      notFound,
    },
  ];
}

import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import { ENDING } from '#rest/v4/unsupported.ts';
import * as operations from '#src/generated/operations.ts';

/** Coverage is a text in this API. */
const decimals = { coverage: 2 };

/** What the caller says, and proves it with, is no part of what a webhook tells. */
const OWN = new Set(['token', 'ref', 'variables', 'inputs', 'id', 'private_token', 'access_token', 'job_token']);

/** All of the body of a webhook that is sent to a trigger; null for a request that has nothing of its own. */
const derived: Route['derived'] = {
  payload(_variables, _caller, given) {
    const all = Object.entries(given);
    const isOfHook = all.some(([name]) => !OWN.has(name));
    return isOfHook ? Object.fromEntries(all.filter(([name]) => name === 'ref' || !OWN.has(name))) : null;
  },
};

export const triggers: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/triggers',
    operation: operations.ProjectTriggersDocument,
    result: 'project.triggers',
  },
  {
    method: 'GET',
    path: '/projects/:id/triggers/:trigger_id',
    operation: operations.ProjectTriggerDocument,
    result: 'project.trigger',
  },
  {
    method: 'POST',
    path: '/projects/:id/triggers',
    unsupported: ENDING,
    ...mutation('CreateTrigger', 'createTrigger.trigger', '...TriggerRecord'),
  },
  {
    method: 'PUT',
    path: '/projects/:id/triggers/:trigger_id',
    ...mutation('UpdateTrigger', 'updateTrigger.trigger', '...TriggerRecord'),
  },
  {
    method: 'POST',
    path: '/projects/:id/triggers/:trigger_id/take_ownership',
    ...mutation('TakeTriggerOwnership', 'takeTriggerOwnership.trigger', '...TriggerRecord'),
    status: 200,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/triggers/:trigger_id',
    ...mutation('DeleteTrigger', 'deleteTrigger', 'deletedTriggerId'),
    status: 204,
  },
  {
    method: 'POST',
    path: '/projects/:id/trigger/pipeline',
    operation: operations.FireTriggerDocument,
    result: 'fireTrigger.pipeline',
    decimals,
    auth: 'optional',
    derived,
    notFound: { Trigger: '404 Not Found' },
  },
  {
    method: 'POST',
    path: '/projects/:id/ref/:ref/trigger/pipeline',
    operation: operations.FireTriggerDocument,
    result: 'fireTrigger.pipeline',
    decimals,
    auth: 'optional',
    derived,
    notFound: { Trigger: '404 Not Found' },
    slashes: ['ref'],
  },
];

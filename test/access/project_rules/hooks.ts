import type { Rule, Stage } from '../matrix.ts';
import type { ProjectGiven } from './given.ts';
import { keyedHook } from './keyed_hook.ts';

/** behaviour.md 6 of webhooks. */
export function hookRules({ world, owner, project }: ProjectGiven): Record<string, Rule> {
  /** Nothing is sent to it: its address is not a public one. */
  const hook = async ({ project: { id: projectId } }: Stage) => {
    const data = { projectId, url: 'http://127.0.0.1:9/' };
    return { id: projectId, hook_id: (await world.db.hook.create({ data })).id };
  };
  const keyed = async ({ project: { id: projectId } }: Stage) => ({
    id: projectId,
    ...(await keyedHook(world, { projectId })),
  });
  const hookEvent = async (at: Stage) => {
    await world.db.signInFailures.deleteMany();
    const given = await hook(at);
    const event = { create: { kind: 'push', facts: {}, payload: '{}' } };
    const data = { hook: { connect: { id: given.hook_id } }, event, state: 'failed' };
    return { ...given, hook_event_id: (await world.db.hookDelivery.create({ data })).id };
  };
  const testedHook = async (at: Stage) => {
    await world.issue(at.project, owner);
    return { ...(await hookEvent(at)), trigger: 'issues_events' };
  };
  const hookUrl = { url: 'https://example.org/hook' };

  return {
    'GET /projects/:id/hooks': { success: 200, level: 40, given: project },
    'GET /projects/:id/hooks/:hook_id': { success: 200, level: 40, given: hook },
    'POST /projects/:id/hooks': { success: 201, level: 40, given: (at) => ({ ...project(at), ...hookUrl }) },
    'PUT /projects/:id/hooks/:hook_id': {
      success: 200,
      level: 40,
      given: async (at) => ({ ...(await hook(at)), ...hookUrl }),
    },
    'DELETE /projects/:id/hooks/:hook_id': { success: 204, level: 40, given: hook },
    'PUT /projects/:id/hooks/:hook_id/custom_headers/:key': { success: 204, level: 40, given: keyed },
    'DELETE /projects/:id/hooks/:hook_id/custom_headers/:key': { success: 204, level: 40, given: keyed },
    'PUT /projects/:id/hooks/:hook_id/url_variables/:key': { success: 204, level: 40, given: keyed },
    'DELETE /projects/:id/hooks/:hook_id/url_variables/:key': { success: 204, level: 40, given: keyed },
    'GET /projects/:id/hooks/:hook_id/events': { success: 200, level: 40, given: hookEvent },
    'POST /projects/:id/hooks/:hook_id/events/:hook_event_id/resend': { success: 201, level: 40, given: hookEvent },
    'POST /projects/:id/hooks/:hook_id/test/:trigger': { success: 201, level: 40, given: testedHook },
  };
}

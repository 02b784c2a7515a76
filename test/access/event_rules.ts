import type { World } from '../support/world.ts';
import type { Rule, Stage } from './matrix.ts';
import type { Talked } from './talk_rules.ts';

/** Of the events of labels, milestones and states of issues and merge requests, each by somebody who has no role. */
export function eventRules(
  world: World,
  author: () => Promise<{ id: number }>,
  { path, type, make, reading }: Talked,
): Record<string, Rule> {
  const record = async (at: Stage) => (await make(at)).given;
  const made = async (at: Stage) => {
    const { given, id } = await make(at);
    const on = type === 'Issue' ? { issueId: id } : { mergeRequestId: id };
    return { given, data: { ...on, userId: (await author()).id } };
  };
  const on = `/projects/:id/${path}`;
  const rule = { ...reading, success: 200 };
  return {
    [`GET ${on}/resource_label_events`]: { ...rule, given: record },
    [`GET ${on}/resource_label_events/:resource_label_event_id`]: {
      ...rule,
      given: async (at) => {
        const { given, data } = await made(at);
        const { id } = await world.db.labelEvent.create({ data: { ...data, action: 'add' } });
        return { ...given, resource_label_event_id: id };
      },
    },
    [`GET ${on}/resource_milestone_events`]: { ...rule, given: record },
    [`GET ${on}/resource_milestone_events/:resource_milestone_event_id`]: {
      ...rule,
      given: async (at) => {
        const { given, data } = await made(at);
        const { id } = await world.db.milestoneEvent.create({ data: { ...data, action: 'add', state: 'opened' } });
        return { ...given, resource_milestone_event_id: id };
      },
    },
    [`GET ${on}/resource_state_events`]: { ...rule, given: record },
    [`GET ${on}/resource_state_events/:resource_state_event_id`]: {
      ...rule,
      given: async (at) => {
        const { given, data } = await made(at);
        const { id } = await world.db.stateEvent.create({ data: { ...data, state: 'closed' } });
        return { ...given, resource_state_event_id: id };
      },
    },
  };
}

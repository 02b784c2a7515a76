import { builder } from '#schema/builder.ts';
import { listQuickActions, type OfferedQuickAction } from '#src/domain/tracking/quick_actions/table.ts';

const QuickAction = builder.objectRef<OfferedQuickAction>('QuickAction').implement({
  description:
    'Something that a line of a description or comment does, such as `/label ~bug`. Lines that their writer may not use stay text.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The word after the slash, such as `label`.' }),
    description: t.exposeString('description', { description: 'What the action does, in a few words.' }),
    parameter: t.exposeString('parameter', {
      nullable: true,
      description: 'An example of what follows the name, such as `~label`; null for actions without a parameter.',
    }),
    needsParameter: t.exposeBoolean('needsParameter', {
      description: 'Whether the action does nothing without its parameter.',
    }),
    forIssues: t.exposeBoolean('forIssues', { description: 'Whether texts of issues can have it.' }),
    forMergeRequests: t.exposeBoolean('forMergeRequests', {
      description: 'Whether texts of merge requests can have it.',
    }),
  }),
});

builder.queryFields((t) => ({
  quickActions: t.field({
    type: [QuickAction],
    description:
      'All quick actions that descriptions of issues and merge requests and comments on them can have. Open to everyone.',
    resolve: () => listQuickActions(),
  }),
}));

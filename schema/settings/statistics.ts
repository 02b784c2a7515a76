import { builder } from '#schema/builder.ts';
import { type ServerStatistics as Counts, serverStatistics } from '#src/domain/administration/statistics.ts';

const ServerStatistics = builder.objectRef<Counts>('ServerStatistics').implement({
  description: 'How much there is of what on the server.',
  fields: (t) => ({
    forks: t.exposeInt('forks', { description: 'Number of projects that are forks.' }),
    issues: t.exposeInt('issues', { description: 'Number of issues; an estimate from 100,000 on.' }),
    mergeRequests: t.exposeInt('mergeRequests', {
      description: 'Number of merge requests; an estimate from 100,000 on.',
    }),
    notes: t.exposeInt('notes', { description: 'Number of comments; an estimate from 100,000 on.' }),
    snippets: t.exposeInt('snippets', { description: 'How many snippets the server has.' }),
    sshKeys: t.exposeInt('sshKeys', { description: 'Number of SSH keys.' }),
    milestones: t.exposeInt('milestones', { description: 'How many milestones the server has.' }),
    users: t.exposeInt('users', { description: 'How many accounts the server has.' }),
    activeUsers: t.exposeInt('activeUsers', { description: 'Number of people who may sign in.' }),
    projects: t.exposeInt('projects', { description: 'How many projects the server has.' }),
    groups: t.exposeInt('groups', { description: 'How many groups the server has.' }),
  }),
});

builder.queryFields((t) => ({
  serverStatistics: t.field({
    type: ServerStatistics,
    description: 'How much there is of what on the server. For administrators.',
    resolve: (_root, _args, context) => serverStatistics(context),
  }),
}));

import { builder } from '#schema/builder.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { connectionOf } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';

export const MilestoneState = builder.enumType('MilestoneState', {
  description: 'Whether a milestone is still aimed at.',
  values: {
    ACTIVE: { value: 'active', description: 'It is.' },
    CLOSED: { value: 'closed', description: 'It is over.' },
  } as const,
});

export const Milestone = builder.prismaObject('Milestone', {
  description: 'A goal that issues and merge requests are gathered under.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({ description: 'Global ID.', resolve: ({ id }) => toGlobalId('Milestone', id) }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID, as the REST API uses it.' }),
    iid: t.exposeInt('iid', { description: 'Number within the project.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; `project` leads to it.' }),
    project: t.field(ownProject),
    title: t.exposeString('title', { description: 'Unique within the project.' }),
    description: t.exposeString('description', { nullable: true, description: 'Markdown.' }),
    state: t.expose('state', { type: MilestoneState, description: 'Whether it is still aimed at.' }),
    startDate: t.expose('startDate', { type: 'Date', nullable: true, description: 'First day.' }),
    dueDate: t.expose('dueDate', { type: 'Date', nullable: true, description: 'Last day.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});

export const MilestoneConnection = connectionOf('Milestone', Milestone);

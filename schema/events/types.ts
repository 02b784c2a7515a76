import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { Project } from '#schema/projects/types.ts';
import { avatarUrl, User } from '#schema/users/types.ts';
import { type EventRow, listProjectEvents, listUserEvents } from '#src/events/list.ts';
import { withAddresses } from '#src/repository/push_data.ts';

builder.scalarType('JSON', {
  description: 'Any JSON value, read only.',
  serialize: (value) => value,
});

export const Event = builder.objectRef<EventRow>('Event');
Event.implement({
  description: 'Something that somebody did in a project.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID; a later event has a larger one.' }),
    title: t.string({ nullable: true, description: 'Always null: the REST API has it.', resolve: () => null }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project.' }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'Where it happened.',
      resolve: ({ projectId }, _args, { loaders }) => loaders.project.load(projectId),
    }),
    actionName: t.exposeString('action', { description: 'What was done: `opened`, `closed`, `created`, `joined` …' }),
    targetId: t.exposeInt('targetId', { nullable: true, description: 'Numeric ID of what it was done to.' }),
    targetType: t.exposeString('targetType', { nullable: true, description: 'Kind of what it was done to: `Issue` …' }),
    targetTitle: t.exposeString('targetTitle', { nullable: true, description: 'Its title.' }),
    author: t.expose('author', { type: User, description: 'Who did it.' }),
    authorId: t.int({ description: 'Numeric ID of who did it.', resolve: ({ author }) => author.id }),
    authorUsername: t.string({ description: 'Username of who did it.', resolve: ({ author }) => author.username }),
    data: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What was pushed; null for anything else.',
      resolve: ({ data, author: { avatarHash } }, _args, { baseUrl, avatars }) =>
        withAddresses(data, baseUrl, avatars ? avatarUrl(avatarHash) : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When.' }),
  }),
});

export const EventConnection = connectionOf('Event', Event);

builder.objectFields(Project, (t) => ({
  events: t.field({
    type: EventConnection,
    description: 'What happened in it, as far as the caller sees, newest first.',
    args: pageArgs,
    resolve: (project, args, context, info) =>
      loadPage(args, info, (page) => listProjectEvents(context, project, page)),
  }),
}));

builder.objectFields(User, (t) => ({
  events: t.field({
    type: EventConnection,
    description: 'What they did in projects that the caller sees, newest first.',
    args: pageArgs,
    resolve: ({ id }, args, context, info) => loadPage(args, info, (page) => listUserEvents(context, id, page)),
  }),
}));

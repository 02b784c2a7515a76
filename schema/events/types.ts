import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { Note } from '#schema/notes/types.ts';
import { projectOf } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { avatarUrl, User } from '#schema/users/types.ts';
import { type EventRow, listProjectEvents, listUserEvents, type Shown } from '#src/domain/activity/list_events.ts';
import { withAddresses } from '#src/domain/repository/push_data.ts';

builder.scalarType('JSON', {
  description: 'Any JSON value.',
  serialize: (value) => value,
});

const EventAction = builder.enumType('EventAction', {
  description: 'What a user did in a project.',
  values: {
    CREATED: { value: 'created', description: 'Created the project itself.' },
    IMPORTED: { value: 'imported', description: 'Imported the repository of the project.' },
    PUSHED_NEW: { value: 'pushed new', description: 'Pushed a new branch or tag.' },
    PUSHED_TO: { value: 'pushed to', description: 'Pushed to a branch or tag.' },
    DELETED: { value: 'deleted', description: 'Deleted a branch or tag.' },
    OPENED: { value: 'opened', description: 'Opened or reopened an issue, merge request or milestone.' },
    CLOSED: { value: 'closed', description: 'Closed an issue, merge request or milestone.' },
    ACCEPTED: { value: 'accepted', description: 'Merged a merge request.' },
    APPROVED: { value: 'approved', description: 'Approved a merge request.' },
    DESTROYED: { value: 'destroyed', description: 'Deleted an issue or merge request of the project.' },
    COMMENTED_ON: { value: 'commented on', description: 'Commented on a commit, issue or merge request.' },
    JOINED: { value: 'joined', description: 'Became a member of the project.' },
    LEFT: { value: 'left', description: 'Stopped being a member of the project.' },
  } as const,
});

const EventTarget = builder.enumType('EventTarget', {
  description: 'What an event is about.',
  values: {
    ISSUE: { value: 'Issue', description: 'An issue of the project.' },
    MERGE_REQUEST: { value: 'MergeRequest', description: 'A merge request of the project.' },
    MILESTONE: { value: 'Milestone', description: 'A milestone of the project.' },
    NOTE: { value: 'Note', description: 'A comment on a commit, issue or merge request.' },
  } as const,
});

export const Event = builder.objectRef<EventRow>('Event');
Event.implement({
  description: 'Something that a user did in a project, such as pushing commits or opening an issue.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the event; later events have larger ones.' }),
    title: t.string({
      nullable: true,
      description: 'Always null, for compatibility with the REST API.',
      resolve: () => null,
    }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field({
      type: Project,
      nullable: true,
      description: 'The project that the event happened in; null if the caller cannot see it.',
      resolve: ({ projectId }, _args, context, info) => projectOf(context, info, projectId),
    }),
    actionName: t.field({
      type: EventAction,
      description: 'What the user did.',
      resolve: ({ action }) => action as 'opened',
    }),
    targetId: t.exposeInt('targetId', {
      nullable: true,
      description: 'Numeric ID of the record that the event is about; null without one.',
    }),
    targetType: t.field({
      type: EventTarget,
      nullable: true,
      description: 'Type of the record that the event is about; null without one.',
      resolve: ({ targetType }) => targetType as 'Issue' | null,
    }),
    targetTitle: t.exposeString('targetTitle', {
      nullable: true,
      description: 'Title of the record that the event is about; null without one.',
    }),
    author: t.expose('author', { type: User, description: 'The user who caused the event.' }),
    authorId: t.int({
      description: 'Numeric ID of the user who caused the event.',
      resolve: ({ author }) => author.id,
    }),
    authorUsername: t.string({
      description: 'Username of the user who caused the event.',
      resolve: ({ author }) => author.username,
    }),
    data: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Branch, hashes and commits of a push, as the REST API returns them; null for other events.',
      resolve: ({ data, author }, _args, context) =>
        withAddresses(data, context.baseUrl, avatarUrl(author, context), context.ssh),
    }),
    note: t.field({
      type: Note,
      nullable: true,
      description: 'The comment that was written; null for other events.',
      // The note is read with the event.
      resolve: ({ note }) => note as typeof Note.$inferType | null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the event happened.' }),
  }),
});

export const EventConnection = connectionOf('Event', Event);

/** What a document requests of the authors of events, and of the comments. */
export function shownAt(info: GraphQLResolveInfo): Shown {
  return { users: selectionAt(info, 'User'), notes: selectionAt(info, 'Note') };
}

builder.objectField(EventConnection, 'newestId', (t) =>
  t.int({
    nullable: true,
    description: 'Numeric ID of the newest event, for `upTo` of the pages that follow; null on later pages.',
    resolve: ({ nodes: [newest], offset }) => (offset === 0 && newest ? newest.id : null),
  }),
);

const eventArgs = builder.args((t) => ({
  ...pageArgs,
  upTo: t.int({
    description: 'Only events up to the one with this numeric ID, so that pages do not shift when new events arrive.',
  }),
}));

builder.objectFields(Project, (t) => ({
  events: t.field({
    type: EventConnection,
    description: 'The events of the project that the caller can see, newest first.',
    args: eventArgs,
    resolve: (project, args, context, info) =>
      loadPage(args, info, (page) => listProjectEvents(context, project, { ...page, upTo: args.upTo }, shownAt(info))),
  }),
}));

builder.objectFields(User, (t) => ({
  events: t.field({
    type: EventConnection,
    description: 'The events that the user caused in projects that the caller can see, newest first.',
    args: eventArgs,
    resolve: ({ id }, args, context, info) =>
      loadPage(args, info, (page) => listUserEvents(context, id, { ...page, upTo: args.upTo }, shownAt(info))),
  }),
}));

import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { projectOf } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { avatarUrl, User } from '#schema/users/types.ts';
import { type EventRow, listProjectEvents, listUserEvents, type NoteRow } from '#src/events/list.ts';
import { withAddresses } from '#src/repository/push_data.ts';

builder.scalarType('JSON', {
  description: 'Any JSON value, read only.',
  serialize: (value) => value,
});

const Note = builder.objectRef<NoteRow>('Note').implement({
  description: 'What somebody said of something.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID.' }),
    body: t.exposeString('body', { description: 'What was said, in Markdown.' }),
    attachment: t.string({ nullable: true, description: 'Always null: the REST API has it.', resolve: () => null }),
    author: t.expose('author', { type: User, description: 'Who said it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was said.' }),
    updatedAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was last changed.' }),
    system: t.boolean({ description: 'Whether the server said it by itself.', resolve: () => false }),
    noteableId: t.int({
      nullable: true,
      description: 'Numeric ID of what it is about; a commit has none.',
      resolve: () => null,
    }),
    noteableType: t.string({ description: 'Kind of what it is about: `Commit`.', resolve: () => 'Commit' }),
  }),
});

const EventAction = builder.enumType('EventAction', {
  description: 'What somebody did.',
  values: {
    CREATED: { value: 'created', description: 'Created the project.' },
    IMPORTED: { value: 'imported', description: 'Imported the repository of the project.' },
    PUSHED_NEW: { value: 'pushed new', description: 'Pushed a branch or tag that was not there.' },
    PUSHED_TO: { value: 'pushed to', description: 'Pushed to a branch or tag.' },
    DELETED: { value: 'deleted', description: 'Deleted a branch or tag.' },
    OPENED: { value: 'opened', description: 'Opened or reopened an issue or milestone.' },
    CLOSED: { value: 'closed', description: 'Closed an issue or milestone.' },
    DESTROYED: { value: 'destroyed', description: 'Deleted an issue.' },
    COMMENTED_ON: { value: 'commented on', description: 'Commented on a commit.' },
    JOINED: { value: 'joined', description: 'Became a member of the project.' },
    LEFT: { value: 'left', description: 'Stopped being a member of the project.' },
  } as const,
});

const EventTarget = builder.enumType('EventTarget', {
  description: 'What somebody did something to.',
  values: {
    ISSUE: { value: 'Issue', description: 'An issue of the project.' },
    MILESTONE: { value: 'Milestone', description: 'A milestone of the project.' },
    NOTE: { value: 'Note', description: 'A comment on a commit.' },
  } as const,
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
      resolve: ({ projectId }, _args, context, info) => projectOf(context, info, projectId),
    }),
    actionName: t.field({
      type: EventAction,
      description: 'What was done.',
      resolve: ({ action }) => action as 'opened',
    }),
    targetId: t.exposeInt('targetId', { nullable: true, description: 'Numeric ID of what it was done to.' }),
    targetType: t.field({
      type: EventTarget,
      nullable: true,
      description: 'Kind of what it was done to; null for pushes, and for what was done to the project.',
      resolve: ({ targetType }) => targetType as 'Issue' | null,
    }),
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
    note: t.expose('note', { type: Note, nullable: true, description: 'What was said; null for anything else.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When.' }),
  }),
});

export const EventConnection = connectionOf('Event', Event);

builder.objectField(EventConnection, 'newestId', (t) =>
  t.int({
    nullable: true,
    description: 'Numeric ID of the newest event, for `upTo` of the pages that follow; null but on the first page.',
    resolve: ({ nodes: [newest], offset }) => (offset === 0 && newest ? newest.id : null),
  }),
);

const eventArgs = builder.args((t) => ({
  ...pageArgs,
  upTo: t.int({ description: 'Only the feed as it was when the event with this ID was its newest one.' }),
}));

builder.objectFields(Project, (t) => ({
  events: t.field({
    type: EventConnection,
    description: 'What happened in it, as far as the caller sees, newest first.',
    args: eventArgs,
    resolve: (project, args, context, info) =>
      loadPage(args, info, (page) =>
        listProjectEvents(context, project, { ...page, upTo: args.upTo }, selectionAt(info, 'User')),
      ),
  }),
}));

builder.objectFields(User, (t) => ({
  events: t.field({
    type: EventConnection,
    description: 'What they did in projects that the caller sees, newest first.',
    args: eventArgs,
    resolve: ({ id }, args, context, info) =>
      loadPage(args, info, (page) =>
        listUserEvents(context, id, { ...page, upTo: args.upTo }, selectionAt(info, 'User')),
      ),
  }),
}));

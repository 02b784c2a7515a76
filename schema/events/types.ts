import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, type PageArgs, pageArgs } from '#schema/connection.ts';
import { type NoteKind, noteType } from '#schema/discussions/types.ts';
import { shownAt } from '#schema/events/shown.ts';
import { Group } from '#schema/groups/types.ts';
import { sortField } from '#schema/inputs.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { Note } from '#schema/notes/types.ts';
import { projectOf } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { avatarUrl, User } from '#schema/users/types.ts';
import { requireActor } from '#src/access/permissions/actor.ts';
import { type ContributionDay as Contribution, countContributions } from '#src/domain/activity/contributions.ts';
import {
  type EventFilter as EventFilterValues,
  type EventPageRequest,
  type EventRow,
  listEventsOfMemberships,
  listGroupEvents,
  listProjectEvents,
  listUserEvents,
  type Shown,
} from '#src/domain/activity/list_events.ts';
import { type PushSummary, pushSummary, withAddresses } from '#src/domain/repository/push_data.ts';
import type { Direction, Page } from '#src/platform/page.ts';

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
    NOTE: { value: 'Note', description: 'A single comment on a commit, issue or merge request.' },
    DISCUSSION_NOTE: { value: 'DiscussionNote', description: 'A comment in a thread.' },
    DIFF_NOTE: { value: 'DiffNote', description: 'A comment in a thread on a line or a file.' },
  } as const,
});

const PushAction = builder.enumType('PushAction', {
  description: 'What a push did to a branch or tag.',
  values: {
    CREATED: { value: 'created', description: 'It created the branch or tag.' },
    REMOVED: { value: 'removed', description: 'It deleted the branch or tag.' },
    PUSHED: { value: 'pushed', description: 'It moved the branch or tag.' },
  } as const,
});

const PushRefType = builder.enumType('PushRefType', {
  description: 'What a push changed.',
  values: {
    BRANCH: { value: 'branch', description: 'It changed a branch of the repository.' },
    TAG: { value: 'tag', description: 'It changed a tag of the repository.' },
  } as const,
});

const EventPush = builder.objectRef<PushSummary>('EventPush').implement({
  description: 'The change of one branch or tag, in short; `data` of the event has its commits.',
  fields: (t) => ({
    commitCount: t.exposeInt('commitCount', { description: 'How many commits were pushed.' }),
    action: t.expose('action', { type: PushAction, description: 'What happened to the branch or tag.' }),
    refType: t.expose('refType', { type: PushRefType, description: 'Whether it is a branch or a tag.' }),
    ref: t.exposeString('ref', { description: 'Name of the branch or tag, without `refs/heads/` or `refs/tags/`.' }),
    commitFrom: t.exposeString('commitFrom', {
      nullable: true,
      description: 'Full hash where the branch or tag was before; null if it is new.',
    }),
    commitTo: t.exposeString('commitTo', {
      nullable: true,
      description: 'Full hash where the branch or tag is afterwards; null if it was deleted.',
    }),
    refCount: t.int({
      nullable: true,
      description: 'Always null, as each branch and tag of a push has an event of its own.',
      resolve: () => null,
    }),
    commitTitle: t.exposeString('commitTitle', {
      nullable: true,
      description: 'First line of the message of the latest commit, at most 70 characters; null without commits.',
    }),
  }),
});

export const Event = builder.objectRef<EventRow>('Event');
Event.implement({
  description: 'Something that a user did in a project, such as pushing commits or opening an issue.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the event.',
      resolve: ({ id }) => toGlobalId('Event', id),
    }),
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
    targetIid: t.exposeInt('targetIid', {
      nullable: true,
      description:
        'Number within the project of the issue, merge request or milestone that the event is about, or the ID of the comment; null without one, and if it is gone.',
    }),
    targetType: t.field({
      type: EventTarget,
      nullable: true,
      description: 'Type of the record that the event is about; null without one.',
      resolve: ({ targetType, note }) => (note ? noteType(note as NoteKind) : null) ?? (targetType as 'Issue' | null),
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
    push: t.field({
      type: EventPush,
      nullable: true,
      description: 'The push in short; null for other events.',
      resolve: ({ data }) => pushSummary(data),
    }),
    note: t.field({
      type: Note,
      nullable: true,
      description: 'The comment that was written; null for other events.',
      // The note is read with the event.
      resolve: ({ note }) => note as typeof Note.$inferType | null,
    }),
    imported: t.boolean({
      description: 'Whether it was imported from another server. Imports bring repositories only, so none is.',
      resolve: () => false,
    }),
    importedFrom: t.string({
      description: 'From what kind of server it was imported: always `none`, as nothing is.',
      resolve: () => 'none',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the event happened.' }),
  }),
});

export const EventConnection = connectionOf('Event', Event);

builder.objectField(EventConnection, 'newestId', (t) =>
  t.int({
    nullable: true,
    description:
      'Numeric ID of the newest event, for `upTo` of the pages that follow; null on later pages, and if the oldest comes first: then new events shift nothing.',
    resolve: (page) => (page.offset === 0 && isNewestFirst(page) ? (page.nodes[0]?.id ?? null) : null),
  }),
);

const EventActivity = builder.enumType('EventActivity', {
  description: 'What events can be filtered by: each stands for one action or several.',
  values: {
    CREATED: { value: 'created', description: 'Created or imported a project, or opened a new record.' },
    UPDATED: { value: 'updated', description: 'No event is recorded for this.' },
    CLOSED: { value: 'closed', description: 'Closed an issue, merge request or milestone.' },
    REOPENED: { value: 'reopened', description: 'Reopened an issue, merge request or milestone.' },
    PUSHED: { value: 'pushed', description: 'Pushed to a branch or tag, or deleted one.' },
    COMMENTED: { value: 'commented', description: 'Commented on a commit, issue or merge request.' },
    MERGED: { value: 'merged', description: 'Merged a merge request.' },
    JOINED: { value: 'joined', description: 'Became a member of a project.' },
    LEFT: { value: 'left', description: 'Stopped being a member of a project.' },
    DESTROYED: { value: 'destroyed', description: 'Deleted an issue or merge request.' },
    EXPIRED: { value: 'expired', description: 'No event is recorded for memberships that expire.' },
    APPROVED: { value: 'approved', description: 'Approved a merge request.' },
  } as const,
});

const EventTargetFilter = builder.enumType('EventTargetFilter', {
  description: 'What events can be filtered by that are about something.',
  values: {
    ISSUE: { value: 'issue', description: 'Events about issues of a project.' },
    MILESTONE: { value: 'milestone', description: 'Events about milestones of a project.' },
    MERGE_REQUEST: { value: 'merge_request', description: 'Events about merge requests of a project.' },
    NOTE: { value: 'note', description: 'Events about comments, whatever they are on.' },
    PROJECT: { value: 'project', description: 'Projects themselves and who joins and leaves them.' },
    SNIPPET: { value: 'snippet', description: 'Snippets: no event is recorded for them.' },
    USER: { value: 'user', description: 'Users: no event is recorded for them.' },
    WIKI: { value: 'wiki', description: 'Wikis: no event is recorded for them.' },
    DESIGN: { value: 'design', description: 'Designs: no event is recorded for them.' },
    EPIC: { value: 'epic', description: 'Epics: no event is recorded for them, as there are none.' },
  } as const,
});

const EventScope = builder.enumType('EventScope', {
  description: 'Whose events are listed.',
  values: {
    OWN: { value: 'own', description: 'The events that the caller caused.' },
    ALL: { value: 'all', description: 'All events in the projects that the caller is a member of.' },
  } as const,
});

const EventFilter = builder.inputType('EventFilter', {
  description: 'Which events are listed.',
  fields: (t) => ({
    action: t.field({ type: EventActivity, description: 'Only events in which a user did this.' }),
    targetType: t.field({ type: EventTargetFilter, description: 'Only events about such records.' }),
    before: t.field({ type: 'Date', description: 'Only events of days before this one (UTC).' }),
    after: t.field({ type: 'Date', description: 'Only events of days after this one (UTC).' }),
  }),
});

const eventArgs = builder.args((t) => ({
  ...pageArgs,
  filter: t.field({ type: EventFilter, description: 'Which events are listed; all if left out.' }),
  sort: sortField(t, 'desc'),
  upTo: t.int({
    description: 'Only events up to the one with this numeric ID, so that pages do not shift when new events arrive.',
  }),
}));

interface EventArgs extends PageArgs {
  upTo?: number | null | undefined;
  filter?: Omit<EventFilterValues, 'sort'> | null | undefined;
  sort: Direction;
}

/** Loads a page of a feed. */
async function feed(
  args: EventArgs,
  info: GraphQLResolveInfo,
  list: (page: EventPageRequest, shown: Shown) => Promise<Page<EventRow>>,
) {
  const { upTo, filter, sort } = args;
  const asked = { upTo, filter: { ...filter, sort } };
  const page = await loadPage(args, info, (page) => list({ ...page, ...asked }, shownAt(info)));
  return Object.assign(page, { sort });
}

function isNewestFirst(page: object): boolean {
  return 'sort' in page && page.sort === 'desc';
}

builder.objectFields(Project, (t) => ({
  events: t.field({
    type: EventConnection,
    description: 'The events of the project that the caller can see, newest first by default.',
    args: eventArgs,
    resolve: (project, args, context, info) =>
      feed(args, info, (page, shown) => listProjectEvents(context, project, page, shown)),
  }),
}));

builder.objectFields(Group, (t) => ({
  events: t.field({
    type: EventConnection,
    description:
      'The events in the projects of the group and the groups inside that the caller can see, newest first by default.',
    args: eventArgs,
    resolve: (group, args, context, info) =>
      feed(args, info, (page, shown) => listGroupEvents(context, group, page, shown)),
  }),
}));

const ContributionDay = builder.objectRef<Contribution>('ContributionDay').implement({
  description: 'How much a user did on a day.',
  fields: (t) => ({
    day: t.expose('day', { type: 'Date', description: 'The day (UTC) of the events.' }),
    count: t.exposeInt('count', { description: 'Number of events that the caller can see.' }),
  }),
});

builder.objectFields(User, (t) => ({
  contributions: t.field({
    type: [ContributionDay],
    description:
      'How many events the user caused on each day (UTC) that has any, in projects and on issues that the caller can see; oldest first. At most 366 days.',
    args: {
      since: t.arg({ type: 'Date', description: 'The first day that counts; without it, a year before the last one.' }),
      until: t.arg({ type: 'Date', description: 'The last day that counts; without it, today.' }),
    },
    resolve: ({ id }, range, context, info) =>
      loaderAt<number, Contribution[]>(context, info, { key: '' }, (ids) =>
        countContributions(context, ids, range),
      ).load(id),
  }),
  events: t.field({
    type: EventConnection,
    description: 'The events that the user caused in projects that the caller can see, newest first by default.',
    args: eventArgs,
    resolve: ({ id }, args, context, info) =>
      feed(args, info, (page, shown) => listUserEvents(context, id, page, shown)),
  }),
}));

builder.queryFields((t) => ({
  events: t.field({
    type: EventConnection,
    description:
      'The events that the caller caused, or all those in the projects that the caller is a member of, as far as the caller can see them. For signed-in callers.',
    args: {
      ...eventArgs,
      scope: t.arg({ type: EventScope, required: true, defaultValue: 'own', description: 'Whose events are listed.' }),
    },
    resolve: (_root, { scope, ...args }, context, info) =>
      feed(args, info, (page, shown) =>
        scope === 'all'
          ? listEventsOfMemberships(context, page, shown)
          : listUserEvents(context, requireActor(context).id, page, shown),
      ),
  }),
}));

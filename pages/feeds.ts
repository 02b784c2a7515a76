import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { Entry, Feed } from '#pages/engine/atom.ts';
import { local, path } from '#pages/engine/helpers.ts';
import { calendar, type Facts, feed } from '#pages/engine/row.ts';
import { toldEvents } from '#pages/events.ts';
import { PLACES, type PlaceKind, shownIn } from '#pages/place.ts';
import {
  CommitFeedDocument,
  type DueIssueFragment,
  type EventLineFragment,
  GroupActivityFeedDocument,
  GroupDueIssuesDocument,
  type GroupDueIssuesQuery,
  GroupIssueFeedDocument,
  type GroupIssueFeedQuery,
  IssueFeedDocument,
  type IssueFeedQuery,
  OwnDueIssuesDocument,
  ProjectActivityFeedDocument,
  ProjectDueIssuesDocument,
  type ProjectDueIssuesQuery,
  ReleaseFeedDocument,
  StartActivityFeedDocument,
  TagFeedDocument,
  UserActivityFeedDocument,
} from '#src/generated/page_operations.ts';

const issuesOf = (kind: PlaceKind, operation: TypedDocumentNode<IssueFeedQuery | GroupIssueFeedQuery, never>) =>
  feed({
    path: `${PLACES[kind]}/issues.atom`,
    operation,
    found: ({ place }) => place,
    feed: (place, { url, t }) => ({
      title: `${t('Issues')} · ${place.fullPath}`,
      path: `${shownIn(kind, place).base}/issues${url.search}`,
      entries: place.issues.nodes.map((issue) => ({
        key: `issue/${issue.databaseId}`,
        title: issue.title,
        path: local(issue.webUrl),
        updated: issue.updatedAt,
        author: issue.author.name,
        text: issue.descriptionHtml,
        isHtml: true,
      })),
    }),
  });

/** Milliseconds for which what was due stays in calendars. */
const KEPT = 14 * 24 * 60 * 60 * 1000;

/** What is due from two weeks ago on: the filter of a list with what else the address says. */
const sinceLately = (given: Facts['given']) => ({ ...given, since: new Date(Date.now() - KEPT).toISOString() });

const dueDays = (issues: readonly DueIssueFragment[]) =>
  issues.flatMap(({ databaseId, iid, title, webUrl, dueDate, updatedAt, project }) =>
    dueDate === null
      ? []
      : [
          {
            ...{ key: `issue/${databaseId}`, path: local(webUrl), day: dueDate, updated: updatedAt },
            title: `${title} (${project.fullPath}#${iid})`,
          },
        ],
  );

const dueIssuesOf = (
  kind: PlaceKind,
  operation: TypedDocumentNode<ProjectDueIssuesQuery | GroupDueIssuesQuery, never>,
) =>
  calendar({
    path: `${PLACES[kind]}/issues.ics`,
    operation,
    variables: sinceLately,
    found: ({ place }) => place,
    calendar: (place, { t }) => ({
      title: `${t('Due dates')} · ${place.fullPath}`,
      days: dueDays(place.issues.nodes),
    }),
  });

/** What happened, in words. */
function entriesOf(events: readonly EventLineFragment[], t: Facts['t']): Entry[] {
  return toldEvents(events, t).map(({ databaseId, author, sentence, target, project, ...event }) => ({
    key: `event/${databaseId}`,
    title: [t(sentence, { author: author.name, target }), project && t('in {project}', { project: project.fullName })]
      .filter(Boolean)
      .join(' '),
    path: event.path,
    updated: event.createdAt,
    author: author.name,
    text: event.note?.body ?? event.push?.commitTitle ?? event.targetTitle ?? '',
    isHtml: false,
  }));
}

const activityOf = (
  name: string,
  page: string,
  { events: { nodes } }: { events: { nodes: EventLineFragment[] } },
  { t }: Facts,
): Feed => ({
  title: `${t('Activity')} · ${name}`,
  path: page,
  entries: entriesOf(nodes, t),
});

const ofGroup = (at: string) =>
  feed({
    path: at,
    operation: GroupActivityFeedDocument,
    found: ({ group }) => group,
    feed: (group, facts) => activityOf(group.fullPath, path('groups', group.fullPath, '-', 'activity'), group, facts),
    catchAll: at === '/:group.atom',
  });

/** What is new in projects and groups, by users, and on the start page, for feed readers; and what is due, for calendars. */
export const feeds = [
  feed({
    path: `${PLACES.project}/commits/*ref.atom`,
    operation: CommitFeedDocument,
    found: ({ project }) => project?.repository?.commits && { project, commits: project.repository.commits.nodes },
    feed: ({ project, commits }, { given, t }) => ({
      title: `${t('Commits')} · ${given.ref} · ${project.fullPath}`,
      path: path(project.fullPath, '-', 'commits', String(given.ref)),
      entries: commits.map((commit) => ({
        key: `project/${project.databaseId}/commit/${commit.sha}`,
        title: commit.title,
        path: path(project.fullPath, '-', 'commit', commit.sha),
        updated: String(commit.committedDate),
        author: commit.authorName,
        text: commit.message,
        isHtml: false,
      })),
    }),
  }),
  feed({
    path: `${PLACES.project}/tags.atom`,
    operation: TagFeedDocument,
    found: ({ project }) => project?.repository?.tags && { project, tags: project.repository.tags.nodes },
    feed: ({ project, tags }, { t }) => ({
      title: `${t('Tags')} · ${project.fullPath}`,
      path: path(project.fullPath, '-', 'tags'),
      entries: tags.map(({ name, message, createdAt, commit }) => ({
        key: `project/${project.databaseId}/tag/${name}`,
        title: name,
        path: path(project.fullPath, '-', 'commits', name),
        updated: String(createdAt ?? commit?.committedDate ?? new Date(0).toISOString()),
        author: commit?.authorName ?? '',
        text: message ?? commit?.title ?? '',
        isHtml: false,
      })),
    }),
  }),
  feed({
    path: `${PLACES.project}/releases.atom`,
    operation: ReleaseFeedDocument,
    found: ({ project }) => project,
    feed: ({ fullPath, releases }, { t }) => ({
      title: `${t('Releases')} · ${fullPath}`,
      path: path(fullPath, '-', 'releases'),
      entries: releases.nodes.map((release) => ({
        key: `release/${release.databaseId}`,
        title: release.name,
        path: path(fullPath, '-', 'releases', release.tagName),
        updated: release.releasedAt,
        author: release.author?.name ?? '',
        text: release.descriptionHtml,
        isHtml: true,
      })),
    }),
  }),
  issuesOf('project', IssueFeedDocument),
  issuesOf('group', GroupIssueFeedDocument),
  dueIssuesOf('project', ProjectDueIssuesDocument),
  dueIssuesOf('group', GroupDueIssuesDocument),
  calendar({
    path: '/dashboard/issues.ics',
    operation: OwnDueIssuesDocument,
    variables: sinceLately,
    found: ({ viewer, issues }) => viewer && issues,
    calendar: (issues, { t }) => ({ title: t('Your due dates'), days: dueDays(issues.nodes) }),
  }),
  feed({
    path: '/dashboard/projects.atom',
    operation: StartActivityFeedDocument,
    found: (data) => data,
    feed: (data, facts) => activityOf(facts.username ?? facts.t('your projects'), '/', data, facts),
  }),
  feed({
    path: '/:project.atom',
    operation: ProjectActivityFeedDocument,
    found: ({ project }) => project,
    feed: (project, facts) => activityOf(project.fullPath, path(project.fullPath, '-', 'activity'), project, facts),
    catchAll: true,
  }),
  ofGroup('/groups/:group.atom'),
  ofGroup('/:group.atom'),
  feed({
    path: '/:username.atom',
    operation: UserActivityFeedDocument,
    found: ({ user }) => user,
    feed: (user, facts) => activityOf(user.name, path(user.username), user, facts),
    catchAll: true,
  }),
];

import { calendar } from '#pages/calendar.ts';
import * as helpers from '#pages/engine/helpers.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import { toldEvents } from '#pages/events.ts';
import {
  ExploreGroupsPageDocument,
  ExplorePageDocument,
  GroupActivityPageDocument,
  GroupPageDocument,
  NewGroupPageDocument,
  NewProjectPageDocument,
  ProjectActivityPageDocument,
  SendNewGroupDocument,
  SendNewProjectDocument,
  UserPageDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const newProject = page({
  path: '/projects/new',
  operation: NewProjectPageDocument,
  view: 'explore/new_project',
  found: (data) => data.viewer && data,
  title: (_found, { t }) => t('New project'),
  show: ({ viewer, namespaces, appearance }) => ({
    viewer,
    namespaces: namespaces.nodes,
    guidelines: appearance?.newProjectGuidelinesHtml ?? '',
  }),
  signIn: true,
});

const newGroup = page({
  path: '/groups/new',
  operation: NewGroupPageDocument,
  view: 'explore/new_group',
  found: ({ viewer }) => viewer,
  title: (_found, { t }) => t('New group'),
  show: (viewer) => ({ viewer }),
  signIn: true,
});

/** Without a path, one is made from the name. */
const withoutEmptyPath = (given: Facts['given']) => ({ ...given, path: given.path === '' ? undefined : given.path });

/** What there is on the server, and how projects and groups begin. */
export const explore = [
  page({
    path: '/explore',
    operation: ExplorePageDocument,
    view: 'explore/projects',
    variables: (given) => ({ ...given, topics: given.topic === '' ? undefined : given.topic }),
    found: ({ projects, topics }) => projects && { projects, topics: topics.nodes },
    title: (_found, { t }) => t('Explore projects'),
    show: ({ projects, topics }, { given }) => ({
      ...{ projects, topics },
      languages: [...new Set(projects.nodes.flatMap(({ mainLanguage }) => mainLanguage ?? []))].sort(),
      sort: String(given.sort ?? 'last_activity_at'),
      direction: String(given.direction ?? 'desc'),
    }),
  }),
  page({
    path: '/explore/groups',
    operation: ExploreGroupsPageDocument,
    view: 'explore/groups',
    found: ({ groups }) => groups,
    title: (_found, { t }) => t('Explore groups'),
    show: (groups) => ({ groups }),
  }),
  newProject,
  form({
    path: '/projects',
    operation: SendNewProjectDocument,
    required: ['name'],
    says: label('The project was created.'),
    variables: withoutEmptyPath,
    goTo: ({ createProject }) => `/${createProject?.project.fullPath}`,
    again: newProject,
  }),
  newGroup,
  form({
    path: '/groups',
    operation: SendNewGroupDocument,
    says: label('The group was created.'),
    variables: withoutEmptyPath,
    goTo: ({ createGroup }) => `/groups/${createGroup?.group.fullPath}`,
    again: newGroup,
  }),
];

const group = (path: string) =>
  page({
    path,
    operation: GroupPageDocument,
    view: 'groups/group',
    found: (data) => data.group,
    title: (found) => found.fullName,
    show: (found) => ({ group: found, tab: 'overview' }),
    feed: (found) => `${helpers.path('groups', found.fullPath)}.atom`,
    catchAll: path === '/:group',
  });

const activity = (path: string) =>
  page({
    path,
    operation: ProjectActivityPageDocument,
    view: 'project/activity',
    found: ({ project }) => project,
    title: (project, { t }) => `${t('Activity')} · ${project.fullPath}`,
    show: (project, { t }) => ({
      project,
      tab: 'activity',
      events: toldEvents(project.events.nodes, t),
    }),
    feed: (project) => `${helpers.path(project.fullPath)}.atom`,
    catchAll: path === '/:project/activity',
  });

/** Pages of groups and users, and those around projects, whose paths are the most general. */
export const places = [
  activity('/:project/-/activity'),
  page({
    path: '/groups/:group/-/activity',
    operation: GroupActivityPageDocument,
    view: 'groups/activity',
    found: (data) => data.group,
    title: (found, { t }) => `${t('Activity')} · ${found.fullPath}`,
    show: (found, { t }) => ({
      group: found,
      tab: 'activity',
      events: toldEvents(found.events.nodes, t),
    }),
    feed: (found) => `${helpers.path('groups', found.fullPath)}.atom`,
  }),
  group('/groups/:group'),
  group('/:group'),
  activity('/:project/activity'),
  page({
    path: '/:username',
    operation: UserPageDocument,
    view: 'users/user',
    found: ({ user }) => user,
    title: (user) => `${user.name} (${user.username})`,
    show: (user, { t }) => ({
      user,
      calendar: calendar(user.contributions, new Date()),
      events: toldEvents(user.events.nodes, t),
    }),
    feed: (user) => `${helpers.path(user.username)}.atom`,
    catchAll: true,
  }),
];

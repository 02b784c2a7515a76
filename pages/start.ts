import { form, page } from '#pages/engine/row.ts';
import { toldEvents } from '#pages/events.ts';
import {
  FinishTodoDocument,
  FinishTodosDocument,
  FrontPageDocument,
  OwnIssuesPageDocument,
  OwnMergeRequestsPageDocument,
  StartPageDocument,
  TodosPageDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const SCOPES = [
  ['assigned_to_me', label('Assigned to you')],
  ['created_by_me', label('Created by you')],
];

/** The pages of the signed-in user: start, to-dos, own issues and merge requests. */
export const start = [
  // What visitors see.
  page({
    path: '/',
    operation: FrontPageDocument,
    view: 'home',
    found: ({ frontPage, projects }, { username }) =>
      username === null && frontPage ? { front: frontPage, projects: projects.nodes } : null,
    title: ({ front }, { t }) => front.title ?? t('Welcome'),
    show: (found) => found,
  }),
  page({
    path: '/',
    operation: StartPageDocument,
    view: 'start/start',
    found: (data) => data,
    title: (_found, { t }) => t('Start'),
    show: (data, { t }) => ({ ...data, events: toldEvents(data.events.nodes, t) }),
    feed: () => '/dashboard/projects.atom',
    signIn: true,
  }),
  page({
    path: '/dashboard/todos',
    operation: TodosPageDocument,
    view: 'start/todos',
    found: (data) => data,
    title: (_found, { t }) => t('To-dos'),
    show: (data, { given }) => ({ ...data, state: String(given.state ?? 'pending') }),
    signIn: true,
  }),
  form({
    path: '/dashboard/todos/done',
    operation: FinishTodosDocument,
    says: label('All to-dos are done.'),
    goTo: () => '/dashboard/todos',
  }),
  form({
    path: '/dashboard/todos/:id/done',
    operation: FinishTodoDocument,
    says: label('The to-do is done.'),
    goTo: () => '/dashboard/todos',
  }),
  page({
    path: '/dashboard/issues',
    operation: OwnIssuesPageDocument,
    view: 'start/subjects',
    found: ({ issues }) => issues,
    title: (_found, { t }) => t('Your issues'),
    show: (list, { given }) => ({
      list,
      resource: 'issues' as const,
      scopes: SCOPES,
      scope: String(given.scope ?? 'assigned_to_me'),
    }),
    signIn: true,
  }),
  page({
    path: '/dashboard/merge_requests',
    operation: OwnMergeRequestsPageDocument,
    view: 'start/subjects',
    found: ({ mergeRequests }) => mergeRequests,
    title: (_found, { t }) => t('Your merge requests'),
    show: (list, { given }) => ({
      list,
      resource: 'merge_requests' as const,
      scopes: [...SCOPES, ['reviews_for_me', label('To review')]],
      scope: String(given.scope ?? 'assigned_to_me'),
    }),
    signIn: true,
  }),
];

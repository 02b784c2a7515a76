import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { changedAlike, readChange } from '#pages/bulk.ts';
import { named } from '#pages/engine/asking.ts';
import { text } from '#pages/engine/fields.ts';
import { path } from '#pages/engine/helpers.ts';
import { localPath } from '#pages/engine/page.ts';
import { csv, type Facts, form, page } from '#pages/engine/row.ts';
import { LISTS as FILTERS, filterIn, isFiltered, parametersOf, statesOf, variablesOf, wordsOf } from '#pages/filter.ts';
import { commentForm, pageOfNote, THREADS, withSoughtNote } from '#pages/notes.ts';
import { inPlace, PLACES, type PlaceKind, shownIn } from '#pages/place.ts';
import {
  EditIssuePageDocument,
  GroupIssueListPageDocument,
  type GroupIssueListPageQuery,
  IssueImportedPageDocument,
  IssueImportPageDocument,
  IssueListPageDocument,
  type IssueListPageQuery,
  IssuePageDocument,
  type IssuePlaceFragment,
  IssueTableDocument,
  NewIssuePageDocument,
  SendIssueChangeDocument,
  SendIssueDeletionDocument,
  SendIssueEstimateDocument,
  SendIssueFactsDocument,
  SendIssueLinkDocument,
  SendIssueLinkRemovalDocument,
  SendIssueMoveDocument,
  SendIssueSpentTimeDocument,
  SendIssueStateDocument,
  SendIssueSubscriptionDocument,
  SendIssuesChangeDocument,
  SendIssueTableDocument,
  SendIssueUnsubscriptionDocument,
  SendMailInResetDocument,
  SendNewIssueDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const LIST = `${PLACES.project}/issues`;
const ONE = `${LIST}/:iid`;

const listOf = (kind: PlaceKind, operation: TypedDocumentNode<IssueListPageQuery | GroupIssueListPageQuery, never>) =>
  page({
    path: `${PLACES[kind]}/issues`,
    operation,
    view: 'issues/list',
    found: ({ place }) => place,
    title: (place, { t }) => `${t('Issues')} · ${place.fullPath}`,
    variables: (given, { username }) => ({
      ...given,
      labels: undefined,
      ...variablesOf(filterIn(given, 'issues'), username),
    }),
    show: (place, { given, username }) => {
      const filter = filterIn(given, 'issues');
      return {
        ...shownIn(kind, place),
        tab: 'issues',
        section: 'issues',
        issues: place.issues,
        filter,
        wordsOf: (but: Partial<typeof filter> = {}) => wordsOf(filter, but),
        isFiltered: isFiltered(filter),
        table: kind === 'project' && username ? tableOf(shownIn(kind, place).base, given, username) : null,
        names: FILTERS.issues,
        states: statesOf('issues'),
      };
    },
    feed: (place, { given, username, url }) => {
      const query = queryOf(given, username);
      return `${shownIn(kind, place).base}/issues.atom${url.search === '' ? '' : `?${query}`}`;
    },
  });

/** The parameters of what else shows a list: its feed, its table. */
function queryOf(given: Facts['given'], username: string | null): URLSearchParams {
  const query = parametersOf(filterIn(given, 'issues'), username);
  for (const name of ['sort', 'direction']) if (given[name] !== undefined) query.set(name, text(given[name]));
  return query;
}

/** Where the issues of a list are as a table. */
function tableOf(base: string, given: Facts['given'], username: string): string {
  return `${base}/issues.csv?${queryOf(given, username)}`;
}

/** The form that changes chosen issues of a list. */
const many = (kind: PlaceKind) =>
  form({
    path: `${PLACES[kind]}/issues/bulk`,
    operation: SendIssuesChangeDocument,
    required: ['ids'],
    lists: ['addLabels', 'removeLabels', 'assigneeUsernames'],
    variables: readChange,
    says: ({ updateIssues }) =>
      updateIssues?.unchanged.length
        ? label('Not all of the chosen ones were changed.')
        : label('The chosen issues were changed.'),
    goTo: (_data, { given }) => localPath(given.back, inPlace(given, 'issues')),
    shows: ({ updateIssues }, facts) =>
      updateIssues &&
      changedAlike(
        updateIssues.issues,
        updateIssues.unchanged.map(({ issue, message }) => ({ subject: issue, message })),
        inPlace(facts.given, 'issues'),
        facts,
      ),
  });

const newIssue = page({
  path: `${LIST}/new`,
  operation: NewIssuePageDocument,
  view: 'issues/new',
  found: ({ project }) => project,
  title: (project, { t }) => `${t('New issue')} · ${project.fullPath}`,
  show: (project, { given }) => ({
    project,
    tab: 'issues',
    templates: project.newDescription,
    // Tools link to a form that is filled in.
    before: {
      title: text(given.title),
      description: given.description === undefined ? (project.newDescription?.text ?? '') : text(given.description),
      confidential: given['issue[confidential]'] === 'true',
    },
  }),
  signIn: true,
});

const importIssues = page({
  path: `${LIST}/import`,
  operation: IssueImportPageDocument,
  view: 'issues/import',
  found: ({ project }) => (project?.viewerCanManageIssues ? project : null),
  title: (project, { t }) => `${t('Import issues')} · ${project.fullPath}`,
  show: (project) => ({ project, tab: 'issues' }),
  signIn: true,
});

const imported = page({
  path: `${LIST}/import/:import`,
  operation: IssueImportedPageDocument,
  view: 'issues/imported',
  found: ({ project }) => project?.issueImport && { project, issueImport: project.issueImport },
  title: ({ project }, { t }) => `${t('Import issues')} · ${project.fullPath}`,
  show: ({ project, issueImport }) => ({ project, issueImport, tab: 'issues' }),
  signIn: true,
});

const issue = page({
  path: ONE,
  operation: IssuePageDocument,
  view: 'issues/show',
  found: ({ project }) => project?.issue && { project, issue: project.issue },
  title: ({ project, issue }) => `${issue.title} (#${issue.iid}) · ${project.fullPath}`,
  show: ({ project, issue }) => ({ project, issue, tab: 'issues' }),
  variables: withSoughtNote,
  redirectTo: ({ project, issue }, facts) => pageOfNote(project.fullPath, issue.discussions, issue.note, facts),
  pageSize: THREADS,
});

/** A page about what is done with one issue, for those who may. */
const about = (
  name: 'edit' | 'move' | 'delete',
  title: string,
  right: 'viewerCanUpdate' | 'viewerCanMove' | 'viewerCanDelete',
) =>
  page({
    path: `${ONE}/${name}`,
    operation: EditIssuePageDocument,
    view: `issues/${name}`,
    found: ({ project }) => (project?.issue?.[right] ? { project, issue: project.issue } : null),
    title: ({ project, issue: { iid } }, { t }) => `${t(title, { iid })} · ${project.fullPath}`,
    show: ({ project, issue }) => ({
      project,
      issue,
      tab: 'issues',
      before: {
        ...issue,
        assigneeUsernames: issue.assignees.map(({ username }) => username).join(', '),
        labels: issue.labelTitles.join(', '),
        milestone: issue.milestone?.title,
      },
    }),
    signIn: true,
  });

const editIssue = about('edit', label('Edit issue #{iid}'), 'viewerCanUpdate');
const moveIssue = about('move', label('Move issue #{iid}'), 'viewerCanMove');
const deleteIssue = about('delete', label('Delete issue #{iid}'), 'viewerCanDelete');

const toIssue = ({ iid, project }: IssuePlaceFragment) => path(project.fullPath, '-', 'issues', iid);
const back = ({ given }: Facts) => path(String(given.project), '-', 'issues', String(given.iid));
const LISTS = ['labels', 'assigneeUsernames'];

export const issues = [
  listOf('project', IssueListPageDocument),
  listOf('group', GroupIssueListPageDocument),
  form({
    path: '/profile/mail_in/reset',
    operation: SendMailInResetDocument,
    says: label('Your addresses for incoming mail were reset.'),
    asks: ({ t, given }) => ({
      heading: t('Reset your addresses for incoming mail?'),
      says: [
        t(
          'Messages to the addresses that you have had so far are refused: replies to notifications, and new issues in any project.',
        ),
      ],
      button: t('Reset addresses'),
      back: localPath(given.back, '/profile'),
    }),
    goTo: (_data, { given }) => localPath(given.back, '/profile'),
  }),
  many('project'),
  many('group'),
  csv({
    path: `${PLACES.project}/issues.csv`,
    operation: IssueTableDocument,
    found: ({ project }) => project?.issuesCsv,
    csv: (table) => table,
  }),
  importIssues,
  form({
    path: importIssues.path,
    operation: SendIssueTableDocument,
    required: ['file'],
    says: label('The import has begun.'),
    takesFiles: true,
    goTo: ({ importIssues: sent }, facts) =>
      sent ? path(sent.import.project.fullPath, '-', 'issues', 'import', sent.import.databaseId) : back(facts),
    again: importIssues,
  }),
  imported,
  newIssue,
  form({
    path: LIST,
    operation: SendNewIssueDocument,
    required: ['title'],
    says: label('The issue was created.'),
    goTo: ({ createIssue }, facts) => (createIssue ? toIssue(createIssue.issue) : back(facts)),
    again: newIssue,
    lists: LISTS,
  }),
  issue,
  commentForm(ONE, issue),
  editIssue,
  form({
    path: `${ONE}/edit`,
    operation: SendIssueChangeDocument,
    says: label('The issue was saved.'),
    goTo: (_data, facts) => back(facts),
    again: editIssue,
    lists: LISTS,
  }),
  form({
    path: `${ONE}/facts`,
    operation: SendIssueFactsDocument,
    says: label('The issue was saved.'),
    goTo: (_data, facts) => back(facts),
    again: issue,
    lists: LISTS,
  }),
  form({
    path: `${ONE}/estimate`,
    operation: SendIssueEstimateDocument,
    says: label('The estimate was saved.'),
    goTo: (_data, facts) => back(facts),
    again: issue,
  }),
  form({
    path: `${ONE}/spent`,
    operation: SendIssueSpentTimeDocument,
    says: label('The time was added.'),
    goTo: (_data, facts) => back(facts),
    again: issue,
  }),
  form({
    path: `${ONE}/state`,
    operation: SendIssueStateDocument,
    required: ['stateEvent'],
    says: (_data, { given }) =>
      String(given.stateEvent).toUpperCase() === 'REOPEN'
        ? label('The issue is open again.')
        : label('The issue is closed.'),
    goTo: (_data, facts) => back(facts),
  }),
  form({
    path: `${ONE}/subscribe`,
    operation: SendIssueSubscriptionDocument,
    says: label('You are notified of what happens here.'),
    goTo: (_data, facts) => back(facts),
  }),
  form({
    path: `${ONE}/unsubscribe`,
    operation: SendIssueUnsubscriptionDocument,
    says: label('You are no longer notified of what happens here.'),
    goTo: (_data, facts) => back(facts),
  }),
  form({
    path: `${ONE}/links`,
    operation: SendIssueLinkDocument,
    says: label('The issue was linked.'),
    goTo: (_data, facts) => `${back(facts)}#linked`,
    again: issue,
  }),
  form({
    path: `${ONE}/links/:link/delete`,
    operation: SendIssueLinkRemovalDocument,
    names: { id: 'link' },
    says: label('The link was removed.'),
    asks: (facts) => ({
      heading: facts.t('Remove the link to {name}?', { name: named(facts.given) }),
      says: [facts.t('Both issues stay. They can be linked again.')],
      button: facts.t('Remove link'),
      back: `${back(facts)}#linked`,
    }),
    goTo: (_data, facts) => `${back(facts)}#linked`,
  }),
  moveIssue,
  form({
    path: `${ONE}/move`,
    operation: SendIssueMoveDocument,
    says: label('The issue was moved here.'),
    goTo: ({ moveIssue }, facts) => (moveIssue ? toIssue(moveIssue.issue) : back(facts)),
    again: moveIssue,
  }),
  deleteIssue,
  form({
    path: `${ONE}/delete`,
    operation: SendIssueDeletionDocument,
    says: label('The issue was deleted.'),
    asks: deleteIssue,
    again: null,
    goTo: (_data, { given }) => path(String(given.project), '-', 'issues'),
  }),
];

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { changedAlike, readChange } from '#pages/bulk.ts';
import { shownFiles } from '#pages/diff.ts';
import { text } from '#pages/engine/fields.ts';
import { path } from '#pages/engine/helpers.ts';
import { liveAt } from '#pages/engine/live.ts';
import { localPath } from '#pages/engine/page.ts';
import { type Facts, type Form, type FormOptions, form, page } from '#pages/engine/row.ts';
import { LISTS as FILTERS, filterIn, isFiltered, statesOf, variablesOf, wordsOf } from '#pages/filter.ts';
import { commentForm, pageOfNote, THREADS, withSoughtNote } from '#pages/notes.ts';
import { inPlace, PLACES, type PlaceKind, shownIn } from '#pages/place.ts';
import { batchForm, suggestedIn } from '#pages/suggestions.ts';
import {
  ChooseBranchesPageDocument,
  type DiffFilesFragment,
  EditMergeRequestPageDocument,
  GroupMergeRequestListPageDocument,
  type GroupMergeRequestListPageQuery,
  MergeRequestCommitsPageDocument,
  MergeRequestListPageDocument,
  type MergeRequestListPageQuery,
  MergeRequestPageDocument,
  type MergeRequestPageQuery,
  MergeRequestPipelinesPageDocument,
  MergeRequestsLiveDocument,
  NewMergeRequestPageDocument,
  type NewMergeRequestPageQuery,
  SendApprovalDocument,
  SendCancelMergeDocument,
  SendMergeDocument,
  SendMergeRequestChangeDocument,
  SendMergeRequestEstimateDocument,
  SendMergeRequestSpentTimeDocument,
  SendMergeRequestStateDocument,
  SendMergeRequestSubscriptionDocument,
  SendMergeRequestsChangeDocument,
  SendMergeRequestTodoDocument,
  SendMergeRequestUnsubscriptionDocument,
  SendNewMergeRequestDocument,
  SendRebaseDocument,
  SendReviewRequestDocument,
  SendSuggestionInOverviewDocument,
  SendUnapprovalDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

type Shown = NonNullable<MergeRequestPageQuery['project']>;
type MergeRequest = NonNullable<Shown['mergeRequest']>;

/** What keeps a merge request from being merged, in words. What to do about it is in the template. */
const MERGEABILITY: Record<MergeRequest['detailedMergeStatus'], string> = {
  MERGEABLE: label('Ready to merge'),
  NOT_OPEN: label('Not open'),
  DRAFT_STATUS: label('This is a draft: it can’t be merged before it is marked as ready.'),
  CONFLICT: label('The source branch conflicts with the target branch.'),
  DISCUSSIONS_NOT_RESOLVED: label('All threads must be resolved before it can be merged.'),
  NOT_APPROVED: label('More approvals are needed: see the rules above.'),
  CI_MUST_PASS: label('The pipeline must succeed before it can be merged.'),
  CI_STILL_RUNNING: label('The pipeline must succeed before it can be merged, and it is still running.'),
  COMMITS_STATUS: label('There is nothing to merge: a branch is gone, or the source branch has no commits of its own.'),
  PREPARING: label('The commits are being recorded. Reload the page in a moment.'),
  NEED_REBASE: label('The source branch lacks commits of the target branch: rebase it before it can be merged.'),
  UNCHECKED: label('It is being checked whether it can be merged. Reload the page in a moment.'),
};

const ACTIVE = ['CREATED', 'PENDING', 'RUNNING'];

/** A word of a shell command, quoted where it has to be. */
function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The commands with which somebody who may push to the source branch resolves conflicts. */
function resolvingCommands({ fullPath, httpUrlToRepo }: Shown, mergeRequest: MergeRequest, t: Facts['t']): string {
  const { sourceBranch, targetBranch, sourceProject } = mergeRequest;
  const origin = sourceProject?.fullPath === fullPath ? 'origin' : word(httpUrlToRepo);
  return [
    `git switch ${word(sourceBranch)}`,
    `git pull --no-rebase ${origin} ${word(targetBranch)}`,
    `# ${t('edit the files with conflicts, then:')}`,
    'git commit --all',
    `git push origin ${word(sourceBranch)}`,
  ].join('\n');
}

const listOf = (
  kind: PlaceKind,
  operation: TypedDocumentNode<MergeRequestListPageQuery | GroupMergeRequestListPageQuery, never>,
) =>
  page({
    path: `${PLACES[kind]}/merge_requests`,
    operation,
    view: 'merge_requests/list',
    found: ({ place }) => place,
    title: (place, { t }) => `${t('Merge requests')} · ${place.fullPath}`,
    variables: (given, { username }) => ({
      ...given,
      labels: undefined,
      ...variablesOf(filterIn(given, 'mergeRequests'), username),
    }),
    show: (place, { given }) => {
      const filter = filterIn(given, 'mergeRequests');
      return {
        ...shownIn(kind, place),
        tab: 'merge_requests',
        mergeRequests: place.mergeRequests,
        filter,
        wordsOf: (but: Partial<typeof filter> = {}) => wordsOf(filter, but),
        isFiltered: isFiltered(filter),
        names: FILTERS.mergeRequests,
        states: statesOf('mergeRequests'),
      };
    },
  });

/** The form that changes chosen merge requests of a list. */
const many = (kind: PlaceKind) =>
  form({
    path: `${PLACES[kind]}/merge_requests/bulk`,
    operation: SendMergeRequestsChangeDocument,
    required: ['ids'],
    lists: ['addLabels', 'removeLabels', 'assigneeUsernames'],
    variables: readChange,
    says: ({ updateMergeRequests }) =>
      updateMergeRequests?.unchanged.length
        ? label('Not all of the chosen ones were changed.')
        : label('The chosen merge requests were changed.'),
    goTo: (_data, { given }) => localPath(given.back, inPlace(given, 'merge_requests')),
    shows: ({ updateMergeRequests }, facts) =>
      updateMergeRequests &&
      changedAlike(
        updateMergeRequests.mergeRequests,
        updateMergeRequests.unchanged.map(({ mergeRequest, message }) => ({ subject: mergeRequest, message })),
        inPlace(facts.given, 'merge_requests'),
        facts,
      ),
  });

/** A form of one button with hidden fields, of which those that are null are left out. */
export interface ShownButton {
  path: string;
  label: string;
  fields: Readonly<Record<string, string | null>>;
  /** Classes of the button. */
  look: string;
}

/** What the parts of the overview get. */
export interface Overview {
  project: Shown;
  mergeRequest: MergeRequest;
  /** Address of the merge request. */
  base: string;
  /** The button that sends a form to an address below that. */
  action: (name: string, label: string, fields?: ShownButton['fields'], look?: string) => ShownButton;
}

/** What the overview shows. */
export function shownOverview({ project, mergeRequest }: Pick<Overview, 'project' | 'mergeRequest'>, { t }: Facts) {
  const { headPipeline, detailedMergeStatus } = mergeRequest;
  return {
    project,
    mergeRequest,
    mergeability: t(MERGEABILITY[detailedMergeStatus]),
    suggested: suggestedIn(mergeRequest.discussions.nodes),
    pipelineRuns: headPipeline !== null && ACTIVE.includes(headPipeline.status),
    commands: resolvingCommands(project, mergeRequest, t),
    live: mergeRequest.state === 'OPENED' ? liveAt(MergeRequestsLiveDocument, { project: project.fullPath }) : null,
    tab: 'merge_requests',
  };
}

const overview = page({
  path: '/:project/-/merge_requests/:iid',
  operation: MergeRequestPageDocument,
  view: 'merge_requests/overview',
  found: ({ project }) => (project?.mergeRequest ? { project, mergeRequest: project.mergeRequest } : null),
  title: ({ project, mergeRequest: { title, iid } }) => `${title} (!${iid}) · ${project.fullPath}`,
  show: shownOverview,
  variables: withSoughtNote,
  redirectTo: ({ project, mergeRequest: { discussions, note } }, facts) =>
    pageOfNote(project.fullPath, discussions, note, facts),
  pageSize: THREADS,
});

const edit = page({
  path: '/:project/-/merge_requests/:iid/edit',
  operation: EditMergeRequestPageDocument,
  view: 'merge_requests/edit',
  found: ({ project }) => {
    const mergeRequest = project?.mergeRequest;
    return mergeRequest?.viewerCanUpdate ? { project, mergeRequest } : null;
  },
  title: ({ project, mergeRequest: { iid } }, { t }) => `${t('Edit !{iid}', { iid })} · ${project?.fullPath}`,
  show: ({ project, mergeRequest }) => ({
    project,
    mergeRequest,
    tab: 'merge_requests',
    before: {
      title: mergeRequest.title,
      description: mergeRequest.description,
      targetBranch: mergeRequest.targetBranch,
      labels: mergeRequest.labelTitles.join(', '),
      assigneeUsernames: mergeRequest.assignees.map(({ username }) => username).join(', '),
      reviewerUsernames: mergeRequest.reviewers.map(({ username }) => username).join(', '),
      milestone: mergeRequest.milestone?.title,
      removeSourceBranch: mergeRequest.forceRemoveSourceBranch,
      squash: mergeRequest.squash,
    },
  }),
  signIn: true,
});

/** The target of the menu, a project and a branch, as what links name. */
function withTarget(given: Facts['given']): Facts['given'] {
  const [, project, branch] = /^([^:]+):(.+)$/.exec(text(given.target)) ?? [];
  return project === undefined ? given : { ...given, targetProjectId: project, targetBranch: branch };
}

/** Between two branches, as `?merge_request[source_branch]=…` names them. */
const newPage = page({
  path: '/:project/-/merge_requests/new',
  operation: NewMergeRequestPageDocument,
  view: 'merge_requests/new',
  variables: withTarget,
  listsFiles: true,
  // Without anything to preview the branches are chosen again, and where somebody asks for that.
  found: ({ project }, { given }) =>
    project?.viewerCanCreateMergeRequest && given.choose === undefined ? project : null,
  title: (project, { t }) => `${t('New merge request')} · ${project.fullPath}`,
  show: (project, facts) => ({
    project,
    preview: project.mergeRequestPreview,
    templates: project.mergeRequestPreview?.newDescription,
    diff: project.mergeRequestPreview?.comparison?.fileDiffs ?? null,
    files: filesOf(project.mergeRequestPreview?.comparison?.fileDiffs, facts),
    tab: 'merge_requests',
    before: beforeOpened(project, facts),
  }),
  signIn: true,
});

const filesOf = (diff: DiffFilesFragment | null | undefined, facts: Facts) => (diff ? shownFiles(diff, facts) : []);

/** What is in the form at first. */
function beforeOpened(project: NonNullable<NewMergeRequestPageQuery['project']>, { given }: Facts) {
  const preview = project.mergeRequestPreview;
  return {
    title: given.title === undefined ? preview?.title : text(given.title),
    description: given.description === undefined ? (preview?.newDescription?.text ?? '') : text(given.description),
    labels: '',
    assigneeUsernames: '',
    reviewerUsernames: '',
    removeSourceBranch: preview?.targetProject.removeSourceBranchAfterMerge,
    squash: ['ALWAYS', 'DEFAULT_ON'].includes(preview?.targetProject.squashOption ?? ''),
  };
}

const choose = page({
  path: '/:project/-/merge_requests/new',
  operation: ChooseBranchesPageDocument,
  view: 'merge_requests/choose',
  found: ({ project }) => (project?.viewerCanCreateMergeRequest ? project : null),
  title: (project, { t }) => `${t('New merge request')} · ${project.fullPath}`,
  show: (project) => ({ project, tab: 'merge_requests' }),
  signIn: true,
});

/** Address of the merge request that a form was about. */
function subject({ given }: Facts): string {
  return path(String(given.project), '-', 'merge_requests', String(given.iid));
}

/** Fields with several values, separated by commas. */
const PEOPLE_AND_LABELS = ['labels', 'assigneeUsernames', 'reviewerUsernames'];

/** A button on the overview: one mutation, after which that is shown again and says what was done. */
function button(
  name: string,
  operation: Parameters<typeof form>[0]['operation'],
  says: string | ((data: unknown, facts: Facts) => string),
  { names, lists }: Pick<FormOptions<unknown>, 'names' | 'lists'> = {},
): Form {
  return form({
    path: `/:project/-/merge_requests/:iid/${name}`,
    operation,
    names,
    lists,
    says,
    goTo: (_data, facts) => subject(facts),
    again: overview,
  });
}

function stateSaid(_data: unknown, { given: { event, draft } }: Facts): string {
  if (event === 'close') return label('The merge request is closed.');
  if (event === 'reopen') return label('The merge request is open again.');
  return draft === 'true' ? label('The merge request is a draft.') : label('The merge request is ready.');
}

export const mergeRequests = [
  listOf('project', MergeRequestListPageDocument),
  listOf('group', GroupMergeRequestListPageDocument),
  many('project'),
  many('group'),
  newPage,
  choose,
  form({
    path: '/:project/-/merge_requests',
    operation: SendNewMergeRequestDocument,
    says: label('The merge request was created.'),
    goTo: ({ createMergeRequest }) => {
      const made = createMergeRequest?.mergeRequest;
      return path(made?.project.fullPath ?? '', '-', 'merge_requests', made?.iid ?? '');
    },
    again: newPage,
    lists: PEOPLE_AND_LABELS,
  }),
  edit,
  form({
    path: '/:project/-/merge_requests/:iid/edit',
    operation: SendMergeRequestChangeDocument,
    says: label('The merge request was saved.'),
    goTo: (_data, { given }) => path(String(given.project), '-', 'merge_requests', String(given.iid)),
    again: edit,
    lists: PEOPLE_AND_LABELS,
  }),
  page({
    path: '/:project/-/merge_requests/:iid/commits',
    operation: MergeRequestCommitsPageDocument,
    view: 'merge_requests/commits',
    found: ({ project }) => (project?.mergeRequest ? { project, mergeRequest: project.mergeRequest } : null),
    title: ({ project, mergeRequest: { title, iid } }, { t }) =>
      `${t('Commits')} · ${title} (!${iid}) · ${project.fullPath}`,
    show: (found) => ({ ...found, tab: 'merge_requests' }),
  }),
  page({
    path: '/:project/-/merge_requests/:iid/pipelines',
    operation: MergeRequestPipelinesPageDocument,
    view: 'merge_requests/pipelines',
    found: ({ project }) => (project?.mergeRequest ? { project, mergeRequest: project.mergeRequest } : null),
    title: ({ project, mergeRequest: { title, iid } }, { t }) =>
      `${t('Pipelines')} · ${title} (!${iid}) · ${project.fullPath}`,
    show: (found) => ({ ...found, tab: 'merge_requests' }),
  }),
  overview,
  commentForm('/:project/-/merge_requests/:iid', overview),
  button('merge', SendMergeDocument, (_data, { given }) =>
    given.whenPipelineSucceeds === undefined
      ? label('The merge request was merged.')
      : label('The merge request will be merged when its pipeline succeeds.'),
  ),
  button(
    'cancel_merge',
    SendCancelMergeDocument,
    label('The merge request is no longer merged when its pipeline succeeds.'),
  ),
  button('rebase', SendRebaseDocument, label('The branch is being rebased.')),
  button('approve', SendApprovalDocument, label('You approved the merge request.')),
  button('unapprove', SendUnapprovalDocument, label('You took your approval back.')),
  form({
    path: '/:project/-/merge_requests/:iid/apply',
    operation: SendSuggestionInOverviewDocument,
    hidden: ['commitMessage'],
    says: label('The suggestion was applied.'),
    goTo: (_data, facts) =>
      `${subject(facts)}${facts.url.search}${/^\d{1,19}$/.test(String(facts.given.note)) ? `#note_${facts.given.note}` : ''}`,
    again: overview,
  }),
  batchForm('/:project/-/merge_requests/:iid', overview, (facts) => `${subject(facts)}${facts.url.search}`),
  button('request_review', SendReviewRequestDocument, label('The reviewer is asked for another review.')),
  button('state', SendMergeRequestStateDocument, stateSaid, { names: { stateEvent: 'event' } }),
  button('facts', SendMergeRequestStateDocument, label('The merge request was saved.'), { lists: PEOPLE_AND_LABELS }),
  button('estimate', SendMergeRequestEstimateDocument, label('The estimate was saved.')),
  button('spent', SendMergeRequestSpentTimeDocument, label('The time was added.')),
  button('subscribe', SendMergeRequestSubscriptionDocument, label('You are notified of what happens here.')),
  button(
    'unsubscribe',
    SendMergeRequestUnsubscriptionDocument,
    label('You are no longer notified of what happens here.'),
  ),
  button('todo', SendMergeRequestTodoDocument, label('The merge request is among your to-dos.')),
];

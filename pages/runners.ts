import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type Facts, form, type Page, page, type Shown } from '#pages/engine/row.ts';
import { inPlace, PLACES, type PlaceKind, shownIn } from '#pages/place.ts';
import {
  type CiFrameFragment,
  EditGroupRunnerPageDocument,
  type EditGroupRunnerPageQuery,
  EditRunnerPageDocument,
  type EditRunnerPageQuery,
  type GroupFrameFragment,
  GroupRunnerListPageDocument,
  type GroupRunnerListPageQuery,
  NewGroupRunnerPageDocument,
  type NewGroupRunnerPageQuery,
  NewRunnerPageDocument,
  type NewRunnerPageQuery,
  type NewRunnerTokenFragment,
  RunnerListPageDocument,
  type RunnerListPageQuery,
  SendNewGroupRunnerDocument,
  SendNewRunnerDocument,
  SendRunnerChangeDocument,
  SendRunnerDeletionDocument,
  SendRunnerStateDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

type Query<Data> = TypedDocumentNode<Data, never>;

interface Rows<Create extends Page> {
  list: Query<RunnerListPageQuery | GroupRunnerListPageQuery>;
  create: Create;
  edit: Query<EditRunnerPageQuery | EditGroupRunnerPageQuery>;
}

const shownOf = <Place extends { fullPath: string }>(kind: PlaceKind, place: Place) => ({
  ...shownIn(kind, place),
  tab: kind === 'project' ? 'pipelines' : 'runners',
  section: 'runners',
});

/** What the page of the token of a new runner shows. */
export function shownToken(
  kind: PlaceKind,
  place: CiFrameFragment | GroupFrameFragment,
  { token, runner }: NewRunnerTokenFragment,
) {
  return { ...shownOf(kind, place), token, runner };
}

/** The page that tells the token of a new runner, once. */
function tokenOf(
  kind: PlaceKind,
  place: CiFrameFragment | GroupFrameFragment | undefined,
  made: NewRunnerTokenFragment,
  { t }: Facts,
): Shown | null {
  if (!place) return null;
  const title = `${t('New runner')} · ${place.fullPath}`;
  return { view: 'runners/token', title, values: shownToken(kind, place, made) };
}

const tags = { lists: ['tagList'] };
const toList = (_data: unknown, { given }: Facts) => inPlace(given, 'runners');

/** The runners of projects and of groups, which are shown and changed alike, and the page for new ones. */
function runnersOf<Create extends Page>(kind: PlaceKind, { list, create, edit }: Rows<Create>) {
  const at = `${PLACES[kind]}/runners`;
  /** A page about what is done with one runner, for those who may. */
  const about = (name: 'edit' | 'delete', title: string, right: 'viewerCanUpdate' | 'viewerCanDelete') =>
    page({
      path: `${at}/:id/${name}`,
      operation: edit,
      view: `runners/${name}`,
      found: ({ place, runner }) => (place?.viewerCanManageRunners && runner?.[right] ? { place, runner } : null),
      title: ({ place, runner }, { t }) => `${t(title, { id: runner.databaseId })} · ${place.fullPath}`,
      show: ({ place, runner }) => ({ ...shownOf(kind, place), runner, before: runner }),
      signIn: true,
    });
  const [change, deletion] = [
    about('edit', label('Edit runner #{id}'), 'viewerCanUpdate'),
    about('delete', label('Delete runner #{id}'), 'viewerCanDelete'),
  ];
  const state = (word: string, paused: 'true' | 'false') =>
    form({
      path: `${at}/:id/${word}`,
      operation: SendRunnerStateDocument,
      required: ['paused'],
      says: paused === 'true' ? label('The runner is paused.') : label('The runner takes jobs again.'),
      variables: (given) => ({ ...given, paused }),
      goTo: toList,
    });
  return [
    page({
      path: at,
      operation: list,
      view: 'runners/list',
      found: ({ place }) => place,
      title: (place, { t }) => `${t('Runners')} · ${place.fullPath}`,
      show: (place, { given }) => ({
        ...shownOf(kind, place),
        runners: place.runners,
        status: given.status ?? 'all',
      }),
      signIn: true,
    }),
    create,
    change,
    form({
      path: `${at}/:id/edit`,
      operation: SendRunnerChangeDocument,
      says: label('The runner was saved.'),
      goTo: toList,
      again: change,
      ...tags,
    }),
    state('pause', 'true'),
    state('resume', 'false'),
    deletion,
    form({
      path: `${at}/:id/delete`,
      operation: SendRunnerDeletionDocument,
      says: label('The runner was deleted.'),
      goTo: toList,
      asks: deletion,
    }),
  ];
}

function newRunner(kind: PlaceKind, operation: Query<NewRunnerPageQuery | NewGroupRunnerPageQuery>) {
  return page({
    path: `${PLACES[kind]}/runners/new`,
    operation,
    view: 'runners/new',
    found: ({ place }) => (place?.viewerCanManageRunners ? place : null),
    title: (place, { t }) => `${t('New runner')} · ${place.fullPath}`,
    show: (place) => ({
      ...shownOf(kind, place),
      before: { description: '', tagList: [], runUntagged: true, locked: false, accessLevel: 'NOT_PROTECTED' as const },
    }),
    signIn: true,
  });
}

const newOfProject = newRunner('project', NewRunnerPageDocument);
const newOfGroup = newRunner('group', NewGroupRunnerPageDocument);

export const runners = [
  ...runnersOf('project', {
    list: RunnerListPageDocument,
    create: newOfProject,
    edit: EditRunnerPageDocument,
  }),
  form({
    path: `${PLACES.project}/runners`,
    operation: SendNewRunnerDocument,
    preset: { runnerType: 'PROJECT_TYPE' },
    says: label('The runner was created.'),
    goTo: toList,
    shows: ({ createRunner: made }, facts) => made && tokenOf('project', made.runner.projects.nodes[0], made, facts),
    again: newOfProject,
    ...tags,
  }),
  ...runnersOf('group', {
    list: GroupRunnerListPageDocument,
    create: newOfGroup,
    edit: EditGroupRunnerPageDocument,
  }),
  form({
    path: `${PLACES.group}/runners`,
    operation: SendNewGroupRunnerDocument,
    preset: { runnerType: 'GROUP_TYPE' },
    says: label('The runner was created.'),
    goTo: toList,
    shows: ({ createRunner: made }, facts) => made && tokenOf('group', made.runner.groups[0], made, facts),
    again: newOfGroup,
    ...tags,
  }),
];

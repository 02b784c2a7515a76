import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { named } from '#pages/engine/asking.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import { inPlace, PLACES, type PlaceKind, shownIn } from '#pages/place.ts';
import {
  type BoardCardsFragment,
  BoardListPageDocument,
  type BoardListPageQuery,
  BoardPageDocument,
  type BoardPageQuery,
  type BoardShownFragment,
  EditBoardPageDocument,
  type EditBoardPageQuery,
  EditGroupBoardPageDocument,
  type EditGroupBoardPageQuery,
  GroupBoardListPageDocument,
  type GroupBoardListPageQuery,
  GroupBoardPageDocument,
  type GroupBoardPageQuery,
  NewBoardPageDocument,
  type NewBoardPageQuery,
  NewGroupBoardPageDocument,
  type NewGroupBoardPageQuery,
  SendBoardChangeDocument,
  SendBoardDeletionDocument,
  SendBoardListDeletionDocument,
  SendBoardListMoveDocument,
  SendBoardMoveDocument,
  SendNewBoardDocument,
  SendNewBoardListDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

type Query<Data> = TypedDocumentNode<Data, never>;

interface Queries {
  first: Query<BoardListPageQuery | GroupBoardListPageQuery>;
  one: Query<BoardPageQuery | GroupBoardPageQuery>;
  create: Query<NewBoardPageQuery | NewGroupBoardPageQuery>;
  edit: Query<EditBoardPageQuery | EditGroupBoardPageQuery>;
}

/** A column of a board. */
interface Column {
  /** The numeric ID of its list, or `open` or `closed`. */
  key: string;
  title: string;
  issues: BoardCardsFragment;
  /** The query of the list of all its issues. */
  query: string;
  list: BoardShownFragment['lists']['nodes'][number] | null;
}

/** The parameters by which the issues on a board are filtered, as those of lists of issues. */
const FILTERS = ['search', 'assignee', 'labels', 'milestone'];

/** The filters of an address; those that are empty are left out. */
function filterOf({ searchParams }: URL): URLSearchParams {
  return new URLSearchParams([...searchParams].filter(([name, value]) => FILTERS.includes(name) && value !== ''));
}

/** With its question mark; empty without parameters. */
const queryOf = (parameters: URLSearchParams) => (parameters.size === 0 ? '' : `?${parameters}`);

/** The query of the list of all issues of a column. */
const listQuery = (filter: URLSearchParams, ...more: [string, string][]) =>
  queryOf(new URLSearchParams([...filter, ...more]));

/** The columns of a page of a board: the open issues in no list before its first list, the closed ones behind the last. */
function columnsOf(
  board: BoardShownFragment,
  closed: BoardCardsFragment,
  filter: URLSearchParams,
  t: Facts['t'],
): Column[] {
  const { nodes, pageInfo } = board.lists;
  const lists = nodes.map((list) => ({
    key: String(list.databaseId),
    title: list.label.title,
    issues: list.issues,
    query: listQuery(filter, ['labels', list.label.title]),
    list,
  }));
  const showsOpen = !board.hideBacklogList && !pageInfo.hasPreviousPage;
  const showsClosed = !board.hideClosedList && !pageInfo.hasNextPage;
  return [
    ...(showsOpen
      ? [{ key: 'open', title: t('Open'), issues: board.backlogIssues, query: listQuery(filter), list: null }]
      : []),
    ...lists,
    ...(showsClosed
      ? [
          {
            key: 'closed',
            title: t('Closed'),
            issues: closed,
            query: listQuery(filter, ['state', 'closed']),
            list: null,
          },
        ]
      : []),
  ];
}

/** The boards of projects and of groups, which are shown and changed alike. */
function boardsOf(kind: PlaceKind, { first, one, create, edit }: Queries) {
  const at = `${PLACES[kind]}/boards`;
  const shown = <Place extends { fullPath: string }>(place: Place) => ({
    ...shownIn(kind, place),
    tab: 'issues',
    section: 'boards',
  });
  const newBoard = page({
    path: `${at}/new`,
    operation: create,
    view: 'boards/new',
    found: ({ place }) => (place?.viewerCanManageBoards ? place : null),
    title: (place, { t }) => `${t('New board')} · ${place.fullPath}`,
    show: (place) => ({ ...shown(place), before: {} }),
    signIn: true,
  });
  const board = page({
    path: `${at}/:board`,
    operation: one,
    view: 'boards/show',
    found: ({ place }) => place?.board && { place, board: place.board },
    title: ({ place, board }, { t }) => `${board.name} · ${t('Boards')} · ${place.fullPath}`,
    show: ({ place, board }, { url, t }) => {
      const filter = filterOf(url);
      const taken = board.lists.nodes.map(({ label }) => label.id);
      return {
        ...shown(place),
        board,
        boards: place.boards.nodes,
        columns: columnsOf(board, place.closedIssues, filter, t),
        filter: [...filter],
        query: queryOf(filter),
        labels: place.labels.nodes.filter(({ id }) => !taken.includes(id)),
        hasMoreLabels: place.labels.pageInfo.hasNextPage,
      };
    },
  });
  /** A page about what is done with one board, for those who may. */
  const about = (name: 'edit' | 'delete', title: string, right: 'viewerCanUpdate' | 'viewerCanDelete') =>
    page({
      path: `${at}/:board/${name}`,
      operation: edit,
      view: `boards/${name}`,
      found: ({ place }) => (place?.board?.[right] ? { place, board: place.board } : null),
      title: ({ place, board }, { t }) => `${t(title, { name: board.name })} · ${place.fullPath}`,
      show: ({ place, board }) => ({ ...shown(place), board, before: board }),
      signIn: true,
    });
  const editBoard = about('edit', label('Edit board {name}'), 'viewerCanUpdate');
  const deletion = about('delete', label('Delete board {name}'), 'viewerCanDelete');
  const back = (_data: unknown, { given, url }: Pick<Facts, 'given' | 'url'>) =>
    inPlace(given, 'boards', String(given.board)) + queryOf(filterOf(url));
  return [
    page({
      path: at,
      operation: first,
      view: 'boards/none',
      found: ({ place }) => place,
      title: (place, { t }) => `${t('Boards')} · ${place.fullPath}`,
      show: shown,
      redirectTo: ({ boards }, { given }) => {
        const [board] = boards.nodes;
        return board ? inPlace(given, 'boards', board.databaseId) : null;
      },
    }),
    newBoard,
    form({
      path: at,
      operation: SendNewBoardDocument,
      says: label('The board was created.'),
      goTo: ({ createBoard }, { given }) =>
        inPlace(given, 'boards', ...(createBoard ? [createBoard.board.databaseId] : [])),
      again: newBoard,
    }),
    board,
    editBoard,
    form({
      path: `${at}/:board/edit`,
      operation: SendBoardChangeDocument,
      says: label('The board was saved.'),
      goTo: back,
      again: editBoard,
    }),
    deletion,
    form({
      path: `${at}/:board/delete`,
      operation: SendBoardDeletionDocument,
      names: { id: 'board' },
      says: label('The board was deleted.'),
      asks: deletion,
      again: null,
      goTo: (_data, { given }) => inPlace(given, 'boards'),
    }),
    form({
      path: `${at}/:board/move`,
      operation: SendBoardMoveDocument,
      names: { project: 'issueProject' },
      says: label('The issue was moved.'),
      goTo: back,
      again: board,
    }),
    form({
      path: `${at}/:board/lists`,
      operation: SendNewBoardListDocument,
      names: { boardId: 'board' },
      says: label('The list was added.'),
      goTo: back,
      again: board,
    }),
    form({
      path: `${at}/:board/lists/:list/move`,
      operation: SendBoardListMoveDocument,
      names: { boardId: 'board', listId: 'list' },
      says: label('The list was moved.'),
      goTo: back,
      again: board,
    }),
    form({
      path: `${at}/:board/lists/:list/delete`,
      operation: SendBoardListDeletionDocument,
      names: { boardId: 'board', listId: 'list' },
      says: label('The list was removed from the board.'),
      asks: ({ given, url, t }) => ({
        heading: t('Remove the list {name}?', { name: named(given) }),
        says: [t('The column leaves the board. The label and its issues stay.')],
        button: t('Remove list'),
        back: back(null, { given, url }),
      }),
      goTo: back,
      again: board,
    }),
  ];
}

export const boards = [
  ...boardsOf('project', {
    first: BoardListPageDocument,
    one: BoardPageDocument,
    create: NewBoardPageDocument,
    edit: EditBoardPageDocument,
  }),
  ...boardsOf('group', {
    first: GroupBoardListPageDocument,
    one: GroupBoardPageDocument,
    create: NewGroupBoardPageDocument,
    edit: EditGroupBoardPageDocument,
  }),
];

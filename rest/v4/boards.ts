import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** The operations for the boards of projects, or of groups. */
type Operations = Record<'list' | 'read' | 'lists' | 'readList', Route['operation']>;

/** What only pages set when they create a board. */
const OF_PAGES = ['hide_backlog_list', 'hide_closed_list'];

/** @param place `project` or `group`, the field that finds it */
function boardsOf(place: string, of: Operations): Route[] {
  const path = `/${place}s/:id/boards`;
  const noun = place === 'project' ? 'Board' : 'GroupBoard';
  const record = place === 'project' ? '...ProjectBoardRecord' : '...GroupBoardRecord';
  const one = `${path}/:board_id`;
  const lists = `${one}/lists`;
  const list = `${lists}/:list_id`;
  return [
    { method: 'GET', path, operation: of.list, result: `${place}.boards` },
    { method: 'POST', path, ...mutation(`Create${noun}`, 'createBoard.board', record), hidden: OF_PAGES },
    { method: 'GET', path: one, operation: of.read, result: `${place}.board` },
    { method: 'PUT', path: one, ...mutation(`Update${noun}`, 'updateBoard.board', record) },
    { method: 'DELETE', path: one, ...mutation(`Delete${noun}`, 'deleteBoard', 'deletedBoardId'), status: 204 },
    { method: 'GET', path: lists, operation: of.lists, result: `${place}.board.lists` },
    { method: 'GET', path: list, operation: of.readList, result: `${place}.board.list` },
    { method: 'POST', path: lists, ...mutation(`Create${noun}List`, 'createBoardList.list', '...BoardListRecord') },
    { method: 'PUT', path: list, ...mutation(`Move${noun}List`, 'moveBoardList.list', '...BoardListRecord') },
    {
      method: 'DELETE',
      path: list,
      ...mutation(`Delete${noun}List`, 'deleteBoardList', 'deletedBoardListId'),
      status: 204,
    },
  ];
}

export const boards: Route[] = [
  ...boardsOf('project', {
    list: operations.ProjectBoardsDocument,
    read: operations.ProjectBoardDocument,
    lists: operations.BoardListsDocument,
    readList: operations.BoardListDocument,
  }),
  ...boardsOf('group', {
    list: operations.GroupBoardsDocument,
    read: operations.GroupBoardDocument,
    lists: operations.GroupBoardListsDocument,
    readList: operations.GroupBoardListDocument,
  }),
];

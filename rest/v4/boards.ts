import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** The operations for the boards of projects, or of groups. */
type Operations = Record<
  'list' | 'read' | 'create' | 'update' | 'remove' | 'lists' | 'readList' | 'createList' | 'moveList' | 'removeList',
  Route['operation']
>;

/** What only pages set when they create a board. */
const OF_PAGES = ['hide_backlog_list', 'hide_closed_list'];

/** @param place `project` or `group`, the field that finds it */
function boardsOf(place: string, of: Operations): Route[] {
  const path = `/${place}s/:id/boards`;
  const one = `${path}/:board_id`;
  const lists = `${one}/lists`;
  const list = `${lists}/:list_id`;
  return [
    { method: 'GET', path, operation: of.list, result: `${place}.boards` },
    { method: 'POST', path, operation: of.create, hidden: OF_PAGES, result: 'createBoard.board' },
    { method: 'GET', path: one, operation: of.read, result: `${place}.board` },
    { method: 'PUT', path: one, operation: of.update, result: 'updateBoard.board' },
    { method: 'DELETE', path: one, operation: of.remove, result: 'deleteBoard', status: 204 },
    { method: 'GET', path: lists, operation: of.lists, result: `${place}.board.lists` },
    { method: 'GET', path: list, operation: of.readList, result: `${place}.board.list` },
    { method: 'POST', path: lists, operation: of.createList, result: 'createBoardList.list' },
    { method: 'PUT', path: list, operation: of.moveList, result: 'moveBoardList.list' },
    { method: 'DELETE', path: list, operation: of.removeList, result: 'deleteBoardList', status: 204 },
  ];
}

export const boards: Route[] = [
  ...boardsOf('project', {
    list: operations.ProjectBoardsDocument,
    read: operations.ProjectBoardDocument,
    create: mutation('CreateBoard', 'createBoard.board', '...ProjectBoardRecord').operation,
    update: mutation('UpdateBoard', 'updateBoard.board', '...ProjectBoardRecord').operation,
    remove: mutation('DeleteBoard', 'deleteBoard', 'deletedBoardId').operation,
    lists: operations.BoardListsDocument,
    readList: operations.BoardListDocument,
    createList: mutation('CreateBoardList', 'createBoardList.list', '...BoardListRecord').operation,
    moveList: mutation('MoveBoardList', 'moveBoardList.list', '...BoardListRecord').operation,
    removeList: mutation('DeleteBoardList', 'deleteBoardList', 'deletedBoardListId').operation,
  }),
  ...boardsOf('group', {
    list: operations.GroupBoardsDocument,
    read: operations.GroupBoardDocument,
    create: mutation('CreateGroupBoard', 'createBoard.board', '...GroupBoardRecord').operation,
    update: mutation('UpdateGroupBoard', 'updateBoard.board', '...GroupBoardRecord').operation,
    remove: mutation('DeleteGroupBoard', 'deleteBoard', 'deletedBoardId').operation,
    lists: operations.GroupBoardListsDocument,
    readList: operations.GroupBoardListDocument,
    createList: mutation('CreateGroupBoardList', 'createBoardList.list', '...BoardListRecord').operation,
    moveList: mutation('MoveGroupBoardList', 'moveBoardList.list', '...BoardListRecord').operation,
    removeList: mutation('DeleteGroupBoardList', 'deleteBoardList', 'deletedBoardListId').operation,
  }),
];

import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const lists = '/projects/:id/boards/:board_id/lists';

export const boards: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/boards',
    operation: operations.ProjectBoardsDocument,
    result: 'project.boards',
  },
  {
    method: 'GET',
    path: lists,
    operation: operations.BoardListsDocument,
    result: 'project.board.lists',
  },
  {
    method: 'GET',
    path: `${lists}/:list_id`,
    operation: operations.BoardListDocument,
    result: 'project.board.list',
  },
  {
    method: 'POST',
    path: lists,
    operation: operations.CreateBoardListDocument,
    result: 'createBoardList.list',
  },
  {
    method: 'PUT',
    path: `${lists}/:list_id`,
    operation: operations.MoveBoardListDocument,
    result: 'moveBoardList.list',
  },
  {
    method: 'DELETE',
    path: `${lists}/:list_id`,
    operation: operations.DeleteBoardListDocument,
    result: 'deleteBoardList',
    status: 204,
  },
];

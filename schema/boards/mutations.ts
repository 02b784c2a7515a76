import { Board, BoardList } from '#schema/boards/types.ts';
import type { InputFields } from '#schema/inputs.ts';
import { IssueStateEvent, issuePayload, which as whichIssue } from '#schema/issues/mutations.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { placeFields } from '#schema/places/fields.ts';
import { fromPlace } from '#schema/places/parents.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { OwnedRecord } from '#src/domain/projects/owner.ts';
import { changedBoard, changedBoardList } from '#src/domain/tracking/boards/list.ts';
import { moveBoardIssue } from '#src/domain/tracking/boards/move_issue.ts';
import { createBoard, deleteBoard, updateBoard } from '#src/domain/tracking/boards/save.ts';
import { createBoardList, deleteBoardList, moveBoardList } from '#src/domain/tracking/boards/save_list.ts';

const whichBoard = (t: InputFields) => ({
  ...placeFields(t, 'of the board'),
  boardId: t.field({ ...idOf('Board'), description: 'ID of the board; the first one of the project when left out.' }),
});

const which = (t: InputFields) => ({
  ...whichBoard(t),
  listId: t.field({ ...idOf('BoardList'), required: true, description: 'Global or numeric ID of the list.' }),
});

const listPayload: Payload<OwnedRecord> = {
  description: 'The list after the mutation.',
  fields: (t) => ({
    list: t.field({
      type: BoardList,
      description: 'The list of the board as it is now.',
      resolve: (changed, _args, context, info) => changedBoardList(context, changed, selectionAt(info, 'BoardList')),
    }),
  }),
};

const boardValues = (t: InputFields) => ({
  hideBacklogList: t.boolean({
    description: 'Whether the board does not show the open issues that are in none of its lists.',
  }),
  hideClosedList: t.boolean({ description: 'Whether the board does not show the closed issues.' }),
});

const whichOne = (t: InputFields) => ({
  ...placeFields(t, 'of the board'),
  id: t.field({ ...idOf('Board'), required: true, description: 'Global or numeric ID of the board.' }),
});

const boardPayload: Payload<OwnedRecord> = changed('board', Board, 'Board', changedBoard);

mutation('createBoard', {
  description: 'Creates a board of a project or group. For its reporters.',
  input: {
    description: 'A new board of a project or group.',
    argument: 'Place and name of the board.',
    fields: (t) => ({
      ...placeFields(t, 'of the board'),
      name: t.string({ required: true, description: 'Name of the board; at most 255 characters.' }),
      ...boardValues(t),
    }),
  },
  resolve: ({ project, group, ...values }, context) => createBoard(context, { project, group }, values),
  payload: boardPayload,
});

mutation('updateBoard', {
  description: 'Changes a board. For reporters of its project or group.',
  input: {
    description: 'Changes to a board: what is left out stays as it is.',
    argument: 'Names the board, and the changes.',
    fields: (t) => ({
      ...whichOne(t),
      name: t.string({ description: 'Name of the board; at most 255 characters.' }),
      ...boardValues(t),
    }),
  },
  resolve: ({ project, group, id, ...values }, context) => updateBoard(context, { project, group }, id, values),
  payload: boardPayload,
});

mutation('deleteBoard', {
  description:
    'Deletes a board with its lists; the only board of a project stays. For reporters of its project or group.',
  input: { description: 'Which board to delete.', argument: 'Names the board to delete.', fields: whichOne },
  resolve: async ({ project, group, id }, context) => ({ id: await deleteBoard(context, { project, group }, id) }),
  payload: { ...deleted('Board', 'board'), from: fromPlace },
});

mutation('createBoardList', {
  description: 'Adds a list for a label to a board. For reporters of its project or group.',
  input: {
    description: 'A new list of a board.',
    argument: 'Names the board and the label.',
    fields: (t) => ({
      ...whichBoard(t),
      labelId: t.field({ ...idOf('Label'), required: true, description: 'ID of the label of the issues in the list.' }),
    }),
  },
  resolve: ({ project, group, boardId, labelId }, context) =>
    createBoardList(context, { project, group }, boardId, labelId),
  payload: listPayload,
});

mutation('moveBoardList', {
  description: 'Moves a list to another position of its board. For reporters of its project or group.',
  input: {
    description: 'Which list to move on its board, and where to.',
    argument: 'Names the list and the position.',
    fields: (t) => ({
      ...which(t),
      position: t.int({ required: true, description: 'Place that the list gets on the board, counted from 0.' }),
    }),
  },
  resolve: ({ project, group, boardId, listId, position }, context) =>
    moveBoardList(context, { project, group }, boardId, listId, position),
  payload: listPayload,
});

mutation('deleteBoardList', {
  description: 'Removes a list from its board; its label and issues stay. For reporters of its project or group.',
  input: { description: 'Which list to remove from a board.', argument: 'Names the list to remove.', fields: which },
  resolve: async ({ project, group, boardId, listId }, context) => ({
    id: await deleteBoardList(context, { project, group }, boardId, listId),
  }),
  payload: { ...deleted('BoardList', 'list', 'removed'), from: fromPlace },
});

mutation('moveBoardIssue', {
  description:
    'Moves an issue between lists of a board of its project, or of a group around it. For reporters of the project.',
  input: {
    description:
      'Which issue to move on a board of its project, or of a group around it: the labels of the lists are swapped.',
    argument: 'Names the issue, and the lists.',
    fields: (t) => ({
      ...whichIssue(t),
      fromListId: t.field({ ...idOf('BoardList'), description: 'ID of the list whose label the issue loses.' }),
      toListId: t.field({ ...idOf('BoardList'), description: 'ID of the list whose label the issue gets.' }),
      stateEvent: t.field({
        type: IssueStateEvent,
        description: 'Whether the issue is closed by the move, or reopened; neither when left out.',
      }),
    }),
  },
  resolve: ({ project, iid, fromListId, toListId, stateEvent }, context) =>
    moveBoardIssue(context, project, iid, { fromList: fromListId, toList: toListId, stateEvent }),
  payload: issuePayload,
});

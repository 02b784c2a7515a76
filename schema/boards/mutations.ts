import { Board, BoardList } from '#schema/boards/types.ts';
import { builder } from '#schema/builder.ts';
import { type InputFields, namesOf } from '#schema/inputs.ts';
import { IssueStateEvent, issuePayload, which as whichIssue } from '#schema/issues/mutations.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { placeFields } from '#schema/places/fields.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { changedBoard, changedBoardList } from '#src/domain/tracking/boards/list.ts';
import { moveBoardIssue } from '#src/domain/tracking/boards/move_issue.ts';
import { createBoard, deleteBoard, updateBoard } from '#src/domain/tracking/boards/save.ts';
import { createBoardList, deleteBoardList, moveBoardList } from '#src/domain/tracking/boards/save_list.ts';
import type { ChangedThere } from '#src/domain/tracking/places/place.ts';

const whichBoard = (t: InputFields) => ({
  ...placeFields(t, 'of the board'),
  boardId: t.field({ ...idOf('Board'), description: 'ID of the board; the first one of the project when left out.' }),
});

const which = (t: InputFields) => ({
  ...whichBoard(t),
  listId: t.field({ ...idOf('BoardList'), required: true, description: 'Global or numeric ID of the list.' }),
});

const CreateBoardListInput = builder.inputType('CreateBoardListInput', {
  description: 'A new list of a board.',
  fields: (t) => ({
    ...whichBoard(t),
    labelId: t.field({ ...idOf('Label'), required: true, description: 'ID of the label of the issues in the list.' }),
  }),
});

const MoveBoardListInput = builder.inputType('MoveBoardListInput', {
  description: 'Which list to move on its board, and where to.',
  fields: (t) => ({
    ...which(t),
    position: t.int({ required: true, description: 'Place that the list gets on the board, counted from 0.' }),
  }),
});

const DeleteBoardListInput = builder.inputType('DeleteBoardListInput', {
  description: 'Which list to remove from a board.',
  fields: which,
});

const MoveBoardIssueInput = builder.inputType('MoveBoardIssueInput', {
  description:
    'Which issue to move on a board of its project, or of a group around it: the labels of the lists are swapped.',
  fields: (t) => ({
    ...whichIssue(t),
    fromListId: t.field({ ...idOf('BoardList'), description: 'ID of the list whose label the issue loses.' }),
    toListId: t.field({ ...idOf('BoardList'), description: 'ID of the list whose label the issue gets.' }),
    stateEvent: t.field({
      type: IssueStateEvent,
      description: 'Whether the issue is closed by the move, or reopened; neither when left out.',
    }),
  }),
});

function listPayload(mutation: string) {
  return builder.objectRef<ChangedThere>(namesOf(mutation).payload).implement({
    description: 'The list after the mutation.',
    fields: (t) => ({
      list: t.field({
        type: BoardList,
        description: 'The list of the board as it is now.',
        resolve: (changed, _args, context, info) => changedBoardList(context, changed, selectionAt(info, 'BoardList')),
      }),
    }),
  });
}

const DeleteBoardListPayload = builder.objectRef<{ id: number }>('DeleteBoardListPayload').implement({
  description: 'The list that was removed.',
  fields: (t) => ({
    deletedBoardListId: t.id({
      description: 'Global ID of the list that was removed.',
      resolve: ({ id }) => toGlobalId('BoardList', id),
    }),
  }),
});

const boardValues = (t: InputFields) => ({
  hideBacklogList: t.boolean({
    description: 'Whether the board does not show the open issues that are in none of its lists.',
  }),
  hideClosedList: t.boolean({ description: 'Whether the board does not show the closed issues.' }),
});

const CreateBoardInput = builder.inputType('CreateBoardInput', {
  description: 'A new board of a project or group.',
  fields: (t) => ({
    ...placeFields(t, 'of the board'),
    name: t.string({ required: true, description: 'Name of the board; at most 255 characters.' }),
    ...boardValues(t),
  }),
});

const whichOne = (t: InputFields) => ({
  ...placeFields(t, 'of the board'),
  id: t.field({ ...idOf('Board'), required: true, description: 'Global or numeric ID of the board.' }),
});

const UpdateBoardInput = builder.inputType('UpdateBoardInput', {
  description: 'Changes to a board: what is left out stays as it is.',
  fields: (t) => ({
    ...whichOne(t),
    name: t.string({ description: 'Name of the board; at most 255 characters.' }),
    ...boardValues(t),
  }),
});

const DeleteBoardInput = builder.inputType('DeleteBoardInput', {
  description: 'Which board to delete.',
  fields: whichOne,
});

function boardPayload(mutation: string) {
  return builder.objectRef<ChangedThere>(namesOf(mutation).payload).implement({
    description: 'The board after the mutation.',
    fields: (t) => ({
      board: t.field({
        type: Board,
        description: 'The board as it is now.',
        resolve: (changed, _args, context, info) => changedBoard(context, changed, selectionAt(info, 'Board')),
      }),
    }),
  });
}

const DeleteBoardPayload = builder.objectRef<{ id: number }>('DeleteBoardPayload').implement({
  description: 'The board that was deleted.',
  fields: (t) => ({
    deletedBoardId: t.id({
      description: 'Global ID of the board that was deleted.',
      resolve: ({ id }) => toGlobalId('Board', id),
    }),
  }),
});

builder.mutationFields((t) => ({
  createBoard: t.field({
    type: boardPayload('createBoard'),
    description: 'Creates a board of a project or group. For its reporters.',
    args: { input: t.arg({ type: CreateBoardInput, required: true, description: 'Place and name of the board.' }) },
    resolve: (_root, { input: { project, group, ...values } }, context) =>
      createBoard(context, { project, group }, values),
  }),
  updateBoard: t.field({
    type: boardPayload('updateBoard'),
    description: 'Changes a board. For reporters of its project or group.',
    args: {
      input: t.arg({ type: UpdateBoardInput, required: true, description: 'Names the board, and the changes.' }),
    },
    resolve: (_root, { input: { project, group, id, ...values } }, context) =>
      updateBoard(context, { project, group }, id, values),
  }),
  deleteBoard: t.field({
    type: DeleteBoardPayload,
    description:
      'Deletes a board with its lists; the only board of a project stays. For reporters of its project or group.',
    args: { input: t.arg({ type: DeleteBoardInput, required: true, description: 'Names the board to delete.' }) },
    resolve: async (_root, { input: { project, group, id } }, context) => ({
      id: await deleteBoard(context, { project, group }, id),
    }),
  }),
  createBoardList: t.field({
    type: listPayload('createBoardList'),
    description: 'Adds a list for a label to a board. For reporters of its project or group.',
    args: {
      input: t.arg({ type: CreateBoardListInput, required: true, description: 'Names the board and the label.' }),
    },
    resolve: (_root, { input: { project, group, boardId, labelId } }, context) =>
      createBoardList(context, { project, group }, boardId, labelId),
  }),
  moveBoardList: t.field({
    type: listPayload('moveBoardList'),
    description: 'Moves a list to another position of its board. For reporters of its project or group.',
    args: {
      input: t.arg({ type: MoveBoardListInput, required: true, description: 'Names the list and the position.' }),
    },
    resolve: (_root, { input: { project, group, boardId, listId, position } }, context) =>
      moveBoardList(context, { project, group }, boardId, listId, position),
  }),
  deleteBoardList: t.field({
    type: DeleteBoardListPayload,
    description: 'Removes a list from its board; its label and issues stay. For reporters of its project or group.',
    args: { input: t.arg({ type: DeleteBoardListInput, required: true, description: 'Names the list to remove.' }) },
    resolve: async (_root, { input: { project, group, boardId, listId } }, context) => ({
      id: await deleteBoardList(context, { project, group }, boardId, listId),
    }),
  }),
  moveBoardIssue: t.field({
    type: issuePayload('moveBoardIssue'),
    description:
      'Moves an issue between lists of a board of its project, or of a group around it. For reporters of the project.',
    args: {
      input: t.arg({ type: MoveBoardIssueInput, required: true, description: 'Names the issue, and the lists.' }),
    },
    resolve: (_root, { input: { project, iid, fromListId, toListId, stateEvent } }, context) =>
      moveBoardIssue(context, project, iid, { fromList: fromListId, toList: toListId, stateEvent }),
  }),
}));

import { BoardList } from '#schema/boards/types.ts';
import { builder } from '#schema/builder.ts';
import { type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { issuePayload, which as whichIssue } from '#schema/issues/mutations.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { changedBoardList } from '#src/domain/tracking/boards/list.ts';
import { moveBoardIssue } from '#src/domain/tracking/boards/move_issue.ts';
import { createBoardList, deleteBoardList, moveBoardList } from '#src/domain/tracking/boards/save_list.ts';

const whichBoard = (t: InputFields) => ({
  project: projectField(t, 'of the board'),
  boardId: t.field({ ...idOf('Board'), description: 'ID that the board must have; each project has one board.' }),
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
  description: 'Which issue to move on the board of its project: the labels of the lists are swapped.',
  fields: (t) => ({
    ...whichIssue(t),
    fromListId: t.field({ ...idOf('BoardList'), description: 'ID of the list whose label the issue loses.' }),
    toListId: t.field({ ...idOf('BoardList'), description: 'ID of the list whose label the issue gets.' }),
  }),
});

function listPayload(mutation: string) {
  return builder.objectRef<ChangedRecord>(namesOf(mutation).payload).implement({
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

builder.mutationFields((t) => ({
  createBoardList: t.field({
    type: listPayload('createBoardList'),
    description: 'Adds a list for a label to the board of a project. For reporters of the project.',
    args: {
      input: t.arg({ type: CreateBoardListInput, required: true, description: 'Names the board and the label.' }),
    },
    resolve: (_root, { input: { project, boardId, labelId } }, context) =>
      createBoardList(context, project, boardId, labelId),
  }),
  moveBoardList: t.field({
    type: listPayload('moveBoardList'),
    description: 'Moves a list to another position of its board. For reporters of the project.',
    args: {
      input: t.arg({ type: MoveBoardListInput, required: true, description: 'Names the list and the position.' }),
    },
    resolve: (_root, { input: { project, boardId, listId, position } }, context) =>
      moveBoardList(context, project, boardId, listId, position),
  }),
  deleteBoardList: t.field({
    type: DeleteBoardListPayload,
    description: 'Removes a list from its board; its label and issues stay. For reporters of the project.',
    args: { input: t.arg({ type: DeleteBoardListInput, required: true, description: 'Names the list to remove.' }) },
    resolve: async (_root, { input: { project, boardId, listId } }, context) => ({
      id: await deleteBoardList(context, project, boardId, listId),
    }),
  }),
  moveBoardIssue: t.field({
    type: issuePayload('moveBoardIssue'),
    description: 'Moves an issue between lists of the board of its project. For reporters of the project.',
    args: {
      input: t.arg({ type: MoveBoardIssueInput, required: true, description: 'Names the issue, and the lists.' }),
    },
    resolve: (_root, { input: { project, iid, fromListId, toListId } }, context) =>
      moveBoardIssue(context, project, iid, { fromList: fromListId, toList: toListId }),
  }),
}));

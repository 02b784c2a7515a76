import { builder } from '#schema/builder.ts';
import { connectionOf, MAX_LIMIT, pageArgs } from '#schema/connection.ts';
import { boardFilter } from '#schema/filters.ts';
import { Group } from '#schema/groups/types.ts';
import { issueArgs, order } from '#schema/issues/queries.ts';
import { IssueConnection } from '#schema/issues/types.ts';
import { labelOf } from '#schema/labels/label_of.ts';
import { Label } from '#schema/labels/types.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node } from '#schema/node/types.ts';
import { boardListOrder, boardOrder } from '#schema/orders.ts';
import { byPlace, groupOfPlace, placeBase, projectOfPlace } from '#schema/places/fields.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import {
  findBoard,
  findBoardList,
  firstBoard,
  listBoardLists,
  listBoards,
  listGroupBoards,
} from '#src/domain/tracking/boards/list.ts';
import { listIssuesOf } from '#src/domain/tracking/issues/list.ts';
import { listIssuesAcross } from '#src/domain/tracking/issues/list_across.ts';
import { NotFound } from '#src/platform/errors.ts';

export const BoardList = builder.prismaObject('BoardList', {
  description: 'A list of a board: the issues with a label.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the list, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('BoardList', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the list, as the REST API uses it.' }),
    position: t.exposeInt('position', { description: 'Place of the list on its board, counted from 0.' }),
    label: t.field({
      type: Label,
      description: 'The label that the issues in the list have.',
      select: { labelId: true },
      resolve: async ({ labelId }, _args, context, info) => {
        const label = await labelOf(context, info, labelId);
        if (!label) throw new NotFound('Label');
        return label;
      },
    }),
    issues: t.field({
      type: IssueConnection,
      description: 'The issues in the list that the caller can see; open ones unless the filter names a state.',
      args: issueArgs,
      select: { labelId: true, projectId: true, groupId: true },
      resolve: async ({ labelId, ...list }, args, context, info) => {
        const parent = { ...(await placeBase(context, list)), labelId };
        const filter = { ...args.filter, state: args.filter?.state ?? 'opened' };
        const sorted = order(args);
        return pageBelow('Issue', parent, args, context, info, (_context, parents, page, selection) =>
          byPlace(
            parents,
            (some) => listIssuesOf(context, some, filter, sorted, page, selection),
            (some) => listIssuesAcross(context, some, filter, sorted, page, selection, { onlyInside: true }),
          ),
        );
      },
    }),
  }),
});

const BoardListConnection = connectionOf('BoardList', BoardList);

export const Board = builder.prismaObject('Board', {
  description: 'A board, which shows the issues of a project, or of the projects in a group, in lists by label.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the board, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Board', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the board, as the REST API uses it.' }),
    project: t.field(projectOfPlace),
    group: t.field(groupOfPlace),
    name: t.exposeString('name', {
      description: 'Name of the board; `Development` for the one that a project has from the start.',
    }),
    hideBacklogList: t.exposeBoolean('hideBacklogList', {
      description: 'Whether the board does not show the open issues that are in none of its lists.',
    }),
    hideClosedList: t.exposeBoolean('hideClosedList', {
      description: 'Whether the board does not show the closed issues.',
    }),
    backlogIssues: t.field({
      type: IssueConnection,
      description:
        'The issues in none of the lists of the board that the caller can see; open ones unless the filter names a state.',
      args: issueArgs,
      select: { projectId: true, groupId: true },
      resolve: async ({ id, ...board }, args, context, info) => {
        const parent = { ...(await placeBase(context, board)), boardId: id };
        const filter = { ...args.filter, state: args.filter?.state ?? 'opened' };
        const sorted = order(args);
        return pageBelow('Issue', parent, args, context, info, (_context, parents, page, selection) =>
          byPlace(
            parents,
            (some) => listIssuesOf(context, some, filter, sorted, page, selection),
            (some) => listIssuesAcross(context, some, filter, sorted, page, selection, { onlyInside: true }),
          ),
        );
      },
    }),
    lists: t.field({
      type: BoardListConnection,
      description: 'The lists of the board, by position.',
      args: { ...pageArgs, ...boardListOrder('POSITION', 'asc') },
      resolve: ({ id }, args, context, info) =>
        pageBelow('BoardList', id, args, context, info, (_context, ids, page, selection) =>
          listBoardLists(context, ids, page, selection),
        ),
    }),
    allLists: t.field({
      type: [BoardList],
      description: `All lists of the board, by position; at most ${MAX_LIMIT}.`,
      resolve: async ({ id }, _args, context, info) => {
        const all = { limit: MAX_LIMIT };
        const { nodes } = await pageBelow('BoardList', id, all, context, info, (_context, ids, page, selection) =>
          listBoardLists(context, ids, page, selection),
        );
        return nodes;
      },
    }),
    list: t.field({
      type: BoardList,
      description: 'A list of the board by ID.',
      args: { id: t.arg({ ...idOf('BoardList'), required: true, description: 'Global or numeric ID of the list.' }) },
      resolve: (board, { id }, context, info) => findBoardList(context, board.id, id, selectionAt(info, 'BoardList')),
    }),
  }),
});

const BoardConnection = connectionOf('Board', Board);

builder.objectFields(Project, (t) => ({
  boards: t.field({
    type: BoardConnection,
    description: 'The boards of the project, oldest first; each project has one at least.',
    args: { ...pageArgs, ...boardFilter, ...boardOrder('ID', 'asc') },
    resolve: (project, args, context, info) => {
      context.loaders.noteProject(project);
      return pageBelow('Board', project, args, context, info, (_context, projects, page, selection) =>
        listBoards(context, projects, page, selection),
      );
    },
  }),
  board: t.field({
    type: Board,
    description: 'The board of the project with the ID; its first one when left out.',
    args: { id: t.arg({ ...idOf('Board'), description: 'Global or numeric ID of the board.' }) },
    resolve: async (project, { id }, context, info) => {
      context.loaders.noteProject(project);
      const one = { limit: 1 };
      const { nodes } = await pageBelow('Board', project, one, context, info, (_context, projects, page, selection) =>
        listBoards(context, projects, page, selection, firstBoard(id)),
      );
      const [board] = nodes;
      if (!board) throw new NotFound('Board');
      return board;
    },
  }),
}));

builder.objectFields(Group, (t) => ({
  boards: t.field({
    type: BoardConnection,
    description: 'The boards of the group, oldest first.',
    args: { ...pageArgs, ...boardFilter, ...boardOrder('ID', 'asc') },
    resolve: (group, args, context, info) =>
      pageBelow('Board', group, args, context, info, (_context, groups, page, selection) =>
        listGroupBoards(context, groups, page, selection),
      ),
  }),
  board: t.field({
    type: Board,
    description: 'A board of the group by its ID.',
    args: { id: t.arg({ ...idOf('Board'), required: true, description: 'Global or numeric ID of the board.' }) },
    resolve: (group, { id }, context, info) =>
      findBoard(context, { project: null, group }, id, selectionAt(info, 'Board')),
  }),
}));

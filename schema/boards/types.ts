import { builder } from '#schema/builder.ts';
import { connectionOf, MAX_LIMIT, pageArgs } from '#schema/connection.ts';
import { issueArgs, order } from '#schema/issues/queries.ts';
import { IssueConnection } from '#schema/issues/types.ts';
import { Label } from '#schema/labels/types.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node } from '#schema/node/types.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findBoardList, listBoardLists, listBoards, withBoardId } from '#src/domain/tracking/boards/list.ts';
import { listIssuesOf } from '#src/domain/tracking/issues/list.ts';
import { findLabelsByIds } from '#src/domain/tracking/labels/list.ts';
import { NotFound } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

const LABEL_ID = select('Label', { id: true });

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
        const selection = selectionAt(info, 'Label').with(LABEL_ID);
        const load = async (ids: readonly number[]): Promise<({ id: number } | Error)[]> => {
          const found = await findLabelsByIds(context, ids, selection, (id) => context.loaders.project.load(id));
          const byId = new Map(found.map((label) => [label.id, label]));
          return ids.map((id) => byId.get(id) ?? new NotFound('Label'));
        };
        return loaderAt<number, { id: number }>(context, info, selection, load).load(labelId);
      },
    }),
    issues: t.field({
      type: IssueConnection,
      description: 'The issues in the list that the caller can see; open ones unless the filter names a state.',
      args: issueArgs,
      select: { labelId: true, projectId: true },
      resolve: async ({ labelId, projectId }, args, context, info) => {
        const parent = { project: await requireProjectBase(context, projectId), labelId };
        const filter = { ...args.filter, state: args.filter?.state ?? 'opened' };
        return pageBelow('Issue', parent, args, context, info, (_context, parents, page, selection) =>
          listIssuesOf(context, parents, filter, order(args), page, selection),
        );
      },
    }),
  }),
});

const BoardListConnection = connectionOf('BoardList', BoardList);

const Board = builder.prismaObject('Board', {
  description: 'The board of a project, which shows its issues in lists by label.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the board, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Board', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the board, as the REST API uses it.' }),
    project: t.field(ownProject),
    lists: t.field({
      type: BoardListConnection,
      description: 'The lists of the board, by position.',
      args: pageArgs,
      select: { projectId: true },
      resolve: async ({ projectId }, args, context, info) => {
        const project = await requireProjectBase(context, projectId);
        return pageBelow('BoardList', project, args, context, info, (_context, projects, page, selection) =>
          listBoardLists(context, projects, page, selection),
        );
      },
    }),
    allLists: t.field({
      type: [BoardList],
      description: `All lists of the board, by position; at most ${MAX_LIMIT}.`,
      select: { projectId: true },
      resolve: async ({ projectId }, _args, context, info) => {
        const project = await requireProjectBase(context, projectId);
        const all = { limit: MAX_LIMIT };
        const { nodes } = await pageBelow(
          'BoardList',
          project,
          all,
          context,
          info,
          (_context, projects, page, selection) => listBoardLists(context, projects, page, selection),
        );
        return nodes;
      },
    }),
    list: t.field({
      type: BoardList,
      description: 'A list of the board by ID.',
      args: { id: t.arg({ ...idOf('BoardList'), required: true, description: 'Global or numeric ID of the list.' }) },
      select: { projectId: true },
      resolve: async ({ projectId }, { id }, context, info) =>
        findBoardList(context, await requireProjectBase(context, projectId), id, selectionAt(info, 'BoardList')),
    }),
  }),
});

const BoardConnection = connectionOf('Board', Board);

builder.objectFields(Project, (t) => ({
  boards: t.field({
    type: BoardConnection,
    description: 'The boards of the project; each has one, see `board`. For signed-in callers.',
    args: pageArgs,
    resolve: (project, args, context, info) => {
      context.loaders.noteProject(project);
      return pageBelow('Board', project, args, context, info, (_context, projects, page, selection) =>
        listBoards(context, projects, page, selection),
      );
    },
  }),
  board: t.field({
    type: Board,
    description: 'The board of the project. For signed-in callers.',
    args: { id: t.arg({ ...idOf('Board'), description: 'Global or numeric ID that the board must have.' }) },
    resolve: async (project, { id }, context, info) => {
      context.loaders.noteProject(project);
      const one = { limit: 1 };
      const { nodes } = await pageBelow('Board', project, one, context, info, (_context, projects, page, selection) =>
        listBoards(context, projects, page, selection, withBoardId(id)),
      );
      const [board] = nodes;
      if (!board) throw new NotFound('Board');
      return board;
    },
  }),
}));

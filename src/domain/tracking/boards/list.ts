import type { Context } from '#src/access/permissions/actor.ts';
import '#src/domain/tracking/boards/computed_fields.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const board = alias('Board', 'b');
const boards = projectScoped({ ability: 'read_board', rows: board });
const lists = projectScoped({
  ability: 'read_board',
  rows: alias('BoardList', 'bl'),
  order: order('BoardList', ['rank', 'id']),
});

/** The boards of projects, one per project. */
export const { list: listBoards, findByIds: findBoardsByIds } = boards;

/** The board of a project, which must have the ID if one is given. Throws NotFound, Forbidden. */
export function findBoard<R>(
  context: Context,
  project: ProjectRow,
  id: number | null | undefined,
  selection: Selection<'Board', R>,
): Promise<R> {
  return boards.find(context, project, id ?? Prisma.sql`TRUE`, selection);
}

/** The condition that a board has the ID, if one is given. */
export function withBoardId(id: number | null | undefined): Prisma.Sql[] {
  return id == null ? [] : [Prisma.sql`${board.id} = ${id}`];
}

/** The lists of the boards of projects, in order of position. */
export const {
  list: listBoardLists,
  find: findBoardList,
  findByIds: findBoardListsByIds,
  changed: changedBoardList,
} = lists;

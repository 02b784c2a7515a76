import type { Context } from '#src/access/permissions/actor.ts';
import '#src/domain/tracking/boards/computed_fields.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { ofProjectOrAncestorGroups } from '#src/domain/projects/groups_around.ts';
import type { Owner } from '#src/domain/projects/owner.ts';
import { ownerScoped } from '#src/domain/projects/owner_scoped.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readRow } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const [board, first, list] = [alias('Board', 'b'), alias('Board', 'fb'), alias('BoardList', 'bl')];
const BY_RANK = order('BoardList', ['rank', 'id']);
const boards = ownerScoped({ ability: 'read_board', rows: board });
const lists = ownerScoped({ ability: 'read_board', rows: list, order: BY_RANK });

/** The boards of projects and of groups, oldest first. */
export const {
  listOfProjects: listBoards,
  listOfGroups: listGroupBoards,
  findByIds: findBoardsByIds,
  changed: changedBoard,
} = boards;

/** The board of a project or group with that ID, without one its first board. Throws NotFound, Forbidden. */
export function findBoard<R>(
  context: Context,
  place: Owner,
  id: number | null | undefined,
  selection: Selection<'Board', R>,
): Promise<R> {
  const { project, group } = place;
  const isThere = project ? sql`${first.projectId} = ${project.id}` : sql`${first.groupId} = ${group.id}`;
  const oldest = sql`${board.id} = (SELECT min(${first.id}) FROM ${table(first)} WHERE ${isThere})`;
  return boards.find(context, place, id ?? oldest, selection);
}

/** The condition that a board is the first one of its project, or has the ID, if one is given. */
export function firstBoard(id: number | null | undefined): (project: number | Prisma.Sql) => Prisma.Sql {
  return (project) =>
    id == null
      ? sql`${board.id} = (SELECT min(${first.id}) FROM ${table(first)} WHERE ${first.projectId} = ${project})`
      : sql`${board.id} = ${id} AND ${board.projectId} = ${project}`;
}

/** The lists of each board, in order of position, in one statement. The caller must have checked that the actor can see the boards. */
export function listBoardLists<R>(
  { db }: Context,
  boardIds: readonly number[],
  page: PageRequest,
  selection: Selection<'BoardList', R>,
): Promise<Page<R>[]> {
  const pageOf = ({ id }: Asked<{ id: number }>) =>
    pageOfRows(selection, { rows: list, where: sql`${list.boardId} = ${id}`, order: BY_RANK }, page);
  const parents = boardIds.map((id) => ({ id }));
  return readPages<R>(db, page, perParent(parents, { id: 'int' }, pageOf));
}

/** The list of a board that the actor can see. Throws NotFound. */
export async function findBoardList<R>(
  { db }: Context,
  boardId: number,
  id: number,
  selection: Selection<'BoardList', R>,
): Promise<R> {
  return existing(
    await readRow(db, selection, { rows: list, where: sql`${list.id} = ${id} AND ${list.boardId} = ${boardId}` }),
  );
}

/** The list of a board of the project, or of a group around it. Throws NotFound. */
export async function listAround<R>(
  { db }: Context,
  project: ProjectRow,
  id: number,
  selection: Selection<'BoardList', R>,
): Promise<R> {
  return existing(
    await readRow(db, selection, {
      rows: list,
      where: sql`${list.id} = ${id} AND ${ofProjectOrAncestorGroups(list, project.id)}`,
    }),
  );
}

function existing<R>(found: R | undefined): R {
  if (found === undefined) throw new NotFound('BoardList');
  return found;
}

export const { findByIds: findBoardListsByIds, changed: changedBoardList } = lists;

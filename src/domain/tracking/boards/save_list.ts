import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { ofProjectOrAncestorGroups } from '#src/domain/projects/groups_around.ts';
import { findOwner, type OwnedRecord, type OwnerRef, ownerColumns } from '#src/domain/projects/owner.ts';
import { findBoard, findBoardList } from '#src/domain/tracking/boards/list.ts';
import { Prisma, type Transaction, violates } from '#src/platform/database/db.ts';
import { BadRequest, LimitReached, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { select } from '#src/platform/records/selection.ts';

/** Maximum number of lists of a board. */
const MAX_LISTS = 100;

const label = alias('Label', 'l');
const ID = select('Board', { id: true });
const LIST_ID = select('BoardList', { id: true });

/** Identifies a board of a project or group: the first one when absent. */
export type BoardRef = number | null | undefined;

/** Appends a list for a label to a board. Throws NotFound, Forbidden, BadRequest, ValidationFailed, LimitReached. */
export async function createBoardList(
  context: Context,
  ref: OwnerRef,
  board: BoardRef,
  labelId: number,
): Promise<OwnedRecord> {
  const { place, boardId } = await administered(context, ref, board);
  try {
    const id = await context.db.$transaction(async (tx) => {
      // Locks the label before the board: otherwise this could deadlock with the deletion of the label.
      const { project, group } = place;
      const isThere = project
        ? ofProjectOrAncestorGroups(label, project.id)
        : Prisma.sql`${label.groupId} = ANY(${group.lineage}::int[])`;
      const labels = await tx.$queryRaw<unknown[]>`
        SELECT 1 FROM ${table(label)} WHERE ${label.id} = ${labelId} AND ${isThere} FOR KEY SHARE OF l`;
      if (labels.length === 0)
        throw new BadRequest('The label is not one of the project or group', 'label_id', 'labelOfOtherProject');
      const lists = await lockedLists(tx, boardId);
      if (lists.length >= MAX_LISTS) throw new LimitReached(`A board can have at most ${MAX_LISTS} lists`);
      const rank = (lists.at(-1)?.rank ?? -1) + 1;
      const data = { ...ownerColumns(place), boardId, labelId, rank };
      return (await tx.boardList.create({ data, select: { id: true } })).id;
    });
    return { place, id };
  } catch (error) {
    throw violates(error) ? existingList(boardId, labelId) : error;
  }
}

/** The error for a label that has a list on the board already. */
function existingList(boardId: number, labelId: number): ValidationFailed {
  const existing = { type: 'BoardList', where: { boardId, labelId } } as const;
  return new ValidationFailed({ label_id: ['has already been taken'] }).asExisting(existing);
}

/**
 * Moves a list to a position of its board, counted from 0; later ones are shifted. Throws NotFound, Forbidden, and BadRequest for
 * an invalid position.
 */
export async function moveBoardList(
  context: Context,
  ref: OwnerRef,
  board: BoardRef,
  listId: number,
  position: number,
): Promise<OwnedRecord> {
  const { place, boardId } = await administered(context, ref, board, listId);
  await context.db.$transaction(async (tx) => {
    const ids = (await lockedLists(tx, boardId)).map(({ id }) => id);
    if (!ids.includes(listId)) throw new NotFound('BoardList');
    if (position < 0 || position >= ids.length)
      throw new BadRequest('The position must be one of a list of the board', 'position', 'listPositionOutOfRange');
    const others = ids.filter((id) => id !== listId);
    const wanted = [...others.slice(0, position), listId, ...others.slice(position)];
    await tx.$executeRaw`
      UPDATE board_lists l SET rank = w.rank FROM unnest(${wanted}::int[]) WITH ORDINALITY AS w(id, rank)
      WHERE l.id = w.id AND l.rank <> w.rank`;
  });
  return { place, id: listId };
}

/** Removes a list from its board; label and issues stay. Returns its ID. Throws NotFound, Forbidden. */
export async function deleteBoardList(
  context: Context,
  ref: OwnerRef,
  board: BoardRef,
  listId: number,
): Promise<number> {
  await administered(context, ref, board, listId);
  const { count } = await context.db.boardList.deleteMany({ where: { id: listId } });
  if (count === 0) throw new NotFound('BoardList');
  return listId;
}

async function administered(context: Context, ref: OwnerRef, board: BoardRef, listId?: number) {
  const actor = requireActor(context);
  const place = await findOwner(context, ref);
  const { id: boardId } = await findBoard(context, place, board, ID);
  if (place.project) authorize(actor, 'admin_board', place.project);
  else authorize(actor, 'admin_group_board', place.group);
  if (listId !== undefined) await findBoardList(context, boardId, listId, LIST_ID);
  return { place, boardId };
}

/** The lists of a board in order, locked until this transaction ends. */
async function lockedLists(tx: Transaction, boardId: number): Promise<{ id: number; rank: number }[]> {
  await tx.$queryRaw`SELECT id FROM boards WHERE id = ${boardId} FOR NO KEY UPDATE`;
  return tx.boardList.findMany({
    where: { boardId },
    orderBy: [{ rank: 'asc' }, { id: 'asc' }],
    select: { id: true, rank: true },
  });
}

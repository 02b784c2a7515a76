import type { Context } from '#src/access/permissions/actor.ts';
import { type OwnedRecord, type Owner, type OwnerRef, ownerColumns, requireOwner } from '#src/domain/projects/owner.ts';
import { findBoard } from '#src/domain/tracking/boards/list.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { LimitReached, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/** Maximum number of boards of a project or group. */
const MAX_BOARDS = 100;

const ID = select('Board', { id: true });
const ADMIN_BOARD = { project: 'admin_board', group: 'admin_group_board' } as const;

export interface BoardValues {
  name?: string | null | undefined;
  hideBacklogList?: boolean | null | undefined;
  hideClosedList?: boolean | null | undefined;
}

/** Creates a board of a project or group. Throws NotFound, Forbidden, BadRequest, ValidationFailed, LimitReached. */
export async function createBoard(context: Context, ref: OwnerRef, values: BoardValues): Promise<OwnedRecord> {
  const place = await requireOwner(context, ref, ADMIN_BOARD);
  const data = { ...ownerColumns(place), ...checked({ ...values, name: values.name ?? '' }) };
  const id = await context.db.$transaction(async (tx) => {
    if ((await lockedCount(tx, place)) >= MAX_BOARDS)
      throw new LimitReached(`A ${place.project ? 'project' : 'group'} can have at most ${MAX_BOARDS} boards`);
    return (await tx.board.create({ data, select: { id: true } })).id;
  });
  return { place, id };
}

/** Updates a board: unset means unchanged. Throws NotFound, Forbidden, BadRequest, ValidationFailed. */
export async function updateBoard(
  context: Context,
  ref: OwnerRef,
  boardId: number,
  values: BoardValues,
): Promise<OwnedRecord> {
  const place = await requireOwner(context, ref, ADMIN_BOARD);
  const { id } = await findBoard(context, place, boardId, ID);
  const data = checked(values);
  if (Object.keys(data).length > 0) await context.db.board.update({ where: { id }, data });
  return { place, id };
}

/**
 * Deletes a board with its lists; the only board of a project stays, with its lists. Returns its ID. Throws NotFound, Forbidden,
 * BadRequest.
 */
export async function deleteBoard(context: Context, ref: OwnerRef, boardId: number): Promise<number> {
  const place = await requireOwner(context, ref, ADMIN_BOARD);
  const { id } = await findBoard(context, place, boardId, ID);
  await context.db.$transaction(async (tx) => {
    if (place.project && (await lockedCount(tx, place)) === 1) return;
    const { count } = await tx.board.deleteMany({ where: { id } });
    if (count === 0) throw new NotFound('Board');
  });
  return id;
}

/** How many boards the place has, which no other transaction changes until this one ends. */
async function lockedCount(tx: Transaction, place: Owner): Promise<number> {
  if (place.project) await tx.$queryRaw`SELECT id FROM projects WHERE id = ${place.project.id} FOR NO KEY UPDATE`;
  else await tx.$queryRaw`SELECT id FROM namespaces WHERE id = ${place.group.id} FOR NO KEY UPDATE`;
  return tx.board.count({ where: ownerColumns(place) });
}

function checked({ name, hideBacklogList, hideClosedList }: BoardValues) {
  const trimmed = name?.trim();
  if (trimmed === '') throw new ValidationFailed({ name: ["can't be blank"] });
  if (trimmed !== undefined && trimmed.length > 255)
    throw new ValidationFailed({ name: ['is too long (maximum is 255 characters)'] });
  return {
    ...(trimmed === undefined ? {} : { name: trimmed }),
    ...(hideBacklogList == null ? {} : { hideBacklogList }),
    ...(hideClosedList == null ? {} : { hideClosedList }),
  };
}

import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { listAround } from '#src/domain/tracking/boards/list.ts';
import { updateIssue } from '#src/domain/tracking/issues/update.ts';
import { BadRequest } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

const LABEL = select('BoardList', { labelId: true });

/** The lists of the board between which an issue is moved; null for none, as those of all open and of closed issues. */
export interface BoardMove {
  fromList?: number | null | undefined;
  toList?: number | null | undefined;
  /** Whether the issue is closed or reopened by that. */
  stateEvent?: 'close' | 'reopen' | null | undefined;
}

/**
 * Moves an issue between lists of a board of its project, or of a group around it, by swapping labels; closes or reopens it if that
 * is asked for. Throws NotFound, Forbidden, BadRequest.
 */
export async function moveBoardIssue(
  context: Context,
  ref: IdOrPath,
  iid: number,
  { fromList, toList, stateEvent }: BoardMove,
): Promise<ChangedRecord> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  if (fromList == null && toList == null && stateEvent == null)
    throw new BadRequest('Name the list to move the issue from, or to', 'to_list_id');
  authorize(actor, 'admin_issue', project);
  const labelOf = async (list: number | null | undefined) =>
    list == null ? null : (await listAround(context, project, list, LABEL)).labelId;
  const swapLabels = { remove: await labelOf(fromList), add: await labelOf(toList) };
  return updateIssue(context, ref, iid, { swapLabels, stateEvent });
}

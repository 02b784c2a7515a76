import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { setSubscription } from '#src/domain/activity/subscribe.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { findMergeRequest, mayUpdate } from '#src/domain/tracking/merge_requests/find.ts';
import { Forbidden } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

const FOLLOWED = select('MergeRequest', { id: true, isSubscribed: true, authorId: true, assigneeIds: true });

/**
 * Subscribes to a merge request, or unsubscribes; for those who may update it (behaviour.md 6). `changed` is false if that is
 * the case already. Throws NotFound, Forbidden.
 */
export async function subscribeToMergeRequest(
  context: Context,
  ref: IdOrPath,
  iid: number,
  subscribed: boolean,
): Promise<ChangedRecord & { changed: boolean }> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  const { isSubscribed, ...mergeRequest } = await findMergeRequest(context, project, iid, FOLLOWED);
  if (!mayUpdate(actor, project, mergeRequest)) throw new Forbidden();
  const { id } = mergeRequest;
  const changed = await setSubscription(context.db, actor.id, { type: 'MergeRequest', id }, isSubscribed, subscribed);
  return { project, id, changed };
}

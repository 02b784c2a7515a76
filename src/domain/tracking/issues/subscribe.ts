import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { setSubscription } from '#src/domain/activity/subscribe.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { findIssue } from '#src/domain/tracking/issues/find.ts';
import { select } from '#src/platform/records/selection.ts';

const FOLLOWED = select('Issue', { id: true, isSubscribed: true });

/** Subscribes to an issue, or unsubscribes. `changed` is false if that is the case already. Throws NotFound. */
export async function subscribeToIssue(
  context: Context,
  ref: IdOrPath,
  iid: number,
  subscribed: boolean,
): Promise<ChangedRecord & { changed: boolean }> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  const { id, isSubscribed } = await findIssue(context, project, iid, FOLLOWED);
  const changed = await setSubscription(context.db, actor.id, { type: 'Issue', id }, isSubscribed, subscribed);
  return { project, id, changed };
}

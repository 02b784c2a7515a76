import { feed } from '#src/domain/activity/follow.ts';
import type { Follower } from '#src/domain/changes/record.ts';
import { pushedPipelines } from '#src/domain/ci/pipelines/push.ts';
import { mail } from '#src/domain/notifications/mailing/follow.ts';
import { tracking } from '#src/domain/tracking/activity/follow.ts';
import { webhooks } from '#src/domain/webhooks/follow.ts';

/** All that follows the changes that commands record, in the order in which they write. */
export const FOLLOWERS: readonly Follower[] = [feed, tracking, pushedPipelines, mail, webhooks];

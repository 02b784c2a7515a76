import { feed } from '#src/domain/activity/follow.ts';
import type { Follower } from '#src/domain/changes/record.ts';
import { deletedBranches } from '#src/domain/ci/environments/follow.ts';
import { pushedPipelines } from '#src/domain/ci/pipelines/push.ts';
import { pushedMirrors } from '#src/domain/imports/mirrors/push.ts';
import { mail } from '#src/domain/notifications/mailing/follow.ts';
import { pushedCode } from '#src/domain/repository/code_search/follow.ts';
import { pushedLanguages } from '#src/domain/repository/languages/follow.ts';
import { builtSites } from '#src/domain/sites/follow.ts';
import { tracking } from '#src/domain/tracking/activity/follow.ts';
import { resourceEvents } from '#src/domain/tracking/resource_events/follow.ts';
import { webhooks } from '#src/domain/webhooks/follow.ts';

/** Everything that follows the changes recorded by commands, in the order in which it writes. */
export const FOLLOWERS: readonly Follower[] = [
  feed,
  tracking,
  resourceEvents,
  pushedPipelines,
  deletedBranches,
  builtSites,
  pushedMirrors,
  pushedLanguages,
  pushedCode,
  mail,
  webhooks,
];

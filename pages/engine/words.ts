import { label } from '#src/platform/texts/texts.ts';

/** Words of enumerations that several pages show, as `t` takes them. */
export const words = {
  visibility: { PRIVATE: label('private'), INTERNAL: label('internal'), PUBLIC: label('public') },
  role: {
    GUEST: label('guest'),
    REPORTER: label('reporter'),
    DEVELOPER: label('developer'),
    MASTER: label('maintainer'),
    OWNER: label('owner'),
  },
  /** States of issues and merge requests. */
  state: { OPENED: label('Open'), CLOSED: label('Closed'), MERGED: label('Merged'), LOCKED: label('Locked') },
  milestone: { ACTIVE: label('active'), CLOSED: label('closed') },
  /** Why something is among the to-dos. */
  todo: {
    ASSIGNED: label('{author} assigned you {target}'),
    MENTIONED: label('{author} mentioned you on {target}'),
    DIRECTLY_ADDRESSED: label('{author} addressed you on {target}'),
    MARKED: label('{author} added a to-do for {target}'),
    BUILD_FAILED: label('The pipeline failed for {target}'),
    UNMERGEABLE: label('{target} can no longer be merged'),
    REVIEW_SUBMITTED: label('{author} reviewed {target}'),
    REVIEW_REQUESTED: label('{author} requested your review of {target}'),
    APPROVAL_REQUIRED: label('{author} needs your approval of {target}'),
  },
  pipeline: {
    CREATED: label('created'),
    WAITING_FOR_RESOURCE: label('waiting'),
    PENDING: label('pending'),
    RUNNING: label('running'),
    SUCCESS: label('passed'),
    FAILED: label('failed'),
    CANCELING: label('canceling'),
    CANCELED: label('canceled'),
    SKIPPED: label('skipped'),
    MANUAL: label('manual'),
    SCHEDULED: label('delayed'),
  },
  /** What environments are for. */
  tier: {
    PRODUCTION: label('production'),
    STAGING: label('staging'),
    TESTING: label('testing'),
    DEVELOPMENT: label('development'),
    OTHER: label('other'),
  },
} as const;

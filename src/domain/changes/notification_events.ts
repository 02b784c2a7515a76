/** Kinds of events for which users can choose to get mail (endpoints-beyond.md, Notification settings), with their columns. */
export const NOTIFICATION_EVENTS = {
  newNote: 'new_note',
  newIssue: 'new_issue',
  reopenIssue: 'reopen_issue',
  closeIssue: 'close_issue',
  reassignIssue: 'reassign_issue',
  issueDue: 'issue_due',
  newMergeRequest: 'new_merge_request',
  reopenMergeRequest: 'reopen_merge_request',
  closeMergeRequest: 'close_merge_request',
  reassignMergeRequest: 'reassign_merge_request',
  mergeMergeRequest: 'merge_merge_request',
  failedPipeline: 'failed_pipeline',
  successPipeline: 'success_pipeline',
} as const;
export type NotificationEvent = keyof typeof NOTIFICATION_EVENTS;

export const EVENT_NAMES = Object.keys(NOTIFICATION_EVENTS) as NotificationEvent[];

/** In the order of their numbers in v4. */
export const NOTIFICATION_LEVELS = ['disabled', 'participating', 'watch', 'global', 'mention', 'custom'] as const;
export type NotificationLevel = (typeof NOTIFICATION_LEVELS)[number];

/** Who can use a quick action: readers of its target, those who can change it, those who can set its people, labels and dates, or lock it. */
type Who = 'reader' | 'updater' | 'admin' | 'locker';

interface QuickActionFacts {
  description: string;
  /** What the text after the name holds, as an example; null if it has no meaning. */
  parameter: string | null;
  /** Whether it does nothing without that text. */
  needsParameter: boolean;
  /** What it is for; both if it is not said. */
  on?: 'Issue' | 'MergeRequest';
  who: Who;
  /** The attribute that it sets regardless of the current value; others depend on it, or need no look-ups. */
  sets?: string;
}

const WITHOUT = { parameter: null, needsParameter: false } as const;
const given = (parameter: string) => ({ parameter, needsParameter: true });
const optional = (parameter: string) => ({ parameter, needsParameter: false });

/** All quick actions, in the order in which they are offered. */
export const QUICK_ACTIONS = {
  close: { description: 'Close', ...WITHOUT, who: 'updater', sets: 'state' },
  reopen: { description: 'Reopen', ...WITHOUT, who: 'updater', sets: 'state' },
  title: { description: 'Change the title', ...given('New title'), who: 'updater' },
  assign: { description: 'Add assignees', ...given('@user'), who: 'admin', sets: 'assignees' },
  unassign: { description: 'Remove assignees, or all of them', ...optional('@user'), who: 'admin', sets: 'assignees' },
  reassign: { description: 'Replace the assignees', ...given('@user'), who: 'admin', sets: 'assignees' },
  assign_reviewer: {
    description: 'Add reviewers',
    ...given('@user'),
    on: 'MergeRequest',
    who: 'admin',
    sets: 'reviewers',
  },
  unassign_reviewer: {
    description: 'Remove reviewers, or all of them',
    ...optional('@user'),
    on: 'MergeRequest',
    who: 'admin',
    sets: 'reviewers',
  },
  reassign_reviewer: {
    description: 'Replace the reviewers',
    ...given('@user'),
    on: 'MergeRequest',
    who: 'admin',
    sets: 'reviewers',
  },
  label: { description: 'Add labels', ...given('~label'), who: 'admin' },
  unlabel: { description: 'Remove labels, or all of them', ...optional('~label'), who: 'admin' },
  relabel: { description: 'Replace the labels', ...given('~label'), who: 'admin' },
  milestone: { description: 'Set the milestone', ...given('%milestone'), who: 'admin', sets: 'milestone' },
  remove_milestone: { description: 'Remove the milestone', ...WITHOUT, who: 'admin', sets: 'milestone' },
  due: { description: 'Set the due date', ...given('tomorrow'), on: 'Issue', who: 'admin', sets: 'due date' },
  remove_due_date: { description: 'Remove the due date', ...WITHOUT, on: 'Issue', who: 'admin', sets: 'due date' },
  approve: {
    description: 'Approve the merge request',
    ...WITHOUT,
    on: 'MergeRequest',
    who: 'updater',
    sets: 'approval',
  },
  unapprove: {
    description: 'Take the approval back',
    ...WITHOUT,
    on: 'MergeRequest',
    who: 'updater',
    sets: 'approval',
  },
  draft: { description: 'Mark as a draft', ...WITHOUT, on: 'MergeRequest', who: 'updater' },
  ready: { description: 'Mark as ready', ...WITHOUT, on: 'MergeRequest', who: 'updater' },
  wip: { description: 'Mark as a draft, or as ready if it is one', ...WITHOUT, on: 'MergeRequest', who: 'updater' },
  target_branch: {
    description: 'Change the target branch',
    ...given('branch'),
    on: 'MergeRequest',
    who: 'updater',
    sets: 'target branch',
  },
  lock: { description: 'Let only members comment', ...WITHOUT, who: 'locker', sets: 'lock' },
  unlock: { description: 'Let everyone comment again', ...WITHOUT, who: 'locker', sets: 'lock' },
  subscribe: { description: 'Be notified of what happens', ...WITHOUT, who: 'reader', sets: 'subscription' },
  unsubscribe: { description: 'Be notified no longer', ...WITHOUT, who: 'reader', sets: 'subscription' },
  todo: { description: 'Add a to-do for yourself', ...WITHOUT, who: 'reader', sets: 'todo' },
  done: { description: 'Mark your to-do as done', ...WITHOUT, who: 'reader', sets: 'todo' },
  award: { description: 'React with an emoji', ...given(':thumbsup:'), who: 'reader', sets: 'award' },
  estimate: { description: 'Set the time estimate', ...given('2h 30m'), who: 'updater' },
  remove_estimate: { description: 'Remove the time estimate', ...WITHOUT, who: 'updater' },
  spend: { description: 'Add time spent', ...given('1h 30m'), who: 'updater' },
  remove_time_spent: { description: 'Remove all time spent', ...WITHOUT, who: 'updater' },
} as const satisfies Record<string, QuickActionFacts>;

export type QuickActionName = keyof typeof QUICK_ACTIONS;

/** What is known of an action by its name. */
export const factsOf = (name: QuickActionName): QuickActionFacts => QUICK_ACTIONS[name];

export function isQuickAction(name: string): name is QuickActionName {
  return Object.hasOwn(QUICK_ACTIONS, name);
}

/** A quick action, as writers are told of it. */
export interface OfferedQuickAction extends Pick<QuickActionFacts, 'description' | 'parameter' | 'needsParameter'> {
  name: QuickActionName;
  forIssues: boolean;
  forMergeRequests: boolean;
}

/** All quick actions that texts can have. */
export function listQuickActions(): OfferedQuickAction[] {
  return Object.keys(QUICK_ACTIONS)
    .filter(isQuickAction)
    .map((name) => {
      const { on, description, parameter, needsParameter } = factsOf(name);
      return {
        name,
        description,
        parameter,
        needsParameter,
        forIssues: on !== 'MergeRequest',
        forMergeRequests: on !== 'Issue',
      };
    });
}

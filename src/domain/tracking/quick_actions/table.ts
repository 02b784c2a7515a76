import { label } from '#src/platform/texts/texts.ts';

/** Who can use a quick action: readers of its target, those who can change it, those who can set its people, labels and dates, or lock it. */
type Who = 'reader' | 'updater' | 'admin' | 'locker';

interface QuickActionFacts {
  /** In the catalogue of texts. */
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
  /** Whether comments alone can have it: it is a command of its own. */
  inNotes?: true;
  /** What its line becomes: it is text, rather than something to do. */
  becomes?: (argument: string) => string;
}

const WITHOUT = { parameter: null, needsParameter: false } as const;
const given = (parameter: string) => ({ parameter, needsParameter: true });
const optional = (parameter: string) => ({ parameter, needsParameter: false });

const withFace = (face: string) => (text: string) => (text === '' ? face : `${text} ${face}`);

/** All quick actions, in the order in which they are offered. */
export const QUICK_ACTIONS = {
  close: { description: label('Close'), ...WITHOUT, who: 'updater', sets: 'state' },
  reopen: { description: label('Reopen'), ...WITHOUT, who: 'updater', sets: 'state' },
  title: { description: label('Change the title'), ...given(label('New title')), who: 'updater' },
  assign: { description: label('Add assignees'), ...given('@user'), who: 'admin' },
  unassign: {
    description: label('Remove assignees, or all of them'),
    ...optional('@user'),
    who: 'admin',
  },
  reassign: { description: label('Replace the assignees'), ...given('@user'), who: 'admin' },
  assign_reviewer: {
    description: label('Add reviewers'),
    ...given('@user'),
    on: 'MergeRequest',
    who: 'admin',
  },
  unassign_reviewer: {
    description: label('Remove reviewers, or all of them'),
    ...optional('@user'),
    on: 'MergeRequest',
    who: 'admin',
  },
  reassign_reviewer: {
    description: label('Replace the reviewers'),
    ...given('@user'),
    on: 'MergeRequest',
    who: 'admin',
  },
  label: { description: label('Add labels'), ...given('~label'), who: 'admin' },
  unlabel: { description: label('Remove labels, or all of them'), ...optional('~label'), who: 'admin' },
  relabel: { description: label('Replace the labels'), ...given('~label'), who: 'admin' },
  milestone: { description: label('Set the milestone'), ...given('%milestone'), who: 'admin', sets: 'milestone' },
  remove_milestone: { description: label('Remove the milestone'), ...WITHOUT, who: 'admin', sets: 'milestone' },
  due: { description: label('Set the due date'), ...given('tomorrow'), on: 'Issue', who: 'admin', sets: 'due date' },
  remove_due_date: {
    description: label('Remove the due date'),
    ...WITHOUT,
    on: 'Issue',
    who: 'admin',
    sets: 'due date',
  },
  approve: {
    description: label('Approve the merge request'),
    ...WITHOUT,
    on: 'MergeRequest',
    who: 'updater',
    sets: 'approval',
  },
  unapprove: {
    description: label('Take the approval back'),
    ...WITHOUT,
    on: 'MergeRequest',
    who: 'updater',
    sets: 'approval',
  },
  draft: { description: label('Mark as a draft'), ...WITHOUT, on: 'MergeRequest', who: 'updater' },
  ready: { description: label('Mark as ready'), ...WITHOUT, on: 'MergeRequest', who: 'updater' },
  wip: {
    description: label('Mark as a draft, or as ready if it is one'),
    ...WITHOUT,
    on: 'MergeRequest',
    who: 'updater',
  },
  target_branch: {
    description: label('Change the target branch'),
    ...given('branch'),
    on: 'MergeRequest',
    who: 'updater',
    sets: 'target branch',
  },
  confidential: {
    description: label('Show it to members alone'),
    ...WITHOUT,
    on: 'Issue',
    who: 'updater',
    sets: 'confidential',
  },
  lock: { description: label('Let only members comment'), ...WITHOUT, who: 'locker', sets: 'lock' },
  unlock: { description: label('Let everyone comment again'), ...WITHOUT, who: 'locker', sets: 'lock' },
  subscribe: { description: label('Be notified of what happens'), ...WITHOUT, who: 'reader', sets: 'subscription' },
  unsubscribe: { description: label('Be notified no longer'), ...WITHOUT, who: 'reader', sets: 'subscription' },
  todo: { description: label('Add a to-do for yourself'), ...WITHOUT, who: 'reader', sets: 'todo' },
  done: { description: label('Mark your to-do as done'), ...WITHOUT, who: 'reader', sets: 'todo' },
  react: { description: label('React with an emoji'), ...given(':thumbsup:'), who: 'reader' },
  estimate: { description: label('Set the time estimate'), ...given('2h 30m'), who: 'updater' },
  remove_estimate: { description: label('Remove the time estimate'), ...WITHOUT, who: 'updater' },
  spend: { description: label('Add time spent'), ...given('1h 30m'), who: 'updater' },
  remove_time_spent: { description: label('Remove all time spent'), ...WITHOUT, who: 'updater' },
  relate: { description: label('Link issues'), ...given('#1'), on: 'Issue', who: 'reader', inNotes: true },
  unrelate: {
    description: label('Remove a link to an issue'),
    ...given('#1'),
    on: 'Issue',
    who: 'reader',
    inNotes: true,
  },
  duplicate: {
    description: label('Close as a duplicate of an issue'),
    ...given('#1'),
    on: 'Issue',
    who: 'updater',
    inNotes: true,
  },
  move: {
    description: label('Move to another project'),
    ...given('group/project'),
    on: 'Issue',
    who: 'reader',
    sets: 'project',
    inNotes: true,
  },
  copy_metadata: { description: label('Copy labels and milestone'), ...given('#1'), who: 'admin', inNotes: true },
  merge: {
    description: label('Merge'),
    ...WITHOUT,
    on: 'MergeRequest',
    who: 'reader',
    sets: 'merge',
    inNotes: true,
  },
  rebase: {
    description: label('Put the commits on top of the target branch'),
    ...WITHOUT,
    on: 'MergeRequest',
    who: 'reader',
    sets: 'rebase',
    inNotes: true,
  },
  shrug: {
    description: label('Add a shrug'),
    ...optional(label('Text')),
    who: 'reader',
    becomes: withFace('¯\\＿(ツ)＿/¯'),
  },
  tableflip: {
    description: label('Add a flipped table'),
    ...optional(label('Text')),
    who: 'reader',
    becomes: withFace('(╯°□°)╯︵ ┻━┻'),
  },
  cc: {
    description: label('Name who should know'),
    ...given('@user'),
    who: 'reader',
    becomes: (named: string) => `/cc ${named}`,
  },
} as const satisfies Record<string, QuickActionFacts>;

export type QuickActionName = keyof typeof QUICK_ACTIONS;

/** Actions that are no text. */
export type DoingName = Exclude<QuickActionName, 'shrug' | 'tableflip' | 'cc'>;

/** Other names of actions. */
export const OTHER_NAMES = {
  award: 'react',
  spent: 'spend',
  spend_time: 'spend',
  estimate_time: 'estimate',
  remove_time_estimate: 'remove_estimate',
  remove_label: 'unlabel',
  reviewer: 'assign_reviewer',
  request_review: 'assign_reviewer',
  remove_reviewer: 'unassign_reviewer',
  unlink: 'unrelate',
} as const satisfies Record<string, QuickActionName>;

/** The action that is called so, in any case; null if there is none. */
export function quickActionCalled(written: string): QuickActionName | null {
  const name = written.toLowerCase();
  if (isQuickAction(name)) return name;
  return Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name as keyof typeof OTHER_NAMES] : null;
}

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

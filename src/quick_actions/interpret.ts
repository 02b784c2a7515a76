import type { Context } from '#src/access/actor.ts';
import { assignable } from '#src/issues/attributes.ts';
import { MOST_LABELS } from '#src/labels/ensure.ts';
import { asDraft, asReady, toggleDraft } from '#src/merge_requests/draft.ts';
import type { ProjectRow } from '#src/projects/find.ts';
import { dayOf, labelTitles, milestoneTitle, usernames } from '#src/quick_actions/names.ts';
import type { QuickAction } from '#src/quick_actions/split.ts';
import { parseDuration } from '#src/time_tracking/duration.ts';

/** What the actions of a text are about, as it is before them. */
export interface Target {
  type: 'Issue' | 'MergeRequest';
  project: ProjectRow;
  title: string;
  /** Titles of its labels. */
  labels: readonly string[];
  /** Whether the actor may close and rename it. */
  mayUpdate: boolean;
  /** Whether the actor may set assignee, milestone, labels and due date. */
  mayAdmin: boolean;
}

/** Attributes of an issue or merge request that actions set. */
export interface WantedChanges {
  stateEvent?: 'close' | 'reopen';
  title?: string;
  assigneeId?: number | null;
  milestoneId?: number | null;
  labels?: string[];
  dueDate?: string | null;
  targetBranch?: string;
}

/** What actions do beside the attributes, each at most once. Durations are as they were written. */
export interface WantedDeeds {
  subscribed?: boolean;
  /** Adds a todo of the actor, or marks it as done. */
  todo?: 'add' | 'done';
  /** Null for none. */
  estimate?: string | null;
  /** Null takes back all. */
  spend?: string | null;
  award?: string;
}

/** What is to be done. */
export interface Wishes {
  changes: WantedChanges;
  deeds: WantedDeeds;
}

/** What the actor may do of the given actions; the rest is left out. Later actions win over earlier ones. */
export async function interpret(
  context: Context,
  actor: { id: number; username: string },
  target: Target,
  actions: readonly QuickAction[],
): Promise<Wishes> {
  let wishes: Wishes = { changes: {}, deeds: {} };
  for (const { name, argument } of actions) {
    const isPermitted = NEEDS_ADMIN.has(name) ? target.mayAdmin : target.mayUpdate || FOR_READERS.has(name);
    if (!isPermitted) continue;
    const { changes, deeds } = await ACTIONS[name]({ context, actor, target, so: wishes.changes }, argument);
    wishes = { changes: { ...wishes.changes, ...changes }, deeds: { ...wishes.deeds, ...deeds } };
  }
  return wishes;
}

interface Reading {
  context: Context;
  actor: { id: number; username: string };
  target: Target;
  /** What the actions before it change. */
  so: WantedChanges;
}

const NEEDS_ADMIN: ReadonlySet<string> = new Set<QuickAction['name']>([
  'assign',
  'unassign',
  'milestone',
  'remove_milestone',
  'label',
  'unlabel',
  'relabel',
  'due',
  'remove_due_date',
]);
const FOR_READERS: ReadonlySet<string> = new Set<QuickAction['name']>([
  'subscribe',
  'unsubscribe',
  'todo',
  'done',
  'award',
]);

type Act = (reading: Reading, argument: string) => Partial<Wishes> | Promise<Partial<Wishes>>;

const ACTIONS: Record<QuickAction['name'], Act> = {
  close: () => ({ changes: { stateEvent: 'close' } }),
  reopen: () => ({ changes: { stateEvent: 'reopen' } }),
  title: (_reading, title) => ({ changes: { title } }),
  draft: (reading) => retitled(reading, asDraft),
  ready: (reading) => retitled(reading, asReady),
  wip: (reading) => retitled(reading, toggleDraft),
  assign,
  unassign: () => ({ changes: { assigneeId: null } }),
  milestone: setMilestone,
  remove_milestone: () => ({ changes: { milestoneId: null } }),
  label: async (reading, argument) => {
    const present = reading.so.labels ?? reading.target.labels;
    return { changes: { labels: [...new Set([...present, ...(await existing(reading, argument))])] } };
  },
  unlabel: ({ target, so }, argument) => {
    const gone = new Set(labelTitles(argument));
    const left = (so.labels ?? target.labels).filter((title) => argument !== '' && !gone.has(title));
    return { changes: { labels: left } };
  },
  relabel: async (reading, argument) => {
    const labels = await existing(reading, argument);
    return labels.length > 0 ? { changes: { labels } } : {};
  },
  due: async ({ target }, argument) => {
    const dueDate = target.type === 'Issue' ? await dayOf(argument, new Date()) : null;
    return dueDate === null ? {} : { changes: { dueDate } };
  },
  remove_due_date: ({ target }) => (target.type === 'Issue' ? { changes: { dueDate: null } } : {}),
  target_branch: ({ target }, targetBranch) => (target.type === 'MergeRequest' ? { changes: { targetBranch } } : {}),
  subscribe: () => ({ deeds: { subscribed: true } }),
  unsubscribe: () => ({ deeds: { subscribed: false } }),
  todo: () => ({ deeds: { todo: 'add' } }),
  done: () => ({ deeds: { todo: 'done' } }),
  estimate: (_reading, estimate) => (parseDuration(estimate) === null ? {} : { deeds: { estimate } }),
  remove_estimate: () => ({ deeds: { estimate: null } }),
  spend: (_reading, spend) => (parseDuration(spend) === null ? {} : { deeds: { spend } }),
  remove_time_spent: () => ({ deeds: { spend: null } }),
  award: (_reading, emoji) => ({ deeds: { award: emoji.replace(/^:|:$/g, '') } }),
};

function retitled({ target, so }: Reading, change: (title: string) => string): Partial<Wishes> {
  if (target.type !== 'MergeRequest') return {};
  return { changes: { title: change(so.title ?? target.title) } };
}

async function assign({ context, actor, target }: Reading, argument: string): Promise<Partial<Wishes>> {
  const [name] = usernames(argument);
  if (name === undefined) return {};
  const [user] = await context.db.$queryRaw<{ id: number }[]>`
    SELECT id FROM users WHERE lower(username) = lower(${name === 'me' ? actor.username : name}) AND NOT ghost`;
  const assigneeId = user ? await assignable(context.db, target.project, user.id) : null;
  return assigneeId === null ? {} : { changes: { assigneeId } };
}

async function setMilestone({ context, target }: Reading, argument: string): Promise<Partial<Wishes>> {
  const title = milestoneTitle(argument);
  if (title === null) return {};
  const where = { projectId: target.project.id, title };
  const milestone = await context.db.milestone.findFirst({ where, select: { id: true } });
  return milestone ? { changes: { milestoneId: milestone.id } } : {};
}

/** Those of the named labels that the project has. */
async function existing({ context, target }: Reading, argument: string): Promise<string[]> {
  const where = { projectId: target.project.id, title: { in: labelTitles(argument).slice(0, MOST_LABELS) } };
  const labels = await context.db.label.findMany({ where, select: { title: true } });
  return labels.map(({ title }) => title);
}

import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { labelsTitled, MAX_LABELS } from '#src/domain/tracking/labels/ensure.ts';
import { milestoneTitled } from '#src/domain/tracking/milestones/list.ts';
import { dueDate } from '#src/domain/tracking/quick_actions/due_date.ts';
import { labelTitles, milestoneTitle, usernames } from '#src/domain/tracking/quick_actions/names.ts';
import type { QuickAction } from '#src/domain/tracking/quick_actions/split.ts';
import { factsOf, type QuickActionName } from '#src/domain/tracking/quick_actions/table.ts';
import { involvable, MAX_ASSIGNEES } from '#src/domain/tracking/subjects/assignees.ts';
import { asDraft, asReady, toggleDraft } from '#src/domain/tracking/subjects/draft.ts';
import { parseDuration } from '#src/domain/tracking/subjects/duration.ts';

/** The target of a text's actions, before them. */
export interface Target {
  type: 'Issue' | 'MergeRequest';
  project: ProjectRow;
  title: string;
  /** Titles of its labels. */
  labels: readonly string[];
  assigneeIds: readonly number[];
  /** Of merge requests. */
  reviewerIds?: readonly number[];
  /** Whether the actor may close and rename it. */
  mayUpdate: boolean;
  /** Whether the actor may set assignee, milestone, labels and due date. */
  mayAdmin: boolean;
  /** Whether the actor may decide that only members comment. */
  mayLock: boolean;
}

/** Attributes of an issue or merge request set by actions. */
export interface WantedChanges {
  stateEvent?: 'close' | 'reopen';
  title?: string;
  assigneeIds?: number[];
  reviewerIds?: number[];
  milestoneId?: number | null;
  labels?: string[];
  dueDate?: string | null;
  targetBranch?: string;
  discussionLocked?: boolean;
}

/** Effects of actions besides attributes, each at most once. Durations are as written. */
export interface PendingEffects {
  approved?: boolean;
  subscribed?: boolean;
  /** Adds a todo for the actor, or marks it as done. */
  todo?: 'add' | 'done';
  /** Null removes it. */
  estimate?: string | null;
  /** Null removes all. */
  spend?: string | null;
  award?: string;
}

/** The effects of the actions. */
export interface ActionEffects {
  changes: WantedChanges;
  effects: PendingEffects;
}

/**
 * The permitted effects of the given actions; others are skipped. Of actions for the same attribute only the last is interpreted,
 * and all labels and users are loaded at once: a text may have a hundred actions.
 */
export async function interpret(
  context: Context,
  actor: { id: number; username: string },
  target: Target,
  actions: readonly QuickAction[],
): Promise<ActionEffects> {
  const counting = lastOfEach(actions.filter(({ name }) => isPermitted(name, target)));
  const known = {
    labels: await existing(context, target, counting),
    ...(await people(context, actor, target, counting)),
  };
  let wishes: ActionEffects = { changes: {}, effects: {} };
  for (const { name, argument } of counting) {
    const { changes, effects } = await ACTIONS[name]({ context, actor, target, known, so: wishes.changes }, argument);
    wishes = { changes: { ...wishes.changes, ...changes }, effects: { ...wishes.effects, ...effects } };
  }
  return wishes;
}

function isPermitted(name: QuickActionName, target: Target): boolean {
  const { on, who } = factsOf(name);
  if (on !== undefined && on !== target.type) return false;
  if (who === 'locker') return target.mayLock;
  if (who === 'admin') return target.mayAdmin;
  return target.mayUpdate || who === 'reader';
}

/** Removes actions that are overridden by a later one. */
function lastOfEach(actions: readonly QuickAction[]): QuickAction[] {
  const seen = new Set<string>();
  const counting = actions.toReversed().filter(({ name }) => {
    const thing = factsOf(name).sets;
    if (thing === undefined) return true;
    if (seen.has(thing)) return false;
    seen.add(thing);
    return true;
  });
  return counting.reverse();
}

interface Reading {
  context: Context;
  actor: { id: number; username: string };
  target: Target;
  known: Known;
  /** The effects of the actions before it. */
  so: WantedChanges;
}

/** What the arguments of the actions name. */
interface Known {
  /** Titles of labels that the project or a group around it has. */
  labels: ReadonlySet<string>;
  /** IDs of users by username in lower case. */
  users: ReadonlyMap<string, number>;
  /** Those of them who can read the target. */
  readers: ReadonlyMap<string, number>;
}

type Act = (reading: Reading, argument: string) => Partial<ActionEffects> | Promise<Partial<ActionEffects>>;

const ACTIONS: Record<QuickActionName, Act> = {
  close: () => ({ changes: { stateEvent: 'close' } }),
  reopen: () => ({ changes: { stateEvent: 'reopen' } }),
  title: (_reading, title) => ({ changes: { title } }),
  draft: (reading) => retitled(reading, asDraft),
  ready: (reading) => retitled(reading, asReady),
  wip: (reading) => retitled(reading, toggleDraft),
  assign: (reading, argument) => assigned(reading, added(reading, argument)),
  unassign: (reading, argument) => assigned(reading, removed(reading, argument)),
  reassign: (reading, argument) => assigned(reading, replaced(reading, argument)),
  assign_reviewer: (reading, argument) => asked(reading, added(reading, argument)),
  unassign_reviewer: (reading, argument) => asked(reading, removed(reading, argument)),
  reassign_reviewer: (reading, argument) => asked(reading, replaced(reading, argument)),
  approve: () => ({ effects: { approved: true } }),
  unapprove: () => ({ effects: { approved: false } }),
  milestone: setMilestone,
  remove_milestone: () => ({ changes: { milestoneId: null } }),
  label: ({ target, so, known }, argument) => {
    const present = so.labels ?? target.labels;
    return { changes: { labels: [...new Set([...present, ...titlesOf(argument, known.labels)])] } };
  },
  unlabel: ({ target, so }, argument) => {
    const gone = new Set(labelTitles(argument));
    const left = (so.labels ?? target.labels).filter((title) => argument !== '' && !gone.has(title));
    return { changes: { labels: left } };
  },
  relabel: ({ known }, argument) => {
    const labels = titlesOf(argument, known.labels);
    return labels.length > 0 ? { changes: { labels } } : {};
  },
  due: (_reading, argument) => {
    const day = dueDate(argument, new Date());
    return day === null ? {} : { changes: { dueDate: day } };
  },
  remove_due_date: () => ({ changes: { dueDate: null } }),
  target_branch: (_reading, targetBranch) => ({ changes: { targetBranch } }),
  lock: () => ({ changes: { discussionLocked: true } }),
  unlock: () => ({ changes: { discussionLocked: false } }),
  subscribe: () => ({ effects: { subscribed: true } }),
  unsubscribe: () => ({ effects: { subscribed: false } }),
  todo: () => ({ effects: { todo: 'add' } }),
  done: () => ({ effects: { todo: 'done' } }),
  estimate: (_reading, estimate) => (parseDuration(estimate) === null ? {} : { effects: { estimate } }),
  remove_estimate: () => ({ effects: { estimate: null } }),
  spend: (_reading, spend) => (parseDuration(spend) === null ? {} : { effects: { spend } }),
  remove_time_spent: () => ({ effects: { spend: null } }),
  award: (_reading, emoji) => ({ effects: { award: emoji.replace(/^:|:$/g, '') } }),
};

function retitled({ target, so }: Reading, change: (title: string) => string): Partial<ActionEffects> {
  return { changes: { title: change(so.title ?? target.title) } };
}

/** Users after a change of the present ones. */
type Turn = (present: readonly number[]) => number[];

function assigned({ target: { assigneeIds } }: Reading, turn: Turn): Partial<ActionEffects> {
  const next = turned(assigneeIds, turn);
  return next ? { changes: { assigneeIds: next } } : {};
}

function asked({ target: { reviewerIds = [] } }: Reading, turn: Turn): Partial<ActionEffects> {
  const next = turned(reviewerIds, turn);
  return next ? { changes: { reviewerIds: next } } : {};
}

/** The users after a change; null if they are the same. */
function turned(present: readonly number[], turn: Turn): number[] | null {
  const next = [...new Set(turn(present))].slice(0, MAX_ASSIGNEES);
  return next.length === present.length && next.every((id, index) => id === present[index]) ? null : next;
}

const added =
  (reading: Reading, argument: string): Turn =>
  (present) => [...present, ...readersIn(argument, reading)];

/** Without the users whom the argument names; with nobody if it is empty. */
const removed =
  ({ known, actor }: Reading, argument: string): Turn =>
  (present) => {
    if (argument === '') return [];
    const named = new Set(namesIn(argument, actor).map((name) => known.users.get(name)));
    return present.filter((id) => !named.has(id));
  };

/** The present ones stay if the argument names nobody who can read the target. */
const replaced =
  (reading: Reading, argument: string): Turn =>
  (present) => {
    const next = readersIn(argument, reading);
    return next.length > 0 ? next : [...present];
  };

/** The named users who can read the target. */
function readersIn(argument: string, { known, actor }: Reading): number[] {
  return namesIn(argument, actor).flatMap((name) => known.readers.get(name) ?? []);
}

/** The usernames of an argument in lower case. */
function namesIn(argument: string, actor: { username: string }): string[] {
  return usernames(argument).map((name) => (name === 'me' ? actor.username : name).toLowerCase());
}

async function setMilestone({ context, target }: Reading, argument: string): Promise<Partial<ActionEffects>> {
  const title = milestoneTitle(argument);
  if (title === null) return {};
  const [milestone] = await context.db.$queryRaw<{ id: number }[]>(milestoneTitled(target.project.id, title));
  return milestone ? { changes: { milestoneId: milestone.id } } : {};
}

function titlesOf(argument: string, known: ReadonlySet<string>): string[] {
  return [...new Set(labelTitles(argument))].filter((title) => known.has(title));
}

/** The labels named by the actions that the project or a group around it has: up to the first hundred. */
async function existing(
  context: Context,
  target: Target,
  actions: readonly QuickAction[],
): Promise<ReadonlySet<string>> {
  const naming = actions.filter(({ name }) => name === 'label' || name === 'relabel');
  const named = [...new Set(naming.flatMap(({ argument }) => labelTitles(argument)))].slice(0, MAX_LABELS);
  if (named.length === 0) return new Set();
  const labels = await context.db.$queryRaw<{ title: string }[]>(labelsTitled(target.project.id, named));
  return new Set(labels.map(({ title }) => title));
}

/** The users named by the actions: up to the first two hundred. */
async function people(
  context: Context,
  actor: { username: string },
  { type, project }: Target,
  actions: readonly QuickAction[],
): Promise<Pick<Known, 'users' | 'readers'>> {
  const naming = actions.filter(({ name }) => factsOf(name).parameter === '@user');
  const named = [...new Set(naming.flatMap(({ argument }) => namesIn(argument, actor)))].slice(0, MAX_ASSIGNEES);
  if (named.length === 0) return { users: new Map(), readers: new Map() };
  const found = await context.db.$queryRaw<{ id: number; name: string }[]>`
    SELECT id, lower(username) AS name FROM users WHERE lower(username) = ANY(${named}::text[]) AND NOT ghost`;
  const users = new Map(found.map(({ id, name }) => [name, id]));
  const reading = new Set(await involvable(context.db, type, project, [...users.values()]));
  return { users, readers: new Map([...users].filter(([, id]) => reading.has(id))) };
}

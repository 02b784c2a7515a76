import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { labelsTitled, MAX_LABELS } from '#src/domain/tracking/labels/ensure.ts';
import { milestoneTitled } from '#src/domain/tracking/milestones/list.ts';
import { dueDate } from '#src/domain/tracking/quick_actions/due_date.ts';
import { labelTitles, milestoneTitle, usernames } from '#src/domain/tracking/quick_actions/names.ts';
import type { QuickAction } from '#src/domain/tracking/quick_actions/split.ts';
import { type DoingName, factsOf } from '#src/domain/tracking/quick_actions/table.ts';
import { involvable, MAX_ASSIGNEES } from '#src/domain/tracking/subjects/assignees.ts';
import { asDraft, asReady, toggleDraft } from '#src/domain/tracking/subjects/draft.ts';
import { parseDuration } from '#src/domain/tracking/subjects/duration.ts';
import { emojiNamed, isVote } from '#src/platform/emoji.ts';

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
  /** Null for the actor, whose text is new. */
  authorId: number | null;
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
  confidential?: boolean;
  discussionLocked?: boolean;
}

/** Effects of actions besides attributes. Durations are as written. */
export interface PendingEffects {
  approved?: boolean;
  subscribed?: boolean;
  /** Adds a todo for the actor, or marks it as done. */
  todo?: 'add' | 'done';
  /** Null removes it. */
  estimate?: string | null;
  /** Null removes all. The day is `2026-11-01`; today if absent. */
  spent?: { duration: string | null; day?: string }[];
  /** Names of emoji. */
  awards?: string[];
}

/** A command of its own that an action asks for. */
export interface Order {
  name: OrderName;
  argument: string;
  action: QuickAction;
}

const ORDERS = ['relate', 'unrelate', 'duplicate', 'move', 'copy_metadata', 'merge', 'rebase'] as const;
export type OrderName = (typeof ORDERS)[number];

/** The effects of the actions. */
export interface ActionEffects {
  changes: WantedChanges;
  effects: PendingEffects;
}

interface Refusal {
  reason: string;
  /** What stays in the text. */
  left: string;
}

/** What actions do, and which of them do nothing. */
interface Interpreted extends ActionEffects {
  orders: Order[];
  refusals: Map<QuickAction, Refusal>;
  /** Those that a later one of the text overrides. */
  overridden: ReadonlySet<QuickAction>;
  count: number;
}

/**
 * The permitted effects of the given actions, and why others have none. Of actions that set the same attribute only the last is
 * interpreted, and all labels and users are loaded at once: a text may have a hundred actions.
 */
export async function interpret(
  context: Context,
  actor: { id: number; username: string },
  target: Target,
  actions: readonly QuickAction[],
  inNotes: boolean,
): Promise<Interpreted> {
  const refusals = new Map<QuickAction, Refusal>();
  const usable: Usable[] = [];
  for (const action of actions) {
    const reason = whyNot(action, target, inNotes);
    if (reason === null && action.name !== null) usable.push({ ...action, name: action.name, action });
    else refusals.set(action, { reason: `${wordOf(action)} ${reason}`, left: action.written });
  }
  const counting = lastOfEach(usable);
  const count = refusals.size + counting.length;
  const known = {
    labels: await existing(context, target, counting),
    ...(await people(context, actor, target, counting)),
  };
  const orders: Order[] = [];
  let wishes: ActionEffects = { changes: {}, effects: {} };
  for (const { name, argument, action } of counting) {
    if (isOrder(name)) {
      orders.push({ name, argument, action });
      continue;
    }
    const { changes: so, effects } = wishes;
    const outcome = await ACTIONS[name]({ context, actor, target, known, so, effects }, argument);
    wishes = { changes: { ...so, ...outcome.changes }, effects: { ...effects, ...outcome.effects } };
    const { refused, rest } = outcome;
    if (refused === undefined && rest === undefined) continue;
    const reason = refused ?? `names what is not there: ${rest}`;
    refusals.set(action, {
      reason: `${wordOf(action)} ${reason}`,
      left: refused === undefined ? `${wordOf(action)} ${rest}` : action.written,
    });
  }
  const counted = new Set(counting.map(({ action }) => action));
  const overridden = new Set(usable.flatMap(({ action }) => (counted.has(action) ? [] : [action])));
  return { ...wishes, orders, refusals, overridden, count };
}

/** An action that there is, and that the actor may use. */
interface Usable extends QuickAction {
  name: DoingName;
  action: QuickAction;
}

/** The slash and the name of an action, as it is written. */
export function wordOf({ written }: QuickAction): string {
  return /^\S*/.exec(written)?.[0] ?? '';
}

function isOrder(name: DoingName): name is OrderName {
  return (ORDERS as readonly string[]).includes(name);
}

/** Why an action cannot be used here; null if it can. */
function whyNot({ name, argument }: QuickAction, target: Target, inNotes: boolean): string | null {
  if (name === null) return 'is no quick action';
  const { on, who, needsParameter, parameter, inNotes: notesOnly } = factsOf(name);
  if (on !== undefined && on !== target.type) return `is for ${on === 'Issue' ? 'issues' : 'merge requests'}`;
  if (notesOnly && !inNotes) return 'is for comments';
  if (needsParameter && argument === '') return `needs a parameter, such as ${parameter}`;
  const may = { locker: target.mayLock, admin: target.mayAdmin, updater: target.mayUpdate, reader: true }[who];
  if (!may) return 'is not allowed to you here';
  if ((name === 'close' || name === 'reopen') && target.authorId === null) return 'is for what is there already';
  return null;
}

/** Removes actions that are overridden by a later one. */
function lastOfEach(actions: readonly Usable[]): Usable[] {
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
  effects: PendingEffects;
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

/** What an action does: why it does nothing, or what of its argument means nothing. */
interface Outcome extends Partial<ActionEffects> {
  refused?: string;
  rest?: string;
}

type Act = (reading: Reading, argument: string) => Outcome | Promise<Outcome>;

const ACTIONS: Record<Exclude<DoingName, OrderName>, Act> = {
  close: () => ({ changes: { stateEvent: 'close' } }),
  reopen: () => ({ changes: { stateEvent: 'reopen' } }),
  title: (_reading, title) => ({ changes: { title } }),
  draft: (reading) => retitled(reading, asDraft),
  ready: (reading) => retitled(reading, asReady),
  wip: (reading) => retitled(reading, toggleDraft),
  assign: (reading, argument) => withPeople('assigneeIds', reading, argument, added),
  unassign: (reading, argument) => withPeople('assigneeIds', reading, argument, removed),
  reassign: (reading, argument) => withPeople('assigneeIds', reading, argument, replaced),
  assign_reviewer: (reading, argument) => withPeople('reviewerIds', reading, argument, added),
  unassign_reviewer: (reading, argument) => withPeople('reviewerIds', reading, argument, removed),
  reassign_reviewer: (reading, argument) => withPeople('reviewerIds', reading, argument, replaced),
  approve: () => ({ effects: { approved: true } }),
  unapprove: () => ({ effects: { approved: false } }),
  milestone: setMilestone,
  remove_milestone: () => ({ changes: { milestoneId: null } }),
  label: (reading, argument) => labelled(reading, argument, presentLabels(reading)),
  unlabel: (reading, argument) => {
    const gone = new Set(labelTitles(argument));
    if (argument !== '' && gone.size === 0) return { refused: NO_LABEL };
    const left = presentLabels(reading).filter((title) => argument !== '' && !gone.has(title));
    return { changes: { labels: left } };
  },
  relabel: (reading, argument) => labelled(reading, argument, []),
  due: (_reading, argument) => {
    const day = dueDate(argument, new Date());
    return day === null ? { refused: 'needs a date' } : { changes: { dueDate: day } };
  },
  remove_due_date: () => ({ changes: { dueDate: null } }),
  target_branch: (_reading, targetBranch) => ({ changes: { targetBranch } }),
  confidential: () => ({ changes: { confidential: true } }),
  lock: () => ({ changes: { discussionLocked: true } }),
  unlock: () => ({ changes: { discussionLocked: false } }),
  subscribe: () => ({ effects: { subscribed: true } }),
  unsubscribe: () => ({ effects: { subscribed: false } }),
  todo: () => ({ effects: { todo: 'add' } }),
  done: () => ({ effects: { todo: 'done' } }),
  estimate: (_reading, estimate) =>
    parseDuration(estimate) === null ? { refused: NO_TIME } : { effects: { estimate } },
  remove_estimate: () => ({ effects: { estimate: null } }),
  spend,
  remove_time_spent: ({ effects: { spent = [] } }) => ({ effects: { spent: [...spent, { duration: null }] } }),
  react,
};

const NO_LABEL = 'names no label that is there';
const NO_TIME = 'needs a time, such as 1h 30m';

function retitled({ target, so }: Reading, change: (title: string) => string): Outcome {
  return { changes: { title: change(so.title ?? target.title) } };
}

/** The time, and the day on which it was spent. */
function spend({ effects: { spent = [] } }: Reading, argument: string): Outcome {
  const words = argument.split(/\s+/);
  const last = words.at(-1) ?? '';
  const isDated = words.length > 1 && /^\d{4}-\d{2}-\d{2}$/.test(last);
  const duration = isDated ? words.slice(0, -1).join(' ') : argument;
  if (parseDuration(duration) === null) return { refused: NO_TIME };
  if (!isDated) return { effects: { spent: [...spent, { duration }] } };
  const day = dueDate(last, new Date());
  if (day === null || day > new Date().toISOString()) return { refused: 'needs a day that is not in the future' };
  return { effects: { spent: [...spent, { duration, day }] } };
}

/** Nobody votes on a text of their own. */
async function react({ actor, target, effects: { awards = [] } }: Reading, argument: string): Promise<Outcome> {
  const name = await emojiNamed(argument.replace(/^:|:$/g, ''));
  if (name === null) return { refused: 'names no emoji' };
  if (isVote(name) && (target.authorId ?? actor.id) === actor.id)
    return { refused: 'is no vote on a text of your own' };
  return { effects: { awards: [...awards, name] } };
}

function presentLabels({ so, target }: Reading): readonly string[] {
  return so.labels ?? target.labels;
}

/** Adds the labels that are there. */
function labelled({ known }: Reading, argument: string, present: readonly string[]): Outcome {
  const named = [...new Set(labelTitles(argument))];
  const found = named.filter((title) => known.labels.has(title));
  if (found.length === 0) return { refused: NO_LABEL };
  const missing = named.filter((title) => !known.labels.has(title));
  return {
    changes: { labels: [...new Set([...present, ...found])] },
    ...(missing.length > 0 && {
      rest: missing.map((title) => `~${/[\s,~]/.test(title) ? `"${title}"` : title}`).join(' '),
    }),
  };
}

/** The people after a change of the present ones; null if the argument names nobody who can be meant. */
type Turn = (present: readonly number[], argument: string, reading: Reading) => number[] | null;

function withPeople(key: 'assigneeIds' | 'reviewerIds', reading: Reading, argument: string, turn: Turn): Outcome {
  const { target, so, known, actor } = reading;
  const present = so[key] ?? target[key] ?? [];
  const turned = turn(present, argument, reading);
  if (turned === null) return { refused: 'names nobody who can read this' };
  const ids = turn === removed ? known.users : known.readers;
  const missing = namesIn(argument, actor).filter((name) => !ids.has(name));
  const next = [...new Set(turned)].slice(0, MAX_ASSIGNEES);
  const isSame = next.length === present.length && next.every((id, index) => id === present[index]);
  return {
    ...(!isSame && { changes: { [key]: next } }),
    ...(missing.length > 0 && { rest: missing.map((name) => `@${name}`).join(' ') }),
  };
}

const added: Turn = (present, argument, reading) => {
  const readers = readersIn(argument, reading);
  return readers.length > 0 ? [...present, ...readers] : null;
};

/** Without the users whom the argument names; with nobody if it is empty. */
const removed: Turn = (present, argument, { known, actor }) => {
  if (argument === '') return [];
  const named = new Set(namesIn(argument, actor).flatMap((name) => known.users.get(name) ?? []));
  return named.size > 0 ? present.filter((id) => !named.has(id)) : null;
};

const replaced: Turn = (_present, argument, reading) => {
  const next = readersIn(argument, reading);
  return next.length > 0 ? next : null;
};

/** The named users who can read the target. */
function readersIn(argument: string, { known, actor }: Reading): number[] {
  return namesIn(argument, actor).flatMap((name) => known.readers.get(name) ?? []);
}

/** The usernames of an argument in lower case. */
function namesIn(argument: string, actor: { username: string }): string[] {
  return usernames(argument).map((name) => (name === 'me' ? actor.username : name).toLowerCase());
}

async function setMilestone({ context, target }: Reading, argument: string): Promise<Outcome> {
  const title = milestoneTitle(argument);
  const [milestone] =
    title === null ? [] : await context.db.$queryRaw<{ id: number }[]>(milestoneTitled(target.project.id, title));
  return milestone ? { changes: { milestoneId: milestone.id } } : { refused: 'names no milestone that is there' };
}

/** The labels named by the actions that the project or a group around it has: up to the first hundred. */
async function existing(context: Context, target: Target, actions: readonly Usable[]): Promise<ReadonlySet<string>> {
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
  actions: readonly Usable[],
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

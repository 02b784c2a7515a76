import type { Actor, Context } from '#src/access/permissions/actor.ts';
import {
  interpret,
  type Order,
  type PendingEffects,
  type Target,
  type WantedChanges,
} from '#src/domain/tracking/quick_actions/interpret.ts';
import {
  MAX_ACTIONS,
  mayHaveQuickActions,
  type QuickAction,
  type SplitText,
  splitQuickActions,
  textOf,
} from '#src/domain/tracking/quick_actions/split.ts';

/** A text without the quick actions that did something, and their effects. */
export interface ReadText<T extends string | null | undefined> {
  text: T | string;
  changes: WantedChanges;
  effects: PendingEffects;
}

/** Several texts, and what their quick actions do. */
export interface ReadTexts {
  changes: WantedChanges;
  effects: PendingEffects;
  /** Commands of their own, of notes alone. */
  orders: readonly Order[];
  /** How many actions there are, without those that a later one overrides. */
  count: number;
  /** All of them, in the order of the texts. */
  actions: readonly QuickAction[];
  /** Why actions do nothing, or not all that they say. */
  refusals: Refusals;
  /** Those that a later one overrides. */
  overridden: ReadonlySet<QuickAction>;
  /** The texts with the lines of the actions that are refused, which are not lost. */
  textsWith(refusals: Refusals): string[];
  /** Whether a text has nothing but actions. */
  isBare: boolean;
}

/** Why an action does nothing, and what is left of it as text. */
export type Refusals = ReadonlyMap<QuickAction, { reason: string; left: string }>;

/**
 * Removes the quick actions that are permitted and mean something from a description, and returns their effects.
 *
 * @param targetOf the target of the text; called only if there are any
 */
export async function readQuickActions<T extends string | null | undefined>(
  context: Context,
  actor: Pick<Actor, 'id' | 'username'>,
  text: T,
  targetOf: () => Target | Promise<Target>,
): Promise<ReadText<T>> {
  if (text == null) return { text, changes: {}, effects: {} };
  const { changes, effects, textsWith, refusals } = await readQuickActionsOf(context, actor, [text], targetOf, false);
  return { text: textsWith(refusals)[0] ?? text, changes, effects };
}

/** Like readQuickActions, for several texts of one target: they share the number of actions that a text may have. */
export async function readQuickActionsOf(
  context: Context,
  actor: Pick<Actor, 'id' | 'username'>,
  texts: readonly string[],
  targetOf: () => Target | Promise<Target>,
  inNotes = true,
): Promise<ReadTexts> {
  const actions: QuickAction[] = [];
  const split = texts.map((text): string | SplitText => {
    if (!mayHaveQuickActions(text)) return text;
    const read = splitQuickActions(text, MAX_ACTIONS - actions.length);
    actions.push(...read.actions);
    return read.actions.length === 0 && read.lines.join('\n') === text.replaceAll('\r\n', '\n') ? text : read;
  });
  const textsWith = (refusals: Refusals) => {
    const left = new Map([...refusals].map(([action, { left }]) => [action, left]));
    return split.map((part) => (typeof part === 'string' ? part : textOf(part, left)));
  };
  const isBare = textsWith(new Map()).every((text) => text === '');
  const read = { textsWith, isBare, actions };
  if (actions.length === 0) {
    return { ...read, count: 0, changes: {}, effects: {}, orders: [], refusals: new Map(), overridden: new Set() };
  }
  return { ...read, ...(await interpret(context, actor, await targetOf(), actions, inNotes)) };
}

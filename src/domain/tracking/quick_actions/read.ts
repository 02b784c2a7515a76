import type { Actor, Context } from '#src/access/permissions/actor.ts';
import {
  interpret,
  type PendingEffects,
  type Target,
  type WantedChanges,
} from '#src/domain/tracking/quick_actions/interpret.ts';
import {
  MAX_ACTIONS,
  mayHaveQuickActions,
  type QuickAction,
  splitQuickActions,
} from '#src/domain/tracking/quick_actions/split.ts';

/** A text without its quick actions, and their effects. */
export interface ReadText<T extends string | null | undefined> {
  text: T | string;
  changes: WantedChanges;
  effects: PendingEffects;
}

/**
 * Removes the quick actions from a text, and returns their permitted effects.
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
  const { texts, ...effects } = await readQuickActionsOf(context, actor, [text], targetOf);
  return { text: texts[0] ?? text, ...effects };
}

/** Like readQuickActions, for several texts of one target: they share the number of actions that a text may have. */
export async function readQuickActionsOf(
  context: Context,
  actor: Pick<Actor, 'id' | 'username'>,
  texts: readonly string[],
  targetOf: () => Target | Promise<Target>,
): Promise<{ texts: string[]; changes: WantedChanges; effects: PendingEffects }> {
  const actions: QuickAction[] = [];
  const left = texts.map((text) => {
    if (!mayHaveQuickActions(text)) return text;
    const split = splitQuickActions(text, MAX_ACTIONS - actions.length);
    actions.push(...split.actions);
    return split.text;
  });
  if (actions.length === 0) return { texts: left, changes: {}, effects: {} };
  return { texts: left, ...(await interpret(context, actor, await targetOf(), actions)) };
}

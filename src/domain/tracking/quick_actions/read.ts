import type { Actor, Context } from '#src/access/permissions/actor.ts';
import {
  interpret,
  type Target,
  type WantedChanges,
  type WantedDeeds,
} from '#src/domain/tracking/quick_actions/interpret.ts';
import { mayHaveQuickActions, splitQuickActions } from '#src/domain/tracking/quick_actions/split.ts';

/** A text without its quick actions, and their effects. */
export interface ReadText<T extends string | null | undefined> {
  text: T | string;
  changes: WantedChanges;
  deeds: WantedDeeds;
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
  if (!mayHaveQuickActions(text)) return { text, changes: {}, deeds: {} };
  const { text: left, actions } = splitQuickActions(text);
  if (actions.length === 0) return { text, changes: {}, deeds: {} };
  return { text: left, ...(await interpret(context, actor, await targetOf(), actions)) };
}

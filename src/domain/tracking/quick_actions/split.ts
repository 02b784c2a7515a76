import { factsOf, isQuickAction, type QuickActionName } from '#src/domain/tracking/quick_actions/table.ts';

/** A line such as `/label ~bug` in a description or note. */
export interface QuickAction {
  name: QuickActionName;
  /** The text after the name, trimmed; may be empty. */
  argument: string;
}

/** Maximum number of actions; further ones stay in the text. */
export const MAX_ACTIONS = 100;

/** Whether a text may have quick actions: a cheap test without false negatives. */
export function mayHaveQuickActions(text: string | null | undefined): text is string {
  return text?.includes('/') === true && /^\/[a-z]/m.test(text);
}

/**
 * Separates the quick actions from a text: lines that begin with `/` and a known name. Lines in fenced code blocks, and between
 * lines of `>>>`, stay text.
 */
export function splitQuickActions(text: string, most = MAX_ACTIONS): { text: string; actions: QuickAction[] } {
  const actions: QuickAction[] = [];
  const kept: string[] = [];
  let fence: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,}|>>>)/.exec(line)?.[1];
    if (fence === null) {
      const action = actions.length < most ? actionOf(line) : null;
      if (action) actions.push(action);
      else kept.push(line);
      fence = mark ?? null;
    } else {
      kept.push(line);
      if (mark?.startsWith(fence)) fence = null;
    }
  }
  if (actions.length === 0) return { text, actions };
  return { text: kept.join('\n').trim(), actions };
}

function actionOf(line: string): QuickAction | null {
  if (!line.startsWith('/')) return null;
  const [, name = '', argument = ''] = /^\/([a-z_]{1,20})(?:[ \t](.*))?$/.exec(line) ?? [];
  const trimmed = argument.trim();
  if (!isQuickAction(name) || (trimmed === '' && factsOf(name).needsParameter)) return null;
  return { name, argument: trimmed };
}

import { type DoingName, factsOf, quickActionCalled } from '#src/domain/tracking/quick_actions/table.ts';

/** A line such as `/label ~bug` in a description or note. */
export interface QuickAction {
  /** Null if there is no such action. */
  name: DoingName | null;
  /** The text after the name, trimmed; may be empty. */
  argument: string;
  /** The line. */
  written: string;
}

/** A text by its lines, of which some are actions. */
export interface SplitText {
  lines: readonly (string | QuickAction)[];
  actions: QuickAction[];
}

/** Maximum number of actions; further ones stay in the text. */
export const MAX_ACTIONS = 100;

/** Whether a text may have quick actions: a cheap test without false negatives. */
export function mayHaveQuickActions(text: string | null | undefined): text is string {
  return text?.includes('/') === true && /^\/[a-z]/im.test(text);
}

/**
 * Finds the quick actions of a text: lines that begin with `/` and a name, in any case. What looks like a path is text, and so are
 * lines in fenced code blocks, and between lines of `>>>`.
 */
export function splitQuickActions(text: string, most = MAX_ACTIONS): SplitText {
  const actions: QuickAction[] = [];
  const lines: (string | QuickAction)[] = [];
  let fence: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,}|>>>)/.exec(line)?.[1];
    if (fence === null) {
      const read = actions.length < most ? lineOf(line) : line;
      if (typeof read !== 'string') actions.push(read);
      lines.push(read);
      fence = mark ?? null;
    } else {
      lines.push(line);
      if (mark?.startsWith(fence)) fence = null;
    }
  }
  return { lines, actions };
}

/** The text without its actions, except for what is left of some. */
export function textOf({ lines }: SplitText, left: ReadonlyMap<QuickAction, string>): string {
  const kept = lines.flatMap((line) => (typeof line === 'string' ? [line] : (left.get(line) ?? [])));
  return kept.join('\n').trim();
}

function lineOf(line: string): string | QuickAction {
  const [, written, rest = ''] = /^\/([A-Za-z_]{1,30})(?:[ \t](.*))?$/.exec(line) ?? [];
  if (written === undefined) return line;
  const [name, argument] = [quickActionCalled(written), rest.trim()];
  if (name === 'shrug' || name === 'tableflip' || name === 'cc') return factsOf(name).becomes?.(argument) ?? line;
  return { name, argument, written: line };
}

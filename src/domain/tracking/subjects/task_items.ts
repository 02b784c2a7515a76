/** Characters of a description in which task items are counted. */
const MAX_CHARACTERS = 200_000;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const ITEM = /^[\t >]*(?:[-*+]|\d{1,9}[.)])[\t ]+\[([ xX])\](?:[\t ]|$)/;

/** How many task items a text has. */
export interface TaskItems {
  count: number;
  completed: number;
}

/** The items of lists that begin with `[ ]` or `[x]`, outside fenced code. */
export function taskItems(text: string | null): TaskItems {
  const items: TaskItems = { count: 0, completed: 0 };
  if (!text?.includes('[')) return items;
  let fence: string | null = null;
  for (const line of text.slice(0, MAX_CHARACTERS).split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === null) fence = mark;
      else if (mark.startsWith(fence) && line.trim() === mark) fence = null;
      continue;
    }
    const done = fence === null ? ITEM.exec(line)?.[1] : undefined;
    if (done === undefined) continue;
    items.count += 1;
    if (done !== ' ') items.completed += 1;
  }
  return items;
}

import { createHash } from 'node:crypto';
import { WrongState } from '#src/platform/errors.ts';

/** Characters of a description in which task items are counted. */
const MAX_CHARACTERS = 200_000;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const ITEM = /^[\t >]*(?:[-*+]|\d{1,9}[.)])[\t ]+\[([ xX])\](?:[\t ]|$)/;

/** How many task items a text has. */
export interface TaskItems {
  count: number;
  completed: number;
}

/** One of the task items of a text that somebody has seen. */
export interface SeenTask {
  /** Its number among the items, from 1. */
  task: number;
  /** How many items they saw. */
  count: number;
  /** SHA-256 of the text, in hexadecimal digits. */
  textSha256: string;
}

/** The items of lists that begin with `[ ]` or `[x]`, outside fenced code. */
export function taskItems(text: string | null): TaskItems {
  const items: TaskItems = { count: 0, completed: 0 };
  for (const { isDone } of itemsOf(text)) {
    items.count += 1;
    if (isDone) items.completed += 1;
  }
  return items;
}

/** The text with one item ticked, or not. Throws Conflict where it is not the text that was seen. */
export function withTask(text: string | null, { task, count, textSha256 }: SeenTask, isDone: boolean): string {
  const items = [...itemsOf(text)];
  const item = items[task - 1];
  const digest = createHash('sha256')
    .update(text ?? '')
    .digest('hex');
  if (text === null || item === undefined || items.length !== count || digest !== textSha256) throw textChanged();
  return `${text.slice(0, item.at)}${isDone ? 'x' : ' '}${text.slice(item.at + 1)}`;
}

/** Why a task is not ticked. */
export function textChanged(): WrongState {
  return new WrongState('The text has changed meanwhile. Look at it again.');
}

/** Where the mark of each item is, and whether it is done. */
function* itemsOf(text: string | null): Generator<{ at: number; isDone: boolean }> {
  if (!text?.includes('[')) return;
  let fence: string | null = null;
  let start = 0;
  for (const line of text.slice(0, MAX_CHARACTERS).split('\n')) {
    const begin = start;
    start += line.length + 1;
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === null) fence = mark;
      else if (mark.startsWith(fence) && line.trim() === mark) fence = null;
      continue;
    }
    const found = fence === null ? ITEM.exec(line) : null;
    if (found?.[1] === undefined) continue;
    yield { at: begin + found[0].indexOf('[') + 1, isDone: found[1] !== ' ' };
  }
}

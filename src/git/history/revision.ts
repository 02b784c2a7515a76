import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { LimitExceeded } from '../base/errors.ts';
import type { Oid } from '../base/model.ts';
import type { CommitGraph } from './graph.ts';

/** How many commits a revision may go back in all. */
export const FARTHEST = 5_000;

/** The longest text of a revision's steps, in characters. */
const MAX_STEPS_LENGTH = 200;

/** One step from a commit: to its parent with that number, counted from 1, so many times. */
export interface Step {
  parent: number;
  times: number;
}

/** A revision taken apart. */
export interface Steps {
  /** What names the commit at which the steps begin. */
  start: string;
  steps: Step[];
}

/**
 * Takes a revision apart into the name that it begins with, which has no `~` and no `^`, and the steps behind it, as git writes them:
 * `~3`, `^`, `^2`, `^{commit}`, `^{}`, one behind the other. Null for any other step. Throws LimitExceeded where they go back too far.
 */
export function stepsOf(revision: string): Steps | null {
  const end = revision.search(/[~^]/);
  if (end < 0) return { start: revision, steps: [] };
  const text = revision.slice(end);
  if (text.length > MAX_STEPS_LENGTH)
    throw new LimitExceeded('work', `a revision has at most ${MAX_STEPS_LENGTH} characters of steps`);
  const steps: Step[] = [];
  let far = 0;
  for (let at = 0; at < text.length; ) {
    STEP.lastIndex = at;
    const found = STEP.exec(text);
    if (found === null) return null;
    const [all, kind, digits] = found;
    const number = digits === undefined || digits === '' ? 1 : Number(digits);
    const step = kind === '~' ? { parent: 1, times: number } : { parent: number, times: number === 0 ? 0 : 1 };
    // Braces stand for the commit itself.
    if (kind !== undefined && step.times > 0) steps.push(step);
    far += kind === undefined ? 0 : step.times;
    if (far > FARTHEST) throw new LimitExceeded('work', `a revision goes back ${FARTHEST} commits at most`);
    at += all.length;
  }
  return { start: revision.slice(0, end), steps };
}

const STEP = /\^\{(?:commit)?\}|([~^])(\d*)/y;

/** The commit to which steps lead; null where a commit has no such parent. Throws MissingObject. */
export async function afterSteps(graph: CommitGraph, start: Oid, steps: readonly Step[]): Promise<Oid | null> {
  let oid = start;
  for (const { parent, times } of steps) {
    for (let done = 0; done < times; done++) {
      await yieldToEventLoop();
      const next = (await graph.node(oid)).parents[parent - 1];
      if (next === undefined) return null;
      oid = next;
    }
  }
  return oid;
}

import { reasonOf } from '#src/platform/database/reason.ts';

/** How a check ended: as it should be, worth a look, or broken. */
export type Status = 'OK' | 'WARN' | 'FAIL';

/** What a check found. */
export interface Finding {
  status: Status;
  /** What is the case, in a line. */
  summary: string;
  /** What to do about it. */
  advice?: string;
}

/** A check with what it found. */
export interface Checked extends Finding {
  name: string;
}

/** Looks at one thing; may throw, which counts as FAIL. */
export interface Check {
  name: string;
  run(): Promise<Finding>;
}

/** Milliseconds that a check may take. */
export const DEADLINE = 15_000;

/** Runs all checks at once: none waits for another, and one that fails or hangs stops no other. */
export function runChecks(checks: readonly Check[], deadline = DEADLINE): Promise<Checked[]> {
  return Promise.all(checks.map((check) => runOne(check, deadline)));
}

async function runOne({ name, run }: Check, deadline: number): Promise<Checked> {
  const { promise: late, resolve } = Promise.withResolvers<Finding>();
  const timer = setTimeout(() => resolve(fail(`no answer within ${deadline / 1000} seconds`)), deadline);
  try {
    const running = Promise.resolve().then(run);
    return { name, ...(await Promise.race([running, late])) };
  } catch (error) {
    return { name, ...fail(reasonOf(error)) };
  } finally {
    clearTimeout(timer);
  }
}

export function ok(summary: string): Finding {
  return { status: 'OK', summary };
}

export function warn(summary: string, advice?: string): Finding {
  return { status: 'WARN', summary, ...(advice === undefined ? {} : { advice }) };
}

export function fail(summary: string, advice?: string): Finding {
  return { status: 'FAIL', summary, ...(advice === undefined ? {} : { advice }) };
}

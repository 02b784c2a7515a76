import { reasonOf } from '#src/platform/database/reason.ts';

/** The result of a check: fine, worth a look, or broken. */
export type Status = 'OK' | 'WARN' | 'FAIL';

/** The result of a check, with details. */
export interface Finding {
  status: Status;
  /** The state, in one line. */
  summary: string;
  /** How to fix it. */
  advice?: string;
}

/** A check with its result. */
export interface Checked extends Finding {
  name: string;
}

/** Checks one thing; an error that it throws counts as FAIL. */
export interface Check {
  name: string;
  run(): Promise<Finding>;
}

/** Milliseconds that a check may take. */
export const DEADLINE = 15_000;

/** Runs all checks concurrently, so that one that fails or hangs does not affect the others. */
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

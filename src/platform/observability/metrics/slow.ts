/** What receives slow work. */
export interface SlowLog {
  warn(fields: object, message: string): void;
}

/** From how many milliseconds on work is called slow; 0 is never. */
export interface SlowLimits {
  statement: number;
  operation: number;
}

export const DEFAULT_SLOW: SlowLimits = { statement: 1_000, operation: 2_000 };

let log: SlowLog | null = null;
let limits: SlowLimits = DEFAULT_SLOW;

/** Has slow statements and operations of this process logged; null ends that. */
export function logSlow(to: SlowLog | null, given: Partial<SlowLimits> = {}): void {
  log = to;
  limits = { ...DEFAULT_SLOW, ...given };
}

/** Characters of a statement in the log. */
const MAX_STATEMENT_LENGTH = 2_000;

/** Logs a statement by its text, in which placeholders stand for values, if it was slow. */
export function noteStatement(text: string, ms: number): void {
  if (!log || limits.statement === 0 || ms < limits.statement) return;
  log.warn(
    { ms: Math.round(ms), statement: text.replace(/\s+/g, ' ').trim().slice(0, MAX_STATEMENT_LENGTH) },
    'slow statement',
  );
}

/** Logs an operation by its name, if it was slow. Names of clients' own operations are cut. */
export function noteOperation(name: string | undefined, type: string, ms: number, client?: string): void {
  if (!log || limits.operation === 0 || ms < limits.operation) return;
  log.warn({ ms: Math.round(ms), operation: name?.slice(0, 100) ?? null, type, client }, 'slow operation');
}

import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import { Unavailable, ValidationFailed } from '#src/platform/errors.ts';

declare module '#src/access/permissions/actor.ts' {
  interface Context {
    /** What the process does beside commands; absent where it only works on jobs. */
    readonly tools?: ServerTools | undefined;
  }
}

/** A part of the server that was checked. */
export interface CheckedPart {
  name: string;
  status: 'OK' | 'WARN' | 'FAIL';
  /** The state, in one line. */
  summary: string;
  /** How to mend it. */
  advice?: string | undefined;
}

/** What only the process of the server can do. */
export interface ServerTools {
  /** Checks everything that the server needs, as `gantry doctor`. */
  examine(): Promise<readonly CheckedPart[]>;
  /** Puts jobs that were given up back into their queues: those with the IDs, or all. How many there were. */
  retryDeadJobs(ids?: readonly string[]): Promise<number>;
}

/** The checks of `gantry doctor`, run now, for administrators. Throws Unauthenticated, Forbidden, Unavailable. */
export async function examineServer(context: Context): Promise<readonly CheckedPart[]> {
  requireAdmin(context);
  return toolsOf(context).examine();
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Has a background job run again that was given up, or all of them; returns how many. For administrators. Throws Unauthenticated,
 * Forbidden, ValidationFailed, Unavailable.
 */
export async function retryDeadJobs(context: Context, id: string | null | undefined): Promise<number> {
  requireAdmin(context);
  if (id == null) return toolsOf(context).retryDeadJobs();
  if (!UUID.test(id)) throw new ValidationFailed({ id: ['is not the ID of a job'] });
  return toolsOf(context).retryDeadJobs([id]);
}

function toolsOf({ tools }: Context): ServerTools {
  if (!tools) throw new Unavailable('Maintenance is not available in this process.');
  return tools;
}

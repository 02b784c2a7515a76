import type { Context } from '#src/access/permissions/actor.ts';
import type { SshLimits } from '#src/entrances/ssh/limits.ts';
import type { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** What serving connections needs. */
export interface SshServices {
  stores: Pick<Context, 'db' | 'secret' | 'jobs' | 'followers' | 'repositories' | 'uploads' | 'imports'>;
  gitConcurrency: CallerSemaphore;
  limits: SshLimits;
  /** URL of the server, without a trailing slash. */
  baseUrl(): Promise<string>;
  /** Called with every finished command. */
  tell(facts: CommandFacts): void;
  /** Receives unexpected errors. */
  report(error: unknown): void;
}

/** One command, as logged. */
export interface CommandFacts {
  /** `fetch` or `push`; `greet` without a command, `refuse` for anything else. */
  command: 'fetch' | 'push' | 'greet' | 'refuse';
  path?: string | undefined;
  /** Exit status sent to the client. */
  status: number;
  ms: number;
  /** Bytes received and sent. */
  received: number;
  sent: number;
  user?: number | undefined;
  deployKey?: number | undefined;
  /** Whether the client disconnected before the end. */
  aborted?: true | undefined;
}

/** Exit status of rejected and failed commands: that of git's fatal errors. */
export const FAILED = 128;

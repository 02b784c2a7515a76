import type { Context } from '#src/access/permissions/actor.ts';
import type { SshLimits } from '#src/entrances/ssh/limits.ts';
import type { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';

/** What connections are served with. */
export interface SshServices {
  stores: Pick<Context, 'db' | 'secret' | 'jobs' | 'followers' | 'repositories' | 'uploads' | 'imports'>;
  gitConcurrency: CallerSemaphore;
  limits: SshLimits;
  /** Called with every command that was served. */
  tell(facts: CommandFacts): void;
  /** Receives unexpected errors. */
  report(error: unknown): void;
}

/** One command, as the log has it. */
export interface CommandFacts {
  /** `fetch` or `push`; `greet` where nothing was asked for, `refuse` for everything else. */
  command: 'fetch' | 'push' | 'greet' | 'refuse';
  path?: string | undefined;
  /** Exit status that the client got. */
  status: number;
  ms: number;
  /** Bytes that came, and that were sent. */
  received: number;
  sent: number;
  user?: number | undefined;
  deployKey?: number | undefined;
  /** Whether the client was gone before the end. */
  aborted?: true | undefined;
}

/** Exit status for what was refused or failed: that of git's fatal errors. */
export const FAILED = 128;

import type { Request, Response } from 'express';
import type { Context } from '#src/access/permissions/actor.ts';
import type { QueueWatch } from '#src/domain/ci/runners/queue_watch.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import type { Answering } from '#src/entrances/web/runner_answers.ts';
import type { SshPlace } from '#src/platform/config/ssh_address.ts';

/** What serving the runner protocol needs. */
export interface RunnerProtocolOptions extends Answering {
  stores: Pick<Context, 'db' | 'secret' | 'jobs' | 'followers' | 'repositories' | 'uploads' | 'sites'>;
  /** URL of the server, without a trailing slash. */
  baseUrl(request: Request): string;
  /** Where SSH is. */
  sshAddress(): SshPlace;
  /** Tells whether there may be a job for a runner. */
  queue: Pick<QueueWatch, 'valueFor'>;
  /** Reads a body of at most so many bytes: JSON or a form, with one possible SpooledFile. Throws errors with a `status`. */
  readBody(request: Request, bytes: number, file?: { name: string; bytes: number }): Promise<Record<string, unknown>>;
  /** Sends content, or the requested range of it. */
  sendContent(content: RawContent, request: Request, response: Response): Promise<void>;
}

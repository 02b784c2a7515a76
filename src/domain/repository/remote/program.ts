import { programVersion } from '#src/git/program/detect.ts';
import { DomainError } from '#src/platform/errors.ts';

/** Throws DomainError of UNAVAILABLE on a host without a git program, which is required for fetching and pushing. */
export async function requireProgram(): Promise<void> {
  if ((await programVersion()) !== null) return;
  throw new DomainError('notNow', 'This server has no git program of version 2.38 or later, which the remote needs.');
}

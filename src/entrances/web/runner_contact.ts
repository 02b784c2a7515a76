import type { Request } from 'express';
import type { RunnerContact } from '#src/domain/ci/runners/authenticate.ts';
import type { Given } from '#src/entrances/web/runner_answers.ts';
import { BadParameter, readText } from '#src/entrances/web/runner_parameters.ts';

/** What a runner's program sends with its token. Throws BadParameter. */
export function contactOf(request: Request, given: Given): RunnerContact {
  return { token: given.token, info: given.info, systemId: readSystemId(given), ipAddress: request.ip ?? null };
}

/** As a program calls its machine; null if it does not. Throws BadParameter. */
export function readSystemId(given: Given): string | null {
  const id = readText(given, 'system_id');
  if (id === null || id === '') return null;
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) throw new BadParameter('system_id is invalid');
  return id;
}

import type { Router } from 'express';
import { noteContact, runnerOfToken } from '#src/domain/ci/runners/authenticate.ts';
import { resetOwnToken } from '#src/domain/ci/runners/create.ts';
import { registerRunner } from '#src/domain/ci/runners/register.ts';
import { readInfo } from '#src/domain/ci/runners/values.ts';
import type { Given, ProtocolEndpoint } from '#src/entrances/web/runner_answers.ts';
import { contactOf, readSystemId } from '#src/entrances/web/runner_contact.ts';
import type { RunnerProtocolOptions } from '#src/entrances/web/runner_options.ts';
import {
  BadParameter,
  readFlag,
  readTagList,
  readText,
  readWhole,
  requireTexts,
} from '#src/entrances/web/runner_parameters.ts';
import { smallBody } from '#src/entrances/web/runner_small_body.ts';

/** Adds the endpoints for registering, verifying and removing runners. */
export function addRegistration(router: Router, endpoint: ProtocolEndpoint, options: RunnerProtocolOptions): void {
  const { stores } = options;
  const receive = smallBody(options);
  const { db } = stores;
  router.post(
    '/runners',
    endpoint(
      '/runners',
      async (_request, _response, given) => {
        requireTexts(given, ['token']);
        const active = readFlag(given, 'active') ?? true;
        const made = await registerRunner(stores, {
          token: given.token,
          description: readText(given, 'description') ?? '',
          tagList: readTagList(given, 'tag_list') ?? [],
          runUntagged: readFlag(given, 'run_untagged') ?? true,
          locked: readFlag(given, 'locked') ?? false,
          active: !(readFlag(given, 'paused') ?? !active),
          refProtected: isProtected(given),
          maximumTimeout: readWhole(given, 'maximum_timeout'),
          maintenanceNote: readText(given, 'maintenance_note') ?? readText(given, 'maintainer_note'),
          info: readInfo(given.info),
        });
        return { status: 201, body: { ...made, token_expires_at: null } };
      },
      { receive },
    ),
  );
  router.post(
    '/runners/verify',
    endpoint(
      '/runners/verify',
      async (request, _response, given) => {
        requireTexts(given, ['token']);
        const { id } = await runnerOfToken(db, given.token);
        const contact = contactOf(request, given);
        if (contact.systemId !== null) await noteContact(db, id, contact);
        return { status: 200, body: { id, token: given.token, token_expires_at: null } };
      },
      { receive },
    ),
  );
  router.delete(
    '/runners',
    endpoint(
      '/runners',
      async (request, _response, body) => {
        const given = { ...request.query, ...body };
        requireTexts(given, ['token']);
        const { id } = await runnerOfToken(db, given.token);
        await db.runner.deleteMany({ where: { id } });
        return { status: 204 };
      },
      { receive },
    ),
  );
  router.delete(
    '/runners/managers',
    endpoint(
      '/runners/managers',
      async (request, _response, body) => {
        const given = { ...request.query, ...body };
        requireTexts(given, ['token', 'system_id']);
        const { id } = await runnerOfToken(db, given.token);
        const systemId = readSystemId(given) ?? '';
        const { count } = await db.runnerManager.deleteMany({ where: { runnerId: id, systemId } });
        return count === 0 ? { status: 404, body: { message: '404 Not found' } } : { status: 204 };
      },
      { receive },
    ),
  );
  router.post(
    '/runners/reset_authentication_token',
    endpoint(
      '/runners/reset_authentication_token',
      async (_request, _response, given) => {
        requireTexts(given, ['token']);
        const { token } = await resetOwnToken(db, given.token);
        return { status: 201, body: { token, token_expires_at: null } };
      },
      { receive },
    ),
  );
}

/** Whether the runner takes only jobs of protected refs. Throws BadParameter. */
function isProtected(given: Given): boolean {
  const level = readText(given, 'access_level') ?? 'not_protected';
  if (level !== 'not_protected' && level !== 'ref_protected') {
    throw new BadParameter('access_level does not have a valid value');
  }
  return level === 'ref_protected';
}

import type { Router } from 'express';
import { runnerOfToken } from '#src/domain/ci/runners/own_token.ts';
import { registerRunner } from '#src/domain/ci/runners/register.ts';
import { readInfo } from '#src/domain/ci/runners/values.ts';
import type { ProtocolEndpoint } from '#src/entrances/web/runner_answers.ts';
import type { RunnerProtocolOptions } from '#src/entrances/web/runner_options.ts';
import { readFlag, readTagList, readText, requireTexts } from '#src/entrances/web/runner_parameters.ts';
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
        const made = await registerRunner(stores, {
          token: given.token,
          description: readText(given, 'description') ?? '',
          tagList: readTagList(given, 'tag_list') ?? [],
          runUntagged: readFlag(given, 'run_untagged') ?? true,
          locked: readFlag(given, 'locked') ?? false,
          active: readFlag(given, 'active') ?? true,
          info: readInfo(given.info),
        });
        return { status: 201, body: made };
      },
      { receive },
    ),
  );
  router.post(
    '/runners/verify',
    endpoint(
      '/runners/verify',
      async (_request, _response, given) => {
        requireTexts(given, ['token']);
        await runnerOfToken(db, given.token);
        return { status: 200, body: 200 };
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
        await db.runner.deleteMany({ where: { id: await runnerOfToken(db, given.token) } });
        return { status: 204 };
      },
      { receive },
    ),
  );
}

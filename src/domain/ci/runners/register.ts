import { BY_SERVER } from '#src/access/audit/record.ts';
import { CREATED_RUNNER_TOKEN, RUNNER_TOKEN } from '#src/access/credentials/tokens/runner_tokens.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { auditRunner } from '#src/domain/ci/runners/audit.ts';
import { runnerOfToken } from '#src/domain/ci/runners/authenticate.ts';
import { registrationOf } from '#src/domain/ci/runners/registration_tokens.ts';
import { checkRunner, normalTags, type RunnerInfo, type RunnerValues } from '#src/domain/ci/runners/values.ts';
import { Forbidden } from '#src/platform/errors.ts';
import { newToken, tokenHash } from '#src/platform/secrets.ts';

export interface NewRunner extends RunnerValues {
  /** The registration token of the server or of a project. */
  token: unknown;
  locked: boolean;
  refProtected: boolean;
  active: boolean;
  info: RunnerInfo;
}

/**
 * Registers a runner: a shared one with the token of the server, one of a project or group with theirs. Its own token is returned
 * only this once, as only its hash is stored. The token of a runner that a user created registers nothing: it is returned.
 *
 * @throws Forbidden for an unknown token, ValidationFailed
 */
export async function registerRunner(
  stores: Pick<Context, 'db' | 'secret'>,
  { token, info, ...given }: NewRunner,
): Promise<{ id: number; token: string }> {
  if (typeof token === 'string' && token.startsWith(CREATED_RUNNER_TOKEN)) {
    return { id: (await runnerOfToken(stores.db, token)).id, token };
  }
  const registration = await registrationOf(stores, token);
  if (!registration) throw new Forbidden();
  const values = { ...given, tagList: normalTags(given.tagList) };
  checkRunner(values);
  const own = newToken(RUNNER_TOKEN);
  const { id } = await stores.db.$transaction(async (tx) => {
    const made = await tx.runner.create({
      data: {
        ...values,
        ...info,
        description: values.description || (info.name ?? ''),
        tokenHash: tokenHash(own),
        isShared: registration.kind === 'shared',
        ...(registration.kind === 'group' ? { groupId: registration.groupId } : {}),
        ...(registration.kind === 'project' ? { projects: { create: { projectId: registration.projectId } } } : {}),
      },
      select: { id: true },
    });
    await auditRunner(tx, BY_SERVER, 'runner_created', made.id);
    return made;
  });
  return { id, token: own };
}

import { audit } from '#src/access/audit/record.ts';
import { today } from '#src/access/credentials/tokens/create.ts';
import { DEPLOY_TOKEN } from '#src/access/credentials/tokens/deploy_token.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { DEPLOY_SCOPES } from '#src/access/permissions/scopes.ts';
import { authorizeDeployTokens, findDeployToken } from '#src/domain/members/deploy_tokens/list.ts';
import { auditPlace, type Source, sourceAt } from '#src/domain/members/source.ts';
import type { OwnerRef } from '#src/domain/projects/owner.ts';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import { encrypt, newToken, tokenHash } from '#src/platform/secrets.ts';

export interface NewDeployToken {
  name: string;
  scopes: readonly string[];
  /** When it stops working; never when absent. */
  expiresAt?: Date | null | undefined;
  /** `gitlab+deploy-token-N` when absent. */
  username?: string | null | undefined;
}

/** A deploy token that was just made. */
export type MadeDeployToken<R> = R & {
  /** The token itself, which is only known now. */
  token: string;
};

/** Jobs of a project get the token of this name as CI_DEPLOY_USER and CI_DEPLOY_PASSWORD. */
export const TOKEN_OF_JOBS = 'gitlab-deploy-token';

const MAX_TEXT_LENGTH = 255;

const NAMED = select('DeployToken', { id: true, name: true });

/** Creates a deploy token of a project or group, for those who administer it. Throws NotFound, Forbidden, ValidationFailed. */
export async function createDeployToken<R>(
  context: Context,
  place: OwnerRef,
  input: NewDeployToken,
  selection: Selection<'DeployToken', R>,
): Promise<MadeDeployToken<R>> {
  const actor = requireActor(context);
  const source = await sourceAt(context, place);
  authorizeDeployTokens(actor, source);
  check(input);
  const { name, scopes, expiresAt, username } = input;
  const token = newToken(DEPLOY_TOKEN);
  const isForJobs = source.kind === 'project' && name.trim() === TOKEN_OF_JOBS;
  const id = await context.db.$transaction(async (tx) => {
    const made = await tx.deployToken.create({
      data: {
        ...(source.kind === 'project' ? { projectId: source.record.id } : { groupId: source.record.id }),
        name: name.trim(),
        username: username?.trim() ?? '',
        tokenHash: tokenHash(token),
        tokenEncrypted: isForJobs ? encrypt(token, context.secret) : null,
        scopes: [...new Set(scopes)],
        expiresAt: expiresAt ?? null,
        createdById: actor.id,
      },
      select: { id: true },
    });
    if (!username?.trim()) {
      await tx.deployToken.update({ where: made, data: { username: `gitlab+deploy-token-${made.id}` } });
    }
    await audit(tx, context, {
      action: 'deploy_token_created',
      ...tokenOf(source, { id: made.id, name: name.trim() }),
    });
    return made.id;
  });
  return { ...(await findDeployToken(context, source, id, selection)), token };
}

/** Deletes a deploy token of a project or group, which stops working immediately. Throws NotFound, Forbidden. */
export async function deleteDeployToken<R>(
  context: Context,
  place: OwnerRef,
  id: number,
  selection: Selection<'DeployToken', R>,
): Promise<R> {
  const source = await sourceAt(context, place);
  const token = await findDeployToken(context, source, id, selection.with(NAMED));
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.deployToken.deleteMany({ where: { id } });
    if (count > 0) await audit(tx, context, { action: 'deploy_token_deleted', ...tokenOf(source, token) });
  });
  return token;
}

/** Revokes a deploy token of a project or group, which stops working immediately and stays in the list. Throws NotFound, Forbidden. */
export async function revokeDeployToken<R>(
  context: Context,
  place: OwnerRef,
  id: number,
  selection: Selection<'DeployToken', R>,
): Promise<R> {
  const source = await sourceAt(context, place);
  const token = await findDeployToken(context, source, id, NAMED);
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.deployToken.updateMany({
      where: { id, revoked: false },
      data: { revoked: true, tokenEncrypted: null },
    });
    if (count > 0) await audit(tx, context, { action: 'deploy_token_revoked', ...tokenOf(source, token) });
  });
  return findDeployToken(context, source, id, selection);
}

function tokenOf(source: Source, { id, name }: typeof NAMED.row) {
  return { place: auditPlace(source), target: { type: 'DeployToken' as const, id, name } };
}

function check({ name, scopes, expiresAt, username }: NewDeployToken): void {
  const errors: FieldErrors = {};
  const tooLong = [`is too long (maximum is ${MAX_TEXT_LENGTH} characters)`];
  if (name.trim() === '') errors.name = ["can't be blank"];
  else if (name.length > MAX_TEXT_LENGTH) errors.name = tooLong;
  if (username && username.length > MAX_TEXT_LENGTH) errors.username = tooLong;
  else if (username && !/^[a-zA-Z0-9.+_-]+$/.test(username.trim())) {
    errors.username = ["can contain only letters, digits, '_', '-', '+', and '.'"];
  }
  if (scopes.length === 0) errors.scopes = ["can't be blank"];
  else if (!scopes.every((scope) => (DEPLOY_SCOPES as string[]).includes(scope))) errors.scopes = ['is invalid'];
  // As of access tokens, today is no error: such a token has expired at once.
  if (expiresAt && expiresAt.getTime() < Date.parse(today())) errors.expires_at = ['must be in the future'];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

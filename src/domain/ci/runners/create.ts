import { type Auditing, BY_SERVER } from '#src/access/audit/record.ts';
import { CREATED_RUNNER_TOKEN, RUNNER_TOKEN } from '#src/access/credentials/tokens/runner_tokens.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import { auditRunner } from '#src/domain/ci/runners/audit.ts';
import { runnerOfToken } from '#src/domain/ci/runners/authenticate.ts';
import { checkRunner, normalTags, type RunnerValues } from '#src/domain/ci/runners/values.ts';
import { requireChangeable, runnerAccess } from '#src/domain/ci/runners/visibility.ts';
import { findGroup, type IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { Db } from '#src/platform/database/db.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';
import { newToken, tokenHash } from '#src/platform/secrets.ts';

export const RUNNER_TYPES = ['instance_type', 'group_type', 'project_type'] as const;
export type RunnerType = (typeof RUNNER_TYPES)[number];

/** A runner to create. */
export interface CreatedRunner extends Omit<RunnerValues, 'tagList'> {
  type: RunnerType;
  group?: IdOrPath | null | undefined;
  project?: IdOrPath | null | undefined;
  tagList: readonly string[];
  active: boolean;
  locked: boolean;
  refProtected: boolean;
}

/** A runner with the token that its program needs, which is shown only this once. */
export interface RunnerWithToken {
  id: number;
  token: string;
}

/**
 * Creates a runner: a shared one for administrators, of a group for its owners, of a project for its masters.
 *
 * @throws BadRequest without the project or group, NotFound, Forbidden, ValidationFailed
 */
export async function createRunner(context: Context, created: CreatedRunner): Promise<RunnerWithToken> {
  const actor = requireActor(context);
  const { type, group, project, ...given } = created;
  const place = await placeOf(context, { type, group, project });
  const values = { ...given, tagList: normalTags(given.tagList) };
  checkRunner(values);
  const token = newToken(CREATED_RUNNER_TOKEN);
  const data = { ...values, ...place, isCreated: true, creatorId: actor.id, tokenHash: tokenHash(token) };
  const { id } = await context.db.$transaction(async (tx) => {
    const made = await tx.runner.create({ data, select: { id: true } });
    await auditRunner(tx, context, 'runner_created', made.id);
    return made;
  });
  return { id, token };
}

/** Where the runner belongs, if the actor may create it there. */
async function placeOf(context: Context, { type, group, project }: Pick<CreatedRunner, 'type' | 'group' | 'project'>) {
  const actor = requireActor(context);
  if (type === 'instance_type') {
    requireAdmin(context);
    return { isShared: true };
  }
  if (type === 'group_type') {
    if (group == null) throw new BadRequest('group_id is missing', 'group', 'valuesMissing');
    const found = await findGroup(context, group);
    authorize(actor, 'admin_group_runner', found);
    return { groupId: found.id };
  }
  if (project == null) throw new BadRequest('project_id is missing', 'project', 'valuesMissing');
  const found = await findProject(context, project);
  authorize(actor, 'admin_runner', found);
  return { projects: { create: { projectId: found.id } } };
}

/** Replaces the token of a runner, for those who may change it; the old one stops working. Throws NotFound, Forbidden. */
export async function resetRunnerToken(context: Context, id: number): Promise<RunnerWithToken> {
  const actor = requireActor(context);
  const runner = await runnerAccess(context.db, actor, id);
  if (!runner) throw new NotFound('Runner');
  requireChangeable(actor, runner);
  return { id, token: await renewToken(context, id) };
}

/** The same for its program, which has the old token. Throws Forbidden for an unknown token. */
export async function resetOwnToken(db: Db, token: unknown): Promise<RunnerWithToken> {
  const { id } = await runnerOfToken(db, token);
  return { id, token: await renewToken({ db, ...BY_SERVER }, id) };
}

async function renewToken(context: { db: Db } & Auditing, id: number): Promise<string> {
  return context.db.$transaction(async (tx) => {
    const runner = await tx.runner.findUnique({ where: { id }, select: { isCreated: true } });
    const token = newToken(runner?.isCreated ? CREATED_RUNNER_TOKEN : RUNNER_TOKEN);
    const { count } = await tx.runner.updateMany({ where: { id }, data: { tokenHash: tokenHash(token) } });
    if (count === 0) throw new NotFound('Runner');
    await auditRunner(tx, context, 'runner_token_reset', id);
    return token;
  });
}

import { type Audited, audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { accessibleTo } from '#src/domain/repository/deploy_keys/list.ts';
import type { PublicKey } from '#src/domain/users/keys/parse.ts';
import { parseTitledKey } from '#src/domain/users/keys/titled.ts';
import { Prisma, type Transaction, vanished, violates } from '#src/platform/database/db.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';

const { sql } = Prisma;

export interface NewDeployKey {
  title: string;
  /** In OpenSSH format. */
  key: string;
  canPush: boolean;
}

/** Number of attempts, as the same key may be added or removed concurrently. */
const ATTEMPTS = 3;

/**
 * Adds a deploy key to a project. An identical key of this project, or of a project whose deploy keys the actor administers, is
 * reused unchanged (endpoints-beyond.md, Deploy keys). Throws NotFound, Forbidden, ValidationFailed; also for a key that is a
 * user's, or of projects that the actor does not administer.
 */
export async function createDeployKey(context: Context, ref: IdOrPath, input: NewDeployKey): Promise<ChangedRecord> {
  const { actor, project } = await administered(context, ref);
  const values = parseTitledKey(input.title, input.key);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const id = await context.db.$transaction(async (tx) => {
        const known = await findAccessible(tx, actor, values);
        const key = { ...values, canPush: input.canPush, userId: actor.id };
        const { id } = known ?? (await tx.deployKey.create({ data: key, select: { id: true } }));
        if (await join(tx, project.id, id))
          await audit(tx, context, await joined(tx, project, id, 'deploy_key_created'));
        return id;
      });
      return { project, id };
    } catch (error) {
      const isLast = attempt === ATTEMPTS;
      if (violates(error) && isLast) throw new ValidationFailed({ fingerprint: TAKEN, key: TAKEN }).asExisting();
      if (isLast || !(violates(error) || vanished(error) === 'key')) throw error;
    }
  }
}

/**
 * Adds a public deploy key to the server, which masters of any project can enable there, for administrators. It is in no project at first.
 * Throws Unauthenticated, Forbidden, ValidationFailed; also for a key that is a user's or a deploy key already.
 */
export async function createPublicDeployKey(context: Context, input: NewDeployKey): Promise<{ id: number }> {
  const { id: userId } = requireAdmin(context);
  const values = parseTitledKey(input.title, input.key);
  const data = { ...values, canPush: input.canPush, isPublic: true, userId };
  try {
    return await context.db.$transaction(async (tx) => {
      const made = await tx.deployKey.create({ data, select: { id: true } });
      const target = { type: 'DeployKey', id: made.id, name: values.title } as const;
      await audit(tx, context, { action: 'deploy_key_created', place: 'server', target });
      return made;
    });
  } catch (error) {
    throw violates(error) ? new ValidationFailed({ fingerprint: TAKEN, key: TAKEN }).asExisting() : error;
  }
}

/** Deletes a public deploy key, and removes it from all projects, for administrators. Throws Unauthenticated, Forbidden, NotFound. */
export async function deletePublicDeployKey(context: Context, id: number): Promise<void> {
  requireAdmin(context);
  await context.db.$transaction(async (tx) => {
    const [key] = await tx.deployKey.findMany({ where: { id, isPublic: true }, select: { title: true } });
    const { count } = await tx.deployKey.deleteMany({ where: { id, isPublic: true } });
    if (!key || count === 0) throw new NotFound('Deploy Key');
    const target = { type: 'DeployKey', id, name: key.title } as const;
    await audit(tx, context, { action: 'deploy_key_deleted', place: 'server', target });
  });
}

const TAKEN = ['has already been taken'];

/** Adds a deploy key of another project to a project. Throws NotFound also for a key that the actor may not add, Forbidden. */
export async function enableDeployKey(context: Context, ref: IdOrPath, id: number): Promise<ChangedRecord> {
  const { actor, project } = await administered(context, ref);
  try {
    await context.db.$transaction(async (tx) => {
      const [key] = await tx.$queryRaw<
        object[]
      >`SELECT k.id FROM deploy_keys k WHERE k.id = ${id} AND ${accessibleTo(actor)}`;
      if (!key) throw new NotFound('Deploy Key');
      if (await join(tx, project.id, id)) await audit(tx, context, await joined(tx, project, id, 'deploy_key_created'));
    });
  } catch (error) {
    throw vanished(error) === 'key' ? new NotFound('Deploy Key') : error;
  }
  return { project, id };
}

/** Removes a deploy key from a project; it is deleted if no other project has it and it is not public. Throws NotFound, Forbidden. */
export async function deleteDeployKey(context: Context, ref: IdOrPath, id: number): Promise<void> {
  const { project } = await administered(context, ref);
  await context.db.$transaction(async (tx) => {
    // A trigger deletes the key with its last project.
    const event = await joined(tx, project, id, 'deploy_key_deleted');
    const { count } = await tx.projectDeployKey.deleteMany({ where: { projectId: project.id, deployKeyId: id } });
    if (count === 0) throw new NotFound('Deploy Key');
    await audit(tx, context, event);
  });
}

/** The deploy key of these bytes, if the actor may add it to projects. Throws ValidationFailed if it belongs to others. */
async function findAccessible(
  tx: Transaction,
  actor: Actor,
  { fingerprintSha256 }: PublicKey,
): Promise<{ id: number } | undefined> {
  const [found] = await tx.$queryRaw<{ id: number | null; mine: boolean }[]>(sql`
    SELECT k.id, ${accessibleTo(actor)} AS mine FROM deploy_keys k WHERE k.fingerprint_sha256 = ${fingerprintSha256}
    UNION ALL SELECT NULL, false FROM ssh_keys WHERE fingerprint_sha256 = ${fingerprintSha256}`);
  if (!found) return undefined;
  if (found.id === null || !found.mine) throw new ValidationFailed({ fingerprint: TAKEN, key: TAKEN }).asExisting();
  return { id: found.id };
}

/** Whether the project did not have the key before. */
async function join(tx: Transaction, projectId: number, deployKeyId: number): Promise<boolean> {
  const added = await tx.$executeRaw`
    INSERT INTO project_deploy_keys (project_id, deploy_key_id) VALUES (${projectId}, ${deployKeyId}) ON CONFLICT DO NOTHING`;
  return added > 0;
}

async function joined(
  tx: Transaction,
  project: { id: number },
  id: number,
  action: 'deploy_key_created' | 'deploy_key_deleted',
): Promise<Audited> {
  const name = (await tx.deployKey.findUnique({ where: { id }, select: { title: true } }))?.title;
  return {
    action,
    place: { projectId: project.id },
    target: { type: 'DeployKey', id, ...(name === undefined ? {} : { name }) },
  };
}

async function administered(context: Context, ref: IdOrPath) {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_deploy_key', project);
  return { actor, project };
}

import { audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { decrypt, encrypt, newToken, tokenHash } from '#src/platform/secrets.ts';

/** What instance IDs begin with. */
const PREFIX = 'gfci-';

/** The instance ID by which clients read the flags of a project; null before there is one. Throws Forbidden, Unauthenticated. */
export async function findInstanceId(context: Context, project: ProjectRow): Promise<string | null> {
  authorize(readerOf(context), 'admin_feature_flags_client', project);
  const found = await context.db.featureFlagClient.findUnique({
    where: { projectId: project.id },
    select: { tokenEncrypted: true },
  });
  return found && decrypt(found.tokenEncrypted, context.secret);
}

/**
 * Gives a project another instance ID, or its first one: clients with the one before are refused from then on. Returns it. Throws
 * NotFound, Forbidden.
 */
export async function resetInstanceId(
  context: Context,
  ref: IdOrPath,
): Promise<{ project: ProjectRow; instanceId: string }> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_feature_flags_client', project);
  const instanceId = newToken(PREFIX);
  const token = columnsOf(instanceId, context);
  await context.db.$transaction(async (tx) => {
    await tx.featureFlagClient.upsert({
      where: { projectId: project.id },
      create: { projectId: project.id, ...token },
      update: token,
    });
    const target = { type: 'FeatureFlagsClient' as const, id: project.id, name: project.fullPath };
    await audit(tx, context, {
      action: 'feature_flags_instance_id_reset',
      place: { projectId: project.id },
      target,
    });
  });
  return { project, instanceId };
}

/** Tells the clients of a project that what they read has changed. A project without an instance ID gets its first one. */
export async function tellClients(
  tx: Transaction,
  context: Pick<Context, 'secret'>,
  { id: projectId }: { id: number },
): Promise<void> {
  const { tokenHash: hash, tokenEncrypted } = columnsOf(newToken(PREFIX), context);
  await tx.$executeRaw`
    INSERT INTO feature_flag_clients (project_id, token_hash, token_encrypted) VALUES (${projectId}, ${hash}, ${tokenEncrypted})
    ON CONFLICT (project_id) DO UPDATE SET version = gen_random_uuid()`;
}

function columnsOf(token: string, { secret }: Pick<Context, 'secret'>) {
  return { tokenHash: tokenHash(token), tokenEncrypted: encrypt(token, secret) };
}

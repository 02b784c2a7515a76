import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { checkedUrl } from '#src/domain/imports/mirrors/save.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { PullMirror } from '#src/generated/prisma/client.ts';
import { BadRequest, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { decrypt, encrypt } from '#src/platform/secrets.ts';

/** A mirror as it is stored. */
export type PullMirrorRow = PullMirror;

/** What a project mirrors, and how; unset means unchanged. */
export interface PullMirrorValues {
  url?: string | null | undefined;
  /** In place of those in the URL. */
  username?: string | null | undefined;
  password?: string | null | undefined;
  enabled?: boolean | null | undefined;
  triggersPipelines?: boolean | null | undefined;
  onlyProtectedBranches?: boolean | null | undefined;
  overwritesDiverged?: boolean | null | undefined;
}

/** The pull mirror of a project; null if it has none. Throws Forbidden, Unauthenticated. */
export async function findPullMirror(context: Context, project: ProjectRow): Promise<PullMirrorRow | null> {
  authorize(context.actor, 'admin_mirror', project);
  return context.db.pullMirror.findUnique({ where: { projectId: project.id } });
}

/**
 * Has a project mirror another repository, or changes how; from then on with the rights of the actor. Throws NotFound, Forbidden,
 * ValidationFailed.
 */
export async function savePullMirror(
  context: Context,
  ref: IdOrPath,
  { url, username, password, ...values }: PullMirrorValues,
): Promise<PullMirrorRow> {
  const { actor, project } = await administered(context, ref);
  const known = await context.db.pullMirror.findUnique({ where: { projectId: project.id } });
  const stored = known && decrypt(known.urlEncrypted, context.secret);
  const wanted = url ?? stored ?? '';
  const checked = await checkedUrl(context, withCredentials(wanted, username, password));
  const { enabled, triggersPipelines, onlyProtectedBranches, overwritesDiverged } = values;
  const isDue = enabled ?? known?.enabled ?? true;
  const data = {
    urlEncrypted: Buffer.from(encrypt(checked, context.secret)),
    userId: actor.id,
    enabled: isDue,
    ...(triggersPipelines == null ? {} : { triggersPipelines }),
    ...(onlyProtectedBranches === undefined ? {} : { onlyProtectedBranches }),
    ...(overwritesDiverged === undefined ? {} : { overwritesDiverged }),
    failures: 0,
    dueAt: isDue ? new Date() : null,
    ...(isDue && known?.updateStatus !== 'started' ? { updateStatus: 'scheduled' as const } : {}),
  };
  return context.db.$transaction(async (tx) => {
    const row = await tx.pullMirror.upsert({
      where: { projectId: project.id },
      create: { ...data, projectId: project.id },
      update: data,
    });
    if (isDue) await context.jobs.enqueue(tx, 'mirrors.pull', {});
    return row;
  });
}

/** Updates a project from what it mirrors, within a minute or two. Throws NotFound, Forbidden, and BadRequest for one that is disabled. */
export async function startPullMirror(context: Context, ref: IdOrPath): Promise<PullMirrorRow> {
  const { project } = await administered(context, ref);
  const where = { projectId: project.id };
  const known = await context.db.pullMirror.findUnique({ where });
  if (!known) throw new NotFound('Pull Mirror');
  if (!known.enabled) throw new BadRequest('The mirror is disabled');
  return context.db.$transaction(async (tx) => {
    await tx.$executeRaw`
      UPDATE pull_mirrors SET due_at = now(), failures = 0,
        update_status = CASE update_status WHEN 'started' THEN update_status ELSE 'scheduled' END WHERE project_id = ${project.id}`;
    await context.jobs.enqueue(tx, 'mirrors.pull', {});
    return tx.pullMirror.findUniqueOrThrow({ where });
  });
}

async function administered(context: Context, ref: IdOrPath) {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_mirror', project);
  return { actor, project };
}

/** A URL with other credentials, if there are. Throws ValidationFailed. */
function withCredentials(url: string, username: string | null | undefined, password: string | null | undefined) {
  if (username == null && password == null) return url;
  if (!URL.canParse(url))
    throw new ValidationFailed({ url: ['must be a valid URL that begins with http:// or https://'] });
  const whole = new URL(url);
  if (username != null) whole.username = encodeURIComponent(username);
  if (password != null) whole.password = encodeURIComponent(password);
  return whole.href;
}

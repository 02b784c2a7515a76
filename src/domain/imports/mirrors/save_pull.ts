import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { type Auditing, audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { checkedUrl } from '#src/domain/imports/mirrors/save.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { PullMirror } from '#src/generated/prisma/client.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { BadRequest, Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { decrypt, encrypt } from '#src/platform/secrets.ts';

/** A mirror as it is stored. */
export type PullMirrorRow = PullMirror;

/** What a project mirrors, and how; unset means unchanged. */
export interface PullMirrorValues {
  url?: string | null | undefined;
  /** Overrides the credentials in the URL. */
  username?: string | null | undefined;
  password?: string | null | undefined;
  enabled?: boolean | null | undefined;
  /** Whose rights updates have, if not the actor’s; for administrators. */
  userId?: number | null | undefined;
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
  values: PullMirrorValues,
): Promise<PullMirrorRow> {
  const { actor, project } = await administered(context, ref);
  const columns = await pullMirrorColumns(context, actor, project, values);
  return context.db.$transaction((tx) => writePullMirror(tx, context, project.id, columns));
}

/** The columns of the mirror of a project, or of a new one, with these changes. Throws Forbidden, ValidationFailed. */
export async function pullMirrorColumns(
  context: Context,
  actor: Actor,
  project: Pick<ProjectRow, 'id'> | null,
  { url, username, password, userId, ...values }: PullMirrorValues,
) {
  const known = project && (await context.db.pullMirror.findUnique({ where: { projectId: project.id } }));
  const before = known && decrypt(known.urlEncrypted, context.secret);
  const wanted = url ?? before ?? '';
  const checked = await checkedUrl(context, withCredentials(wanted, username, password));
  const { enabled, triggersPipelines, onlyProtectedBranches, overwritesDiverged } = values;
  const isDue = enabled ?? known?.enabled ?? true;
  return {
    // The same URL is left as it is, so that the audit log does not take it for another one.
    urlEncrypted: known && checked === before ? known.urlEncrypted : Buffer.from(encrypt(checked, context.secret)),
    userId: await mirrorUser(context, actor, userId),
    enabled: isDue,
    ...(triggersPipelines == null ? {} : { triggersPipelines }),
    ...(onlyProtectedBranches === undefined ? {} : { onlyProtectedBranches }),
    ...(overwritesDiverged === undefined ? {} : { overwritesDiverged }),
    failures: 0,
    dueAt: isDue ? new Date() : null,
    ...(isDue && known?.updateStatus !== 'started' ? { updateStatus: 'scheduled' as const } : {}),
  };
}

/** Stores the mirror of a project in the transaction, and has it updated. */
export async function writePullMirror(
  tx: Transaction,
  context: Pick<Context, 'jobs'> & Auditing,
  projectId: number,
  columns: Awaited<ReturnType<typeof pullMirrorColumns>>,
): Promise<PullMirrorRow> {
  const create = { ...columns, projectId };
  const known = await tx.pullMirror.findUnique({ where: { projectId }, select: { id: true } });
  const before = known && (await rowBefore(tx, 'PullMirror', known.id));
  const row = await tx.pullMirror.upsert({ where: { projectId }, create, update: columns });
  const event = { place: { projectId }, target: { type: 'Mirror', id: row.id } } as const;
  if (before) await auditChanges(tx, context, { action: 'mirror_updated', ...event }, before);
  else await audit(tx, context, { action: 'mirror_created', ...event });
  if (row.enabled) await context.jobs.enqueue(tx, 'mirrors.pull', {});
  return row;
}

/** The user of the mirror: the actor, or for administrators another one. */
async function mirrorUser({ db }: Context, actor: Actor, userId: number | null | undefined): Promise<number> {
  if (userId == null || userId === actor.id) return actor.id;
  if (!actor.admin) throw new Forbidden('Only administrators name another user of a mirror');
  const user = await db.user.findUnique({ where: { id: userId }, select: { id: true } });
  if (!user) throw new ValidationFailed({ mirror_user_id: ['does not exist'] });
  return user.id;
}

/**
 * The columns for what a change of a project says of its mirror; null if that is nothing: a URL alone begins no mirror. Throws as
 * savePullMirror.
 */
export async function changedPullMirror(
  context: Context,
  actor: Actor,
  project: ProjectRow,
  values: PullMirrorValues | null | undefined,
) {
  if (!values || Object.values(values).every((value) => value == null)) return null;
  const isKnown = (await context.db.pullMirror.count({ where: { projectId: project.id } })) > 0;
  if (!isKnown && values.enabled !== true) return null;
  authorize(actor, 'admin_mirror', project);
  return pullMirrorColumns(context, actor, project, values).catch((error: unknown) => {
    if (!(error instanceof ValidationFailed) || !error.fields.url) throw error;
    throw new ValidationFailed({ import_url: error.fields.url });
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

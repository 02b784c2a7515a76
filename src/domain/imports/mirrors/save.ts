import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findMirror } from '#src/domain/imports/mirrors/list.ts';
import { checkedSource } from '#src/domain/imports/schedule.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { BadRequest, LimitReached, ValidationFailed } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';
import { encrypt } from '#src/platform/secrets.ts';

/** Settings of a mirror. */
export interface MirrorValues {
  enabled?: boolean | null | undefined;
  onlyProtectedBranches?: boolean | null | undefined;
  keepDivergentRefs?: boolean | null | undefined;
  /** How the server signs in there; only `password` is supported. */
  authMethod?: string | null | undefined;
}

/** Mirrors of one project. */
const MAX_MIRRORS = 10;
const ID = select('RemoteMirror', { id: true });

/** Adds a mirror to a project. Throws NotFound, Forbidden, ValidationFailed, LimitReached. */
export async function createMirror(
  context: Context,
  ref: IdOrPath,
  { url, ...values }: MirrorValues & { url: string },
): Promise<ChangedRecord> {
  const { project } = await administered(context, ref);
  const checked = await checkedUrl(context, url);
  const data = columnsOf(values);
  const due = data.enabled ? { dueAt: new Date(), updateStatus: 'scheduled' as const } : {};
  const made = { ...data, ...due, projectId: project.id, urlEncrypted: encrypt(checked, context.secret) };
  return context.db.$transaction(async (tx) => {
    // Two at a time would both find room for one more.
    await tx.$queryRaw`SELECT id FROM projects WHERE id = ${project.id} FOR NO KEY UPDATE`;
    if ((await tx.remoteMirror.count({ where: { projectId: project.id } })) >= MAX_MIRRORS) {
      throw new LimitReached(`A project can have at most ${MAX_MIRRORS} mirrors`);
    }
    const { id } = await tx.remoteMirror.create({ data: made, select: { id: true } });
    await audit(tx, context, { action: 'mirror_created', ...audited(project, id) });
    return { project, id };
  });
}

/** Changes a mirror, except its URL; unset means unchanged. Throws NotFound, Forbidden, ValidationFailed. */
export async function updateMirror(
  context: Context,
  ref: IdOrPath,
  id: number,
  values: MirrorValues,
): Promise<ChangedRecord> {
  const { project } = await administered(context, ref);
  await findMirror(context, project, id, ID);
  const data = columnsOf(values);
  const due =
    data.enabled === true ? { dueAt: new Date() } : data.enabled === false ? { dueAt: null, failures: 0 } : {};
  await context.db.$transaction(async (tx) => {
    const before = await rowBefore(tx, 'RemoteMirror', id);
    await tx.remoteMirror.updateMany({ where: { id }, data: { ...data, ...due } });
    await auditChanges(tx, context, { action: 'mirror_updated', ...audited(project, id) }, before);
  });
  return { project, id };
}

/** Removes a mirror; what is there stays. Throws NotFound, Forbidden. */
export async function deleteMirror(context: Context, ref: IdOrPath, id: number): Promise<void> {
  const { project } = await administered(context, ref);
  await findMirror(context, project, id, ID);
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.remoteMirror.deleteMany({ where: { id } });
    if (count > 0) await audit(tx, context, { action: 'mirror_deleted', ...audited(project, id) });
  });
}

/** Updates a mirror at once. Throws NotFound, Forbidden, and BadRequest for one that is disabled, or was updated within a minute. */
export async function syncMirror(context: Context, ref: IdOrPath, id: number): Promise<ChangedRecord> {
  const { project } = await administered(context, ref);
  await findMirror(context, project, id, ID);
  await context.db.$transaction(async (tx) => {
    const count = await tx.$executeRaw`
      UPDATE remote_mirrors SET due_at = now(), failures = 0, update_status = 'scheduled' WHERE id = ${id} AND enabled
        AND update_status <> 'started' AND (last_update_started_at IS NULL OR last_update_started_at < now() - interval '1 minute')`;
    if (count === 0) throw new BadRequest('The mirror is disabled, or was updated less than a minute ago');
    await context.jobs.enqueue(tx, 'mirrors.push', {});
  });
  return { project, id };
}

function audited({ id: projectId }: { id: number }, id: number) {
  return { place: { projectId }, target: { type: 'Mirror' as const, id } };
}

async function administered(context: Context, ref: IdOrPath) {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_mirror', project);
  return { actor, project };
}

/** The same checks as for imports. Throws ValidationFailed, which does not repeat the URL. */
export async function checkedUrl(context: Context, text: string): Promise<string> {
  const url = await checkedSource(context, text).catch((error) => {
    if (!(error instanceof ValidationFailed)) throw error;
    throw new ValidationFailed({ url: error.fields.import_url ?? ['is invalid'] });
  });
  if (url === null) throw new ValidationFailed({ url: ["can't be blank"] });
  return url;
}

function columnsOf({ enabled, onlyProtectedBranches, keepDivergentRefs, authMethod }: MirrorValues) {
  if (authMethod != null && authMethod !== 'password') {
    throw new ValidationFailed({ auth_method: ['is not supported: only password is'] });
  }
  return {
    ...(enabled == null ? {} : { enabled }),
    ...(onlyProtectedBranches == null ? {} : { onlyProtectedBranches }),
    ...(keepDivergentRefs === undefined ? {} : { keepDivergentRefs }),
  };
}

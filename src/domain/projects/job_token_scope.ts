import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { groupVisible } from '#src/access/permissions/visibility.ts';
import { findGroup, type IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { listProjectsOf } from '#src/domain/projects/list.ts';
import { type Db, Prisma, queryRows, readPages, type Transaction } from '#src/platform/database/db.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { onlyOne, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/groups/computed_fields.ts';

const { sql } = Prisma;
const group = alias('Namespace', 'n');

/** Projects, and groups, that may be allowed for one project. */
const MAX_ALLOWLIST_SIZE = 200;

/**
 * Who the bearer of a job token is within a project: its user in the project of the job, and where the project lets jobs of that one
 * in; anonymous elsewhere. Others stay who they are (people-and-projects.md, Rules 3).
 */
export async function actorWithin<A extends Actor | null>(
  db: Db | Transaction,
  actor: A,
  { id }: { id: number },
): Promise<A | null> {
  const from = actor?.jobProjectId;
  if (from === undefined || from === id) return actor;
  const [found] = await queryRows<{ isAllowed: boolean }>(
    db,
    sql`SELECT NOT p.job_token_scope_enabled
      OR EXISTS (SELECT 1 FROM job_token_projects a WHERE a.project_id = p.id AND a.allowed_project_id = ${from})
      OR EXISTS (SELECT 1 FROM job_token_groups a JOIN projects j ON j.id = ${from} JOIN namespaces jn ON jn.id = j.namespace_id
        WHERE a.project_id = p.id AND a.group_id = ANY(jn.lineage)) AS "isAllowed"
    FROM projects p WHERE p.id = ${id}`,
  );
  return found?.isAllowed ? actor : null;
}

/** Whether the limit is on. */
export async function isScopeEnabled({ db }: Pick<Context, 'db'>, { id }: { id: number }): Promise<boolean> {
  const found = await db.project.findUnique({ where: { id }, select: { jobTokenScopeEnabled: true } });
  return found?.jobTokenScopeEnabled ?? true;
}

/** Turns the limit on or off, for masters. Throws NotFound, Forbidden. */
export async function updateJobTokenScope(context: Context, ref: IdOrPath, enabled: boolean): Promise<ProjectRow> {
  const project = await administered(context, ref);
  await context.db.$transaction(async (tx) => {
    const before = await rowBefore(tx, 'Project', project.id);
    await tx.project.updateMany({ where: { id: project.id }, data: { jobTokenScopeEnabled: enabled } });
    const event = { action: 'job_token_scope_updated', target: { type: 'Project', id: project.id } } as const;
    await auditChanges(tx, context, { ...event, place: { projectId: project.id } }, before);
  });
  return project;
}

/** Throws Forbidden unless the actor may see and change which jobs may use the project. */
export function authorizeScope(context: Context, project: ProjectRow): void {
  authorize(requireActor(context), 'admin_job_token_scope', project);
}

/** The projects whose jobs may use a project, as far as the actor sees them, itself first, for masters. Throws Forbidden. */
export async function listAllowedProjects<R>(
  context: Context,
  project: ProjectRow,
  page: PageRequest,
  selection: Selection<'Project', R>,
): Promise<Page<R>> {
  authorizeScope(context, project);
  const own = { id: project.id };
  const pages = await listProjectsOf(
    context,
    [own],
    { id: 'int' },
    (of, { id }) => [
      sql`(${of.id} = ${id} OR ${of.id} IN (SELECT a.allowed_project_id FROM job_token_projects a WHERE a.project_id = ${id}))`,
    ],
    { filter: {}, order: { by: 'id', direction: 'asc' } },
    page,
    selection,
  );
  return onlyOne(pages);
}

/** The groups whose projects' jobs may use a project, as far as the actor sees them, for masters. Throws Forbidden. */
export async function listAllowedGroups<R>(
  context: Context,
  project: ProjectRow,
  page: PageRequest,
  selection: Selection<'Namespace', R>,
): Promise<Page<R>> {
  authorizeScope(context, project);
  const actor = requireActor(context);
  const where = sql`${group.id} IN (SELECT a.group_id FROM job_token_groups a WHERE a.project_id = ${project.id})
    AND ${groupVisible(actor, group)}`;
  const list = { rows: group, where, order: order('Namespace', ['id']), params: { actor } };
  return onlyOne(
    await readPages<R>(
      context.db,
      page,
      perParent([{}], {}, () => pageOfRows(selection, list, page)),
    ),
  );
}

/** Names a project or a group that is allowed, or no longer. */
export interface AllowedRef {
  project: IdOrPath;
  /** Exactly one of these. */
  allowedProject?: IdOrPath | null | undefined;
  allowedGroup?: IdOrPath | null | undefined;
}

/** What was allowed, or no longer is. */
export interface ChangedAllowed {
  project: ProjectRow;
  targetId: number;
}

/** Lets jobs of a project, or of all projects below a group, use a project, for masters. Throws NotFound, Forbidden, BadRequest. */
export async function allowJobTokens(context: Context, ref: AllowedRef): Promise<ChangedAllowed> {
  const project = await administered(context, ref.project);
  const projectId = project.id;
  const target = await targetOf(context, ref);
  return context.db.$transaction(async (tx) => {
    // One after another, so that none goes beyond the limit.
    await tx.$queryRaw`SELECT id FROM projects WHERE id = ${projectId} FOR NO KEY UPDATE`;
    if (target.kind === 'project') {
      if (target.id === projectId) throw new BadRequest('The project itself is always allowed').asWrongState();
      if ((await tx.jobTokenProject.count({ where: { projectId } })) >= MAX_ALLOWLIST_SIZE) throw tooMany('projects');
      const data = { projectId, allowedProjectId: target.id };
      const { count } = await tx.jobTokenProject.createMany({ data, skipDuplicates: true });
      if (count === 0)
        throw new BadRequest('The project is allowed already').asExisting({
          type: 'Project',
          where: { id: target.id },
        });
    } else {
      if ((await tx.jobTokenGroup.count({ where: { projectId } })) >= MAX_ALLOWLIST_SIZE) throw tooMany('groups');
      const data = { projectId, groupId: target.id };
      const { count } = await tx.jobTokenGroup.createMany({ data, skipDuplicates: true });
      if (count === 0)
        throw new BadRequest('The group is allowed already').asExisting({
          type: 'Group',
          where: { id: target.id },
        });
    }
    await auditAllowed(tx, context, project, target.kind === 'project' ? 'Project' : 'Group', { to: target.id });
    return { project, targetId: target.id };
  });
}

/** No longer lets jobs of a project or group in, for masters, also of ones that they cannot see. Throws NotFound, Forbidden, BadRequest. */
export async function disallowJobTokens(
  context: Context,
  {
    project: ref,
    projectId: allowedProjectId,
    groupId,
  }: { project: IdOrPath; projectId?: number | null; groupId?: number | null },
): Promise<ChangedAllowed> {
  const project = await administered(context, ref);
  const { id: projectId } = project;
  if ((allowedProjectId == null) === (groupId == null)) throw new BadRequest('Name either a project or a group');
  if (allowedProjectId != null) {
    if (allowedProjectId === projectId) throw new BadRequest('The project itself is always allowed').asWrongState();
    await context.db.$transaction(async (tx) => {
      const { count } = await tx.jobTokenProject.deleteMany({ where: { projectId, allowedProjectId } });
      if (count === 0) throw new NotFound('Project');
      await auditAllowed(tx, context, project, 'Project', { from: allowedProjectId });
    });
    return { project, targetId: allowedProjectId };
  }
  const target = groupId ?? 0;
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.jobTokenGroup.deleteMany({ where: { projectId, groupId: target } });
    if (count === 0) throw new NotFound('Group');
    await auditAllowed(tx, context, project, 'Group', { from: target });
  });
  return { project, targetId: target };
}

/** Records that jobs of a project or group are let in, or no longer. */
async function auditAllowed(
  tx: Transaction,
  context: Context,
  { id: projectId }: ProjectRow,
  type: 'Project' | 'Group',
  change: { from: number } | { to: number },
): Promise<void> {
  const target = { type, id: Object.values(change)[0] ?? null };
  const attribute = type === 'Project' ? 'allowed_project' : 'allowed_group';
  await audit(tx, context, { action: 'job_token_scope_updated', place: { projectId }, target, attribute, ...change });
}

async function administered(context: Context, ref: IdOrPath): Promise<ProjectRow> {
  const project = await findProject(context, ref);
  authorizeScope(context, project);
  return project;
}

async function targetOf(
  context: Context,
  { allowedProject, allowedGroup }: AllowedRef,
): Promise<{ kind: 'project' | 'group'; id: number }> {
  if (allowedProject != null && allowedGroup == null) {
    return { kind: 'project', id: (await findProject(context, allowedProject)).id };
  }
  if (allowedGroup != null && allowedProject == null) {
    return { kind: 'group', id: (await findGroup(context, allowedGroup)).id };
  }
  throw new BadRequest('Name either a project or a group');
}

function tooMany(what: string): BadRequest {
  return new BadRequest(`At most ${MAX_ALLOWLIST_SIZE} ${what} can be allowed`).as('limitReached');
}

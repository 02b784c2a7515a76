import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { lengthError } from '#src/base/text.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { type ExportStatus, isThere, requireExports, statusOf } from '#src/domain/project_archives/kept.ts';
import type { ExportFormat } from '#src/domain/project_archives/layout.ts';
import { ARCHIVE } from '#src/domain/project_archives/place.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import { exportsStore } from '#src/domain/uploads/archives.ts';
import { openStored } from '#src/domain/uploads/content.ts';
import { Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { allowedHosts, isBlocked, parseHookUrl } from '#src/platform/outbound/hook_url.ts';
import { BLOCKED } from '#src/platform/outbound/url.ts';
import { encrypt } from '#src/platform/secrets.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Makes the archive of a project that a user asked for. */
    'projects.export': { projectId: number; userId: number };
  }
}

/** How far the export of a project is that the caller asked for. */
export interface ExportRow {
  project: ProjectRow;
  status: ExportStatus;
  /** Why it failed, or why the archive was not sent. */
  error: string | null;
  /** When the archive that can be downloaded was finished; null without one. */
  finishedAt: Date | null;
}

/** What is wanted of an export. */
export interface WantedExport {
  /** Gantry's own where absent. */
  format?: ExportFormat | null | undefined;
  /** What the archive says of the project; its own description when absent. */
  description?: string | null | undefined;
  /** Where the archive is sent once it is there, over HTTP(S). */
  upload?: { url: string; method?: 'PUT' | 'POST' | null | undefined } | null | undefined;
}

/** An address that archives may be sent to: one that webhooks may have. Throws ValidationFailed. */
async function uploadUrl(context: Context, text: string): Promise<string> {
  const url = parseHookUrl(text.trim());
  const wrong = !url ? 'must be a URL that begins with http:// or https://' : null;
  const isPrivate = url !== null && isBlocked(url, await allowedHosts(context));
  if (wrong ?? isPrivate) throw new ValidationFailed({ 'upload.url': [wrong ?? BLOCKED] });
  return text.trim();
}

/**
 * Has an archive of a project made in the background, for its masters, in place of the caller's last one. Nothing changes while one is
 * being made. Throws NotFound, Forbidden, ValidationFailed.
 */
export async function requestExport(
  context: Context,
  ref: IdOrPath,
  { format, description, upload }: WantedExport,
): Promise<ProjectRow> {
  const { project, userId } = await exported(context, ref);
  const wrong = lengthError(description);
  if (wrong) throw new ValidationFailed({ description: [wrong] });
  const url = upload ? encrypt(await uploadUrl(context, upload.url), context.secret) : null;
  const method = upload ? (upload.method ?? 'PUT') : null;
  await context.db.$transaction(async (tx) => {
    const begun = await tx.$executeRaw`
      INSERT INTO project_exports (project_id, user_id, format, description, upload_url_encrypted, upload_method)
      VALUES (${project.id}, ${userId}, ${format ?? 'gantry'}, ${description ?? null}, ${url}, ${method})
      ON CONFLICT (project_id, user_id) DO UPDATE
        SET state = 'queued', format = EXCLUDED.format, description = EXCLUDED.description, attempts = 0, error = NULL,
          upload_url_encrypted = EXCLUDED.upload_url_encrypted, upload_method = EXCLUDED.upload_method
        WHERE project_exports.state NOT IN ('queued', 'started')`;
    if (begun > 0) await context.jobs.enqueue(tx, 'projects.export', { projectId: project.id, userId });
  });
  return project;
}

/** How far the caller's exports of projects are, in their order; an error for those of which the caller may make none. */
export async function findExports(
  context: Context,
  projects: readonly ProjectRow[],
): Promise<(ExportRow | NotFound | Forbidden)[]> {
  const { id: userId } = requireActor(context);
  await requireExports(context);
  const rows = await context.db.projectExport.findMany({
    where: { userId, projectId: { in: projects.map(({ id }) => id) } },
  });
  const byProject = new Map(rows.map((row) => [row.projectId, row]));
  return projects.map((project) => {
    if (!can(context.actor, 'export_project', project)) return new Forbidden();
    const row = byProject.get(project.id);
    return {
      project,
      status: row ? statusOf(row) : 'none',
      error: row?.error ?? null,
      finishedAt: row && isThere(row) ? row.finishedAt : null,
    };
  });
}

/** The archive that the caller's last finished export made. Throws NotFound, Forbidden. */
export async function readRawExport(context: Context, { id }: { id: number }): Promise<RawContent> {
  const { project, userId } = await exported(context, id);
  const where = { projectId_userId: { projectId: project.id, userId } };
  const row = await context.db.projectExport.findUnique({ where });
  if (!row || !isThere(row)) throw new NotFound('Export');
  const place = { projectId: project.id, secret: row.secret ?? '', fileName: ARCHIVE };
  const fileName = row.fileName ?? ARCHIVE;
  const size = Number(row.size);
  const etag = `"${row.secret}"`;
  const content = await openStored(exportsStore(context), place, { resource: 'Export', size, fileName, etag });
  return { ...content, type: 'application/gzip' };
}

async function exported(context: Context, ref: IdOrPath): Promise<{ project: ProjectRow; userId: number }> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'export_project', project);
  await requireExports(context);
  return { project, userId: actor.id };
}

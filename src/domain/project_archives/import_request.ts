import { randomBytes, randomUUID } from 'node:crypto';
import { authorize, type Visibility } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { insertProject } from '#src/domain/lifecycle/create_project.ts';
import { type NamespaceRef, namespaceIdOf } from '#src/domain/namespaces/find.ts';
import { ARCHIVE, MEGABYTE } from '#src/domain/project_archives/place.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { type Home, holdHome, permittedHome, personalHome } from '#src/domain/projects/home.ts';
import { takenIn } from '#src/domain/projects/taken.ts';
import { type Switches, textErrors } from '#src/domain/projects/values.ts';
import { importsStore } from '#src/domain/uploads/archives.ts';
import type { Prisma } from '#src/platform/database/db.ts';
import { mayBeCommitted } from '#src/platform/database_unavailable.ts';
import { BadRequest, ContentTooLarge, Forbidden, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import type { IncomingFile } from '#src/platform/incoming_file.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Fills a project from the archive that it is imported from. */
    'projects.import_archive': { projectId: number; userId: number };
  }
}

/** Settings that take the place of those of the archive. */
export interface ImportOverrides extends Switches {
  description?: string | null | undefined;
  visibility?: Visibility | null | undefined;
}

export interface WantedImport {
  file: IncomingFile;
  path: string;
  /** The path if it is left out. */
  name?: string | null | undefined;
  /** The personal namespace of the importer if it is left out. */
  namespace?: NamespaceRef | null | undefined;
  /** Whether a project that has the path is replaced in the end. */
  overwrite?: boolean | null | undefined;
  settings?: ImportOverrides | null | undefined;
}

/** Archives that wait for their import belong to no project in the store. */
export const WAITING = 0;

/** The beginning of what gzip compressed (RFC 1952). */
const GZIP = '1f8b';

/**
 * Creates a project that is filled from an archive in the background. Throws BadRequest, ContentTooLarge, NotFound for the namespace,
 * Forbidden for the project that is to be replaced and where the settings allow no archives, LimitReached, ValidationFailed.
 */
export async function importProject(context: Context, wanted: WantedImport): Promise<ProjectRow> {
  const actor = requireActor(context);
  const { importSources } = await currentSettings(context.db);
  if (!importSources.includes('gitlab_project')) throw new Forbidden('Projects cannot be imported from archives');
  const path = wanted.path.trim();
  const name = wanted.name?.trim() || path;
  const errors = textErrors({ name, path, description: wanted.settings?.description });
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  const home = await findHome(context, actor, wanted.namespace ?? null);
  await requireFitting(context, wanted.file);
  const replaced = wanted.overwrite ? await replacedProject(context, actor, home, path) : null;
  const secret = randomBytes(16).toString('hex');
  const place = { projectId: WAITING, secret, fileName: ARCHIVE };
  const store = importsStore(context);
  try {
    await store.write(place, wanted.file.stream(), wanted.file.size);
    const id = await context.db.$transaction(async (tx) => {
      const held = await holdHome(tx, home);
      if (!held) throw new NotFound('Namespace');
      const aside = replaced === null ? '' : `-import-${randomBytes(4).toString('hex')}`;
      const projectId = await insertProject(tx, context, held, home.ownerId ?? actor.id, {
        name: `${name}${aside}`,
        path: `${path}${aside}`,
        visibility: 'private',
        description: null,
        defaultBranch: null,
        tagList: [],
        ciDefaultGitDepth: null,
      });
      const settings = { ...wanted.settings } as Prisma.InputJsonObject;
      await tx.projectArchiveImport.create({
        data: {
          projectId,
          userId: actor.id,
          secret,
          settings,
          correlationId: randomUUID(),
          overwrites: replaced ? path : null,
        },
      });
      await tx.project.update({ where: { id: projectId }, data: { importStatus: 'scheduled' } });
      await context.jobs.enqueue(tx, 'projects.import_archive', { projectId, userId: actor.id });
      return projectId;
    });
    return await findProject(context, id);
  } catch (error) {
    if (mayBeCommitted(error)) throw error;
    await store.remove(place);
    const taken = await takenIn(context.db, error, { namespaceId: home.id, name, path });
    throw taken ? new ValidationFailed(taken.fields).asExisting(taken.existing) : error;
  }
}

/** Where a project is to be that is imported: in a namespace, else that of the importer. Throws NotFound. */
export async function findHome(context: Context, actor: Actor, ref: NamespaceRef | null): Promise<Home> {
  if (ref === null) return personalHome(context, actor.id);
  // In forms numbers are texts, and paths may be numbers.
  const numbered = typeof ref === 'string' && /^\d{1,9}$/.test(ref) ? Number(ref) : 0;
  const home = await permittedHome(context, actor, (await namespaceIdOf(context, ref)) || numbered);
  if (!home) throw new NotFound('Namespace');
  return home;
}

/** Bytes of the largest archive that is taken. */
export async function largestImport({ db, imports }: Pick<Context, 'db' | 'imports'>): Promise<number> {
  const { maxImportSize } = await currentSettings(db);
  return Math.min(imports.maxBytes, maxImportSize === 0 ? Number.POSITIVE_INFINITY : maxImportSize * MEGABYTE);
}

/** Throws ContentTooLarge, and BadRequest for what is no archive that is compressed by gzip. */
export async function requireFitting(context: Context, file: IncomingFile): Promise<void> {
  const most = await largestImport(context);
  if (file.size > most) throw new ContentTooLarge(`archives can be at most ${most} bytes`);
  let start = Buffer.alloc(0);
  for await (const chunk of file.stream()) {
    start = Buffer.concat([start, chunk]);
    if (start.length >= 2) break;
  }
  if (start.toString('hex', 0, 2) !== GZIP)
    throw new BadRequest('file is not an archive that is compressed by gzip', 'file');
}

/** The project that has the path; null if none has. Throws NotFound, Forbidden. */
async function replacedProject(context: Context, actor: Actor, home: Home, path: string): Promise<ProjectRow | null> {
  const found = await projectAt(context, home.id, path);
  if (found === null) return null;
  const project = await findProject(context, found);
  authorize(actor, 'delete_project', project);
  return project;
}

/** The ID of the project in a namespace that has a path; null if none has. */
export async function projectAt(
  { db }: Pick<Context, 'db'>,
  namespaceId: number,
  path: string,
): Promise<number | null> {
  const [found] = await db.$queryRaw<{ id: number }[]>`
    SELECT id FROM projects WHERE namespace_id = ${namespaceId} AND deleted_at IS NULL AND lower(path) = lower(${path})`;
  return found?.id ?? null;
}

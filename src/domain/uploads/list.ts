import path from 'node:path';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import type { RawContent } from '#src/domain/repository/raw.ts';
import { openStored } from '#src/domain/uploads/content.ts';
import { PICTURES } from '#src/domain/uploads/create.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { readRow } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const upload = alias('Upload', 'u');

const uploads = projectScoped({ ability: 'admin_upload', rows: upload, order: order('Upload', ['id'], 'desc') });
/** The files that were attached to each project, latest first, for its masters. */
export const listUploads = uploads.list;
/** One of them by its ID. Throws NotFound, Forbidden. */
export const findUploadById = uploads.find;
/** Those with these IDs that the actor may list. */
export const findUploadsByIds = uploads.findByIds;

/** Names an attached file: by its ID, or by the secret and the name in its address. */
export interface UploadName {
  id?: number | null | undefined;
  secret?: string | null | undefined;
  fileName?: string | null | undefined;
}

/** An attached file by its address, for whoever sees the project. Throws NotFound. */
export async function findUploadAt<R>(
  { db }: Context,
  project: ProjectRow,
  { secret, fileName }: { secret: string; fileName: string },
  selection: Selection<'Upload', R>,
): Promise<R> {
  const where = sql`${upload.projectId} = ${project.id} AND ${upload.secret} = ${secret} AND ${upload.fileName} = ${fileName}`;
  const found = await readRow(db, selection, { rows: upload, where });
  if (!found) throw new NotFound('File');
  return found;
}

/** Deletes an attached file; texts that refer to it then lead nowhere. For masters. Throws NotFound, Forbidden, BadRequest. */
export async function deleteUpload(context: Context, ref: IdOrPath, name: UploadName): Promise<{ id: number }> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'admin_upload', project);
  const { id, secret, fileName } = name;
  if ((id == null) === (secret == null || fileName == null))
    throw new BadRequest('Give either id or secret and fileName');
  const which = id == null ? { secret: secret ?? '', fileName: fileName ?? '' } : { id };
  const found = await context.db.upload.findFirst({ where: { projectId: project.id, ...which } });
  if (!found) throw new NotFound('Upload');
  // A crash in between leaves a file that nothing records, which is cleaned up.
  await context.db.upload.deleteMany({ where: { id: found.id } });
  await context.uploads.remove({ projectId: project.id, secret: found.secret });
  return { id: found.id };
}

/** The content of an attached file that an operation found, which has checked that the caller may read it. Throws NotFound. */
export async function readRawUpload(context: Context, { id }: { id: number }): Promise<RawContent> {
  const found = await context.db.upload.findUnique({ where: { id } });
  if (!found) throw new NotFound('File');
  const { projectId, secret, fileName, size } = found;
  const content = await openStored(
    context.uploads,
    { projectId, secret, fileName },
    { resource: 'File', size: Number(size), fileName, etag: `"${secret}"` },
  );
  return { ...content, type: PICTURES[path.extname(fileName).toLowerCase()] ?? content.type };
}

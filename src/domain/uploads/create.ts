import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { requireAlive } from '#src/domain/projects/alive.ts';
import { findProject } from '#src/domain/projects/find.ts';
import type { UploadLocation } from '#src/domain/uploads/store.ts';
import { mayBeCommitted } from '#src/platform/database_unavailable.ts';
import { ContentTooLarge, NotFound } from '#src/platform/errors.ts';
import type { IncomingFile } from '#src/platform/incoming_file.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** How texts link to an uploaded file (behaviour.md 7, Uploads). */
export interface UploadRow {
  id: number;
  /** Link text: the file's name, for images without the extension. */
  alt: string;
  /** Path below the URL of the project. */
  url: string;
  /** Path on the server, which stays when the project is moved. */
  fullPath: string;
  markdown: string;
}

/**
 * Attaches a file to a project, for users who can comment there. Its size is limited by the setting `max_attachment_size`. Throws
 * NotFound, Unauthenticated, Forbidden, ContentTooLarge.
 */
export async function createUpload(context: Context, ref: IdOrPath, file: IncomingFile): Promise<UploadRow> {
  const actor = requireActor(context);
  const project = await findProject(context, ref);
  authorize(actor, 'create_note', project);
  const { maxAttachmentSize } = await currentSettings(context.db);
  if (file.size > maxAttachmentSize * 1024 * 1024) {
    throw new ContentTooLarge(`files can be at most ${maxAttachmentSize} MB`);
  }
  const place = { projectId: project.id, secret: randomBytes(16).toString('hex'), fileName: fileNameOf(file.name) };
  try {
    await context.uploads.write(place, file.stream(), file.size);
    const { id } = await context.db.$transaction(async (tx) => {
      // Locks the project, so that a concurrent deletion waits, and then finds the file.
      const alive = await tx.$queryRaw<object[]>`
        SELECT id FROM projects WHERE id = ${project.id} AND deleted_at IS NULL FOR SHARE`;
      if (alive.length === 0) throw new NotFound('Project');
      return tx.upload.create({ data: { ...place, userId: actor.id, size: file.size }, select: { id: true } });
    });
    return described(id, place);
  } catch (error) {
    if (mayBeCommitted(error)) throw error;
    await context.uploads.remove(place);
    // Deleting a project removes its directory, even while a file in it is being written.
    await requireAlive(context.db, project.id);
    throw error;
  }
}

/** Image types that browsers display without running code. */
export const PICTURES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

function described(id: number, { projectId, secret, fileName }: UploadLocation): UploadRow {
  const ending = path.extname(fileName);
  const picture = PICTURES[ending.toLowerCase()] !== undefined;
  const alt = picture ? fileName.slice(0, -ending.length) : fileName;
  const url = `/uploads/${secret}/${fileName}`;
  return { id, alt, url, fullPath: `/-/project/${projectId}${url}`, markdown: `${picture ? '!' : ''}[${alt}](${url})` };
}

/** Characters at the end of a name that are considered. */
const MAX_GIVEN_NAME_LENGTH = 1000;

/** A name that is valid on every file system and needs no escaping in URLs and Markdown. */
export function fileNameOf(given: string): string {
  const plain = path.posix
    .basename(given.slice(-MAX_GIVEN_NAME_LENGTH).replaceAll('\\', '/'))
    .replace(/[^\w.+-]/g, '_');
  const ending = path.extname(plain).slice(0, 20);
  const name = `${path.basename(plain, path.extname(plain)).slice(0, 200)}${ending}`;
  if (/^\.*$/.test(name)) return 'file';
  return RESERVED.test(name) ? `_${name}` : name.replace(/(?<!\.)\.+$/, '');
}

/** Device names of Windows, with any extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

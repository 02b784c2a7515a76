import { createHash } from 'node:crypto';
import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { BlobRow } from '#src/domain/repository/blob.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { remembered } from '#src/domain/repository/remember.ts';
import { findRevision } from '#src/domain/repository/revision.ts';
import { trimSlashes } from '#src/domain/repository/tree.ts';
import type { Mode, Oid } from '#src/git/base/model.ts';
import { DomainError, NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** A file at a revision. */
export interface FileRow extends BlobRow {
  /** The last segment of the path. */
  name: string;
  path: string;
  mode: Mode;
  /** As requested. */
  ref: string;
  commitOid: Oid;
}

/** The file at a path. Throws NotFound (also for directories and submodules), Forbidden, Unauthenticated. */
export async function findFile(context: Context, project: ProjectRow, path: string, ref: string): Promise<FileRow> {
  authorize(context.actor, 'read_repository', project);
  const revision = await findRevision(context, project, ref);
  if (!revision) throw new NotFound('Commit');
  const { repository, oid: commitOid } = revision;
  const wanted = trimSlashes(path);
  const entry = wanted === '' ? null : await repository.entry(commitOid, wanted);
  const size = entry?.type === 'blob' ? await repository.blobSize(entry.oid) : null;
  if (!entry || size === null) throw new NotFound('File');
  const { oid, name, mode } = entry;
  return { projectId: project.id, repository, oid, size, name, path: entry.path, mode, ref, commitOid };
}

/** Files of one request, and bytes of all of them. */
const MAX_FILES = 100;
const MAX_FILES_BYTES = 20 * 1024 * 1024;

/**
 * The files at these paths, in their order, without those that are not there, as at a ref, or in the default branch. Throws NotFound for
 * the ref, ValidationFailed for too many, LimitReached for too much, Forbidden, Unauthenticated.
 */
export async function findFiles(
  context: Context,
  project: ProjectRow,
  paths: readonly string[],
  ref: string | null | undefined,
): Promise<FileRow[]> {
  authorize(context.actor, 'read_repository', project);
  if (paths.length > MAX_FILES) throw new ValidationFailed({ paths: [`are too many (maximum is ${MAX_FILES})`] });
  const revision = await findRevision(context, project, ref || null);
  if (!revision) throw new NotFound('Commit');
  const { repository, oid: commitOid } = revision;
  return withEffort(context, async () => {
    const found: FileRow[] = [];
    let bytes = 0;
    for (const path of paths.map(trimSlashes)) {
      const entry = path === '' ? null : await repository.entry(commitOid, path);
      const size = entry?.type === 'blob' ? await repository.blobSize(entry.oid) : null;
      if (!entry || size === null) continue;
      bytes += size;
      if (bytes > MAX_FILES_BYTES) throw new DomainError('limitReached', 'The files are larger than 20 MB together.');
      const { oid, name, mode } = entry;
      const at = { name, path: entry.path, mode, ref: ref || 'HEAD', commitOid };
      found.push({ projectId: project.id, repository, oid, size, ...at });
    }
    return found;
  });
}

/** The hash of the latest commit that changed the file. */
export function lastCommitOf({ repository, commitOid, path }: FileRow): Promise<Oid> {
  return remembered(repository, `last ${commitOid} ${path}`, async () => {
    return (await repository.lastCommit(commitOid, path))?.oid ?? commitOid;
  });
}

/** Bytes of the largest content that is hashed: more than a response may have of it inline, and quickly read. */
const MAX_HASHED_BYTES = 20 * 1024 * 1024;

/** The SHA-256 of the content, in hexadecimal digits; null for content that is only streamed. */
export function contentHash(
  caller: Pick<Context, 'actor' | 'clientAddress' | 'answer'>,
  { repository, oid, size }: BlobRow,
): Promise<string | null> {
  if (size > MAX_HASHED_BYTES) return Promise.resolve(null);
  return remembered(repository, `sha256 ${oid}`, () =>
    withEffort(caller, async () => {
      const opened = await repository.blobStream(oid);
      if (!opened) throw new NotFound('Blob');
      const hash = createHash('sha256');
      for await (const chunk of opened.stream) hash.update(chunk as Buffer);
      return hash.digest('hex');
    }),
  );
}

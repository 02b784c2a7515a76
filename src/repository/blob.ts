import { authorize } from '#src/access/abilities.ts';
import type { Context } from '#src/access/actor.ts';
import { ContentTooLarge, NotFound } from '#src/errors.ts';
import { isOid, type Oid } from '#src/git/model.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import type { ProjectRow } from '#src/projects/find.ts';

/** A content, whichever files have it. */
export interface BlobRow {
  projectId: number;
  repository: RepositoryReader;
  oid: Oid;
  /** In bytes. */
  size: number;
}

/** The content with a hash of 40 digits. Throws NotFound, Forbidden, Unauthenticated. */
export async function findBlob(context: Context, project: ProjectRow, sha: string): Promise<BlobRow> {
  authorize(context.actor, 'read_repository', project);
  const oid = sha.toLowerCase();
  const repository = isOid(oid) ? await context.repositories.open(project) : null;
  const size = await repository?.blobSize(oid);
  if (!repository || size == null) throw new NotFound('Blob');
  return { projectId: project.id, repository, oid, size };
}

/** The content in Base64. Throws ContentTooLarge for what has to be streamed. */
export async function blobContent(
  { repositories }: Pick<Context, 'repositories'>,
  { projectId, repository, oid, size }: BlobRow,
): Promise<string> {
  const { maxInlineBytes } = repositories;
  if (size > maxInlineBytes) {
    const raw = `GET /api/v4/projects/${projectId}/repository/blobs/${oid}/raw`;
    throw new ContentTooLarge(`the content has ${size} bytes, more than ${maxInlineBytes}. ${raw} streams it`);
  }
  const content = await repository.blob(oid, maxInlineBytes);
  if (!content) throw new NotFound('Blob');
  return content.toString('base64');
}

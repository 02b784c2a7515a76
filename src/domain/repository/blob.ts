import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { isOid, type Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { ContentTooLarge, NotFound } from '#src/platform/errors.ts';

/** A blob, whichever files have it. */
export interface BlobRow {
  projectId: number;
  repository: RepositoryReader;
  oid: Oid;
  /** In bytes. */
  size: number;
}

/** The blob with a full hash. Throws NotFound, Forbidden, Unauthenticated. */
export async function findBlob(context: Context, project: ProjectRow, sha: string): Promise<BlobRow> {
  authorize(context.actor, 'read_repository', project);
  const oid = sha.toLowerCase();
  const repository = isOid(oid) ? await context.repositories.open(project) : null;
  const size = await repository?.blobSize(oid);
  if (!repository || size == null) throw new NotFound('Blob');
  return { projectId: project.id, repository, oid, size };
}

/** The content in Base64. Throws ContentTooLarge for content that must be streamed. */
export async function blobContent(
  context: Pick<Context, 'repositories' | 'actor' | 'clientAddress' | 'answer'>,
  { projectId, repository, oid, size }: BlobRow,
): Promise<string> {
  const { repositories, answer } = context;
  const { maxInlineBytes } = repositories;
  if (size > maxInlineBytes) {
    const raw = `GET /api/v4/projects/${projectId}/repository/blobs/${oid}/raw`;
    throw new ContentTooLarge(`the content has ${size} bytes, more than ${maxInlineBytes}. ${raw} streams it`);
  }
  if (answer && size > SMALL) requireInline(answer, size, maxInlineBytes);
  const read = async () => {
    const content = await repository.blob(oid, maxInlineBytes);
    if (!content) throw new NotFound('Blob');
    return content.toString('base64');
  };
  return size > SMALL ? withEffort(context, read) : read();
}

/** Bytes up to which contents are not counted as large. */
const SMALL = 256 * 1024;

/** Bytes of the larger contents in each response. */
const inline = new WeakMap<object, number>();

/** Throws ContentTooLarge if a response would contain more than the limit of a single content. */
function requireInline(answer: object, size: number, most: number): void {
  const all = (inline.get(answer) ?? 0) + size;
  if (all > most) throw new ContentTooLarge(`the contents of one answer have more than ${most} bytes`);
  inline.set(answer, all);
}

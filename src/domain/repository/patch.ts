import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { PLAIN_TEXT, type RawContent } from '#src/domain/repository/raw.ts';
import type { Oid } from '#src/git/base/model.ts';
import { BadRequest, ContentTooLarge, NotFound } from '#src/platform/errors.ts';

/** Changes that an operation found, as a text. */
export interface RawPatch {
  projectId: number;
  /** The commit before them; null for those of a first commit. */
  from: Oid | null;
  to: Oid;
  /** Whether each commit is a mail, as `git am` applies them. Merges are left out then. */
  asMails: boolean;
  fileName: string;
}

/** Maximum number of commits in a series of mails. */
const MAX_COMMITS = 1_000;

/** Milliseconds that making and sending the text may take. */
const TIMEOUT = 10 * 60_000;

/**
 * Streams what `git diff` or `git format-patch` says of commits. Throws NotFound, Forbidden, Unauthenticated, RateLimited,
 * ContentTooLarge, and BadRequest without a git program.
 */
export async function readRawPatch(context: Context, wanted: RawPatch): Promise<RawContent> {
  const { projectId, from, to, asMails, fileName } = wanted;
  const project = await findProject(context, projectId);
  authorize(context.actor, 'read_repository', project);
  const repository = await context.repositories.open(project);
  if (!repository) throw new NotFound('Commit');
  const stream = await withEffort(context, async () => {
    const commits = await Promise.all([to, from ?? to].map((oid) => repository.commit(oid)));
    if (commits.includes(null)) throw new NotFound('Commit');
    if (asMails && from !== null && (await repository.countBetween(from, to)) > MAX_COMMITS) {
      throw new ContentTooLarge(`a series of patches has at most ${MAX_COMMITS} commits`);
    }
    return repository.patch({ from, to, asMails });
  });
  if (stream === null) throw new BadRequest('The server has no git program, which this needs');
  const late = setTimeout(() => stream.destroy(new Error('The patch took too long')), TIMEOUT).unref();
  stream.once('close', () => clearTimeout(late));
  return {
    stream,
    size: null,
    type: PLAIN_TEXT,
    fileName,
    etag: `"${from ?? ''}-${to}-${asMails ? 'mails' : 'diff'}"`,
  };
}

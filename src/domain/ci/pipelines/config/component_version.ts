import { can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { resolveRevision } from '#src/domain/repository/revision.ts';
import { NotFound } from '#src/platform/errors.ts';

/** Releases of a project that are looked at, the newest. */
const MAX_RELEASES = 1_000;
/** A released version, and the first numbers of one. */
const RELEASED = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/;
const PARTIAL = /^\d{1,9}(?:\.\d{1,9})?$/;

/**
 * The ref for the version of a component: a branch, tag or hash, or `~latest` and the first numbers of a version for the greatest release.
 * The version itself for a project that the actor cannot read, which is found out later; null if there is no such version.
 */
export async function versionOf(context: Context, path: string, version: string): Promise<string | null> {
  const project = await findProject(context, path).catch((error) => {
    if (error instanceof NotFound) return null;
    throw error;
  });
  if (!project || !can(context.actor, 'read_repository', project)) return version;
  const repository = await context.repositories.open(project);
  if (!repository) return null;
  const isNamed = version !== '~latest' && (await resolveRevision(context, project, repository, version)) !== null;
  if (isNamed) return version;
  if (version !== '~latest' && !PARTIAL.test(version)) return null;
  const releases = await context.db.release.findMany({
    where: { projectId: project.id, releasedAt: { lte: new Date() } },
    orderBy: [{ releasedAt: 'desc' }, { id: 'desc' }],
    take: MAX_RELEASES,
    select: { tag: true },
  });
  const wanted = version === '~latest' ? [] : version.split('.').map(Number);
  const fitting = releases.flatMap(({ tag }) => {
    const numbers = RELEASED.exec(tag)?.slice(1).map(Number);
    return numbers && wanted.every((number, at) => numbers[at] === number) ? [{ tag, numbers }] : [];
  });
  fitting.sort((a, b) => compared(b.numbers, a.numbers));
  return fitting[0]?.tag ?? null;
}

function compared(left: readonly number[], right: readonly number[]): number {
  const at = left.findIndex((number, index) => number !== right[index]);
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

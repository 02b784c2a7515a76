import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from '#src/access/permissions/actor.ts';
import { ArchiveInvalid } from '#src/domain/project_archives/lines.ts';
import { isOwnRef } from '#src/domain/repository/merge_request_refs.ts';
import { overQuota } from '#src/domain/repository/quota.ts';
import { diskUse } from '#src/domain/repository/size.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import { programVersion } from '#src/git/program/detect.ts';
import type { Ref } from '#src/git/refs/read.ts';
import { settleRepository, takeBundle } from '#src/git/remote/bundle.ts';
import { makeDurableDirectories } from '#src/git/write/make_directories.ts';

const BRANCHES = 'refs/heads/';

/** A repository of an archive, as a draft in a storage. */
export interface Taken {
  draft: string;
  refs: readonly Ref[];
}

/** Makes a draft of a repository from a bundle, with the limits of pushes; null if the archive has none. */
export async function takeRepository(
  { repositories }: Context,
  place: RepositoryPlace,
  file: string,
  signal: AbortSignal,
): Promise<Taken | null> {
  if (!(await stat(file).catch(() => null))) return null;
  if ((await programVersion()) === null) {
    throw new ArchiveInvalid('This server has no git program of version 2.38 or later, which imports need.');
  }
  const { objectBytes, quotaBytes } = repositories.limits;
  const draft = `${repositories.directory(place)}.import-${randomBytes(8).toString('hex')}`;
  await makeDurableDirectories(path.dirname(draft));
  try {
    const refs = await takeBundle(file, draft, {
      packBytes: Number.POSITIVE_INFINITY,
      objectBytes,
      signal,
      isWanted: ({ name }) => /^refs\/(heads|tags)\//.test(name) || (!place.wiki && isOwnRef(name)),
    });
    if ((await diskUse(draft)) > quotaBytes)
      throw new ArchiveInvalid(`The archive is too large: ${overQuota(quotaBytes)}.`);
    await settleRepository(draft, place.wiki ? branchOf(null, refs) : null);
    return { draft, refs };
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: 3 });
    throw error;
  }
}

/** The branch that is wanted, else the most likely one; null without branches. */
export function branchOf(wanted: unknown, refs: readonly Ref[]): string | null {
  const branches = refs.flatMap(({ name }) =>
    name.startsWith(BRANCHES) && name.isWellFormed() ? [name.slice(BRANCHES.length)] : [],
  );
  return (
    [wanted, 'main', 'master'].find((name): name is string => branches.includes(name as string)) ?? branches[0] ?? null
  );
}

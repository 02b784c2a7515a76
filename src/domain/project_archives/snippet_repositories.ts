import { randomBytes } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from '#src/access/permissions/actor.ts';
import { ArchiveInvalid } from '#src/domain/project_archives/lines.ts';
import { SNIPPETS } from '#src/domain/project_archives/place.ts';
import { recordSideSize } from '#src/domain/repository/side_size.ts';
import { diskUse } from '#src/domain/repository/size.ts';
import { pickStorage } from '#src/domain/repository/storages.ts';
import { filesRefusal } from '#src/domain/snippets/remote.ts';
import { BRANCH, snippetPlace } from '#src/domain/snippets/repository.ts';
import { syncDirectory } from '#src/git/base/sync.ts';
import { Quarantine } from '#src/git/incoming/quarantine.ts';
import { programVersion } from '#src/git/program/detect.ts';
import { settleRepository, takeBundle } from '#src/git/remote/bundle.ts';
import { makeDurableDirectories } from '#src/git/write/make_directories.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** The repositories of the snippets of an archive, as drafts in a storage. */
export interface SnippetDrafts {
  storage: string;
  /** Directories by the IDs of the snippets in the archive. */
  drafts: Map<number, string>;
}

/** Makes drafts of the histories of snippets from the bundles of an archive, with the limits of pushes. Throws ArchiveInvalid. */
export async function takeSnippets(context: Context, directory: string, signal: AbortSignal): Promise<SnippetDrafts> {
  const taken: SnippetDrafts = { storage: await pickStorage(context), drafts: new Map() };
  const names = await readdir(path.join(directory, SNIPPETS));
  if (names.length > 0 && (await programVersion()) === null)
    throw new ArchiveInvalid('This server has no git program of version 2.38 or later, which imports need.');
  try {
    for (const name of names) {
      signal.throwIfAborted();
      const id = Number.parseInt(name, 10);
      taken.drafts.set(id, await takeSnippet(context, path.join(directory, SNIPPETS, name), { id, ...taken }, signal));
    }
    return taken;
  } catch (error) {
    await removeDrafts(taken);
    throw error;
  }
}

async function takeSnippet(
  { repositories }: Context,
  file: string,
  { id, storage }: { id: number; storage: string },
  signal: AbortSignal,
): Promise<string> {
  // The ID is that of another server: the place of a draft says nothing of what it is for.
  const place = snippetPlace(id, storage);
  const draft = `${repositories.directory(place)}.import-${randomBytes(8).toString('hex')}`;
  await makeDurableDirectories(path.dirname(draft));
  const { objectBytes } = repositories.limits;
  const isWanted = ({ name }: { name: string }) => name === `refs/heads/${BRANCH}`;
  try {
    const refs = await takeBundle(file, draft, { packBytes: place.quotaBytes, objectBytes, signal, isWanted });
    const [ref] = refs.filter(isWanted);
    if (!ref) throw new ArchiveInvalid(`The history of snippet ${id} of the archive has no branch ${BRANCH}.`);
    if ((await diskUse(draft)) > place.quotaBytes)
      throw new ArchiveInvalid(`The history of snippet ${id} has more than ${place.quotaBytes} bytes.`);
    const objects = await Quarantine.open(draft, signal);
    const refusal = await filesRefusal(ref.target, objects).finally(() => objects.discard());
    if (refusal !== null) throw new ArchiveInvalid(`The history of snippet ${id} is not accepted: ${refusal}.`);
    await settleRepository(draft, BRANCH);
    return draft;
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: 3 });
    throw error;
  }
}

/**
 * Moves the drafts to the snippets that were imported. The files of these are those of the records: what the history lacks of them becomes a
 * commit when it is next needed.
 *
 * @param idOf the ID here of a snippet of the archive; null for one that was left out
 */
export async function putSnippets(
  tx: Transaction,
  { repositories }: Context,
  { storage, drafts }: SnippetDrafts,
  idOf: (old: number) => number | null,
): Promise<void> {
  for (const [old, draft] of drafts) {
    const id = idOf(old);
    if (id === null) continue;
    const directory = repositories.directory(snippetPlace(id, storage));
    await makeDurableDirectories(path.dirname(directory));
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    await rename(draft, directory);
    await syncDirectory(path.dirname(directory));
    await tx.$executeRaw`UPDATE snippets SET repository_storage = ${storage}, repository_commit = NULL WHERE id = ${id}`;
    await recordSideSize(tx, { repositories }, snippetPlace(id, storage));
  }
}

export async function removeDrafts({ drafts }: SnippetDrafts): Promise<void> {
  for (const draft of drafts.values()) await rm(draft, { recursive: true, force: true, maxRetries: 3 });
}

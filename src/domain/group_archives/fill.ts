import { createReadStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from '#src/access/permissions/actor.ts';
import type { LeftOut } from '#src/domain/group_archives/import_request.ts';
import { AVATARS, WIKIS } from '#src/domain/group_archives/place.ts';
import { GroupTreeImport, type GroupTreeOptions } from '#src/domain/group_archives/tree.ts';
import { saveGroupAvatar } from '#src/domain/groups/avatar.ts';
import { takeRepository } from '#src/domain/project_archives/take_repository.ts';
import { recordSideSize } from '#src/domain/repository/side_size.ts';
import { pickStorage } from '#src/domain/repository/storages.ts';
import { syncDirectory } from '#src/git/base/sync.ts';
import { makeDurableDirectories } from '#src/git/write/make_directories.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { mayBeCommitted } from '#src/platform/database_unavailable.ts';
import { readPicture } from '#src/platform/pictures.ts';

/** What fills a group: the files of an archive of ours in a directory. */
export interface GroupFilling extends Pick<GroupTreeOptions, 'directory' | 'groupId' | 'signal' | 'unknownMember'> {
  /** The IDs, there, of the groups that have a wiki, and a picture. */
  wikis: readonly number[];
  avatars: readonly number[];
}

/** The repositories of the wikis of an archive, as drafts in a storage, by the IDs of their groups there. */
interface WikiDrafts {
  storage: string;
  drafts: Map<number, string>;
}

/**
 * Fills a group from the files of an archive, whole or not at all; does nothing where the group is gone. Throws ArchiveInvalid, errors of
 * the database, and the signal's reason.
 *
 * @param finish what is done at the end of the same transaction
 */
export async function fillGroup(
  context: Context,
  filling: GroupFilling,
  finish: (tx: Transaction, leftOut: readonly LeftOut[], tree: GroupTreeImport) => Promise<void>,
): Promise<void> {
  const { db, imports } = context;
  const { directory, signal } = filling;
  const wikis: WikiDrafts = { storage: await pickStorage(context), drafts: new Map() };
  const placed: string[] = [];
  try {
    for (const id of filling.wikis) {
      signal.throwIfAborted();
      const place = { id, repositoryStorage: wikis.storage, owner: 'group', wiki: true } as const;
      const taken = await takeRepository(context, place, path.join(directory, WIKIS, `${id}.bundle`), signal);
      if (taken) wikis.drafts.set(id, taken.draft);
    }
    await db.$transaction(
      async (tx) => {
        const tree = new GroupTreeImport({ ...filling, tx, context });
        const leftOut = await tree.run();
        if (leftOut === null) return;
        for (const id of filling.avatars) await putAvatar(tx, tree.idOf(id), path.join(directory, AVATARS, String(id)));
        await putWikis(tx, context, wikis, (old) => tree.idOf(old), placed);
        await finish(tx, leftOut, tree);
      },
      { timeout: imports.timeout, maxWait: 60_000 },
    );
  } catch (error) {
    // What was in place belongs to groups that there are not.
    for (const gone of mayBeCommitted(error) ? [] : placed) await remove(gone);
    throw error;
  } finally {
    for (const draft of wikis.drafts.values()) await remove(draft);
  }
}

async function putAvatar(tx: Transaction, groupId: number, file: string): Promise<void> {
  const { size } = await stat(file);
  await saveGroupAvatar(tx, groupId, await readPicture({ size, stream: () => createReadStream(file) }));
}

/** Moves the drafts to the groups that were imported. Adds the directories to `placed`. */
async function putWikis(
  tx: Transaction,
  { repositories }: Context,
  { storage, drafts }: WikiDrafts,
  idOf: (old: number) => number,
  placed: string[],
): Promise<void> {
  for (const [old, draft] of drafts) {
    const id = idOf(old);
    const place = { id, repositoryStorage: storage, owner: 'group', wiki: true } as const;
    const directory = repositories.directory(place);
    await makeDurableDirectories(path.dirname(directory));
    await remove(directory);
    placed.push(directory);
    await rename(draft, directory);
    await syncDirectory(path.dirname(directory));
    await repositories.forget(place);
    await tx.namespace.update({ where: { id }, data: { wikiStorage: storage } });
    await recordSideSize(tx, { repositories }, place);
  }
}

function remove(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

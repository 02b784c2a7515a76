import type { Context } from '#src/access/permissions/actor.ts';
import { listNotesOfCommitDiscussions } from '#src/domain/tracking/commits/discussions.ts';
import { listNotesOfDiscussions } from '#src/domain/tracking/notes/discussions.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { Selection } from '#src/platform/records/selection.ts';

/** A thread by its ID, which is that of a comment for those on commits. */
export interface ThreadId {
  id: number;
  isOnCommit: boolean;
}

/** The notes of each thread, oldest first, in a statement each for threads on commits and others. See listNotesOfDiscussions. */
export async function listNotesOfThreads<R>(
  context: Context,
  threads: readonly ThreadId[],
  page: PageRequest,
  selection: Selection<'Note', R>,
): Promise<Page<R>[]> {
  const listOf = async (isOnCommit: boolean) => {
    const ids = threads.filter((one) => one.isOnCommit === isOnCommit).map(({ id }) => id);
    const list = isOnCommit ? listNotesOfCommitDiscussions : listNotesOfDiscussions;
    const pages = ids.length > 0 ? await list(context, ids, page, selection) : [];
    return new Map(ids.map((id, index) => [id, pages[index]]));
  };
  const [others, onCommits] = [await listOf(false), await listOf(true)];
  return threads.flatMap(({ id, isOnCommit }) => (isOnCommit ? onCommits : others).get(id) ?? []);
}

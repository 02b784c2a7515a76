import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { type CommitInput, CommitSeries } from '#src/git/write/series.ts';

/** A commit and what it is to follow; null for the first one of a branch without history. */
export interface ActionsInput extends CommitInput {
  parent: Oid | null;
}

/** Writes one commit of file actions; no ref leads to it yet. Throws as CommitSeries. */
export async function commitActions(
  reader: RepositoryReader,
  { parent, ...input }: ActionsInput,
  keepLock?: PackKeepLock,
): Promise<Oid> {
  const series = new CommitSeries(reader, parent, keepLock);
  const oid = await series.add(input);
  await series.flush();
  return oid;
}

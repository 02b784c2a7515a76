import type { Oid } from '#src/git/model.ts';
import type { RepositoryReader } from '#src/git/reader.ts';
import type { Hold } from '#src/git/write/hold.ts';
import { type CommitInput, CommitSeries } from '#src/git/write/series.ts';

/** A commit and what it is to follow; null for the first one of a branch without history. */
export interface ActionsInput extends CommitInput {
  parent: Oid | null;
}

/** Writes one commit of file actions; no ref leads to it yet. Throws as CommitSeries. */
export async function commitActions(
  reader: RepositoryReader,
  { parent, ...input }: ActionsInput,
  hold?: Hold,
): Promise<Oid> {
  const series = new CommitSeries(reader, parent, hold);
  const oid = await series.add(input);
  await series.flush();
  return oid;
}

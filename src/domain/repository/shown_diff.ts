import { createHash } from 'node:crypto';
import { remembered } from '#src/domain/repository/remember.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { type DiffAttributes, diffAttributes } from '#src/git/diff/attributes.ts';
import type { Diff, DiffEntry } from '#src/git/diff/diff.ts';

/** A comparison, and the repository with its newer commit, which says what its files are like. */
export interface SourcedDiff extends Diff {
  source?: { repository: RepositoryReader; oid: Oid };
}

/** A file of a comparison, and what `.gitattributes` says of it in the newer commit; null if nothing. */
export interface ShownEntry extends DiffEntry {
  attributes?: () => Promise<DiffAttributes | null>;
}

/** All files of a comparison. Their attributes are read for all at once when those of the first are asked for. */
export function entriesOf({ entries, source }: SourcedDiff): ShownEntry[] {
  return source ? attributed(entries, source) : entries;
}

/** Files of a comparison, such as those of a page, as `entriesOf` has them. */
export function attributed(
  entries: readonly DiffEntry[],
  { repository, oid }: NonNullable<SourcedDiff['source']>,
): ShownEntry[] {
  const paths = entries.map(({ newPath }) => newPath);
  let read: Promise<Map<string, DiffAttributes>> | undefined;
  return entries.map((entry) => ({
    ...entry,
    attributes: async () => {
      read ??= readAttributes(repository, oid, paths);
      return (await read).get(entry.newPath) ?? null;
    },
  }));
}

/** Files of one page; those of more are not remembered. */
const MAX_REMEMBERED = 100;

function readAttributes(
  repository: RepositoryReader,
  oid: Oid,
  paths: readonly string[],
): Promise<Map<string, DiffAttributes>> {
  const read = () => diffAttributes(repository, oid, paths);
  if (paths.length > MAX_REMEMBERED) return read();
  const hash = createHash('sha256').update(paths.join('\0')).digest('base64');
  return remembered(repository, `attributes ${oid} ${hash}`, read);
}

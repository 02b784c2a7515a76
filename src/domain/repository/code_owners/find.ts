import { LRUCache } from 'lru-cache';
import { type CodeOwners, MAX_BYTES, parseCodeOwners } from '#src/domain/repository/code_owners/parse.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';

/** Where a file of code owners may be; the first that is there counts. */
const PLACES = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'];

/** A file of code owners of a commit. */
export interface CodeOwnersFile {
  path: string;
  oid: Oid;
}

/** The file of code owners of a commit; null without one. */
export async function codeOwnersFile(reader: RepositoryReader, commit: Oid): Promise<CodeOwnersFile | null> {
  for (const path of PLACES) {
    const entry = await reader.entry(commit, path);
    if (entry?.type === 'blob') return { path, oid: entry.oid };
  }
  return null;
}

/** Files that are kept as they were read, by their hashes. */
const known = new LRUCache<Oid, CodeOwners>({ max: 100 });

/** What a file of code owners says; null for one that is too large, which counts for nothing. */
export async function readCodeOwners(reader: RepositoryReader, { oid }: CodeOwnersFile): Promise<CodeOwners | null> {
  const found = known.get(oid);
  if (found) return found;
  const size = await reader.blobSize(oid);
  const content = size !== null && size <= MAX_BYTES ? await reader.blob(oid, MAX_BYTES) : null;
  if (!content) return null;
  const parsed = parseCodeOwners(content.toString('utf8'));
  known.set(oid, parsed);
  return parsed;
}

/** Whether a path is one where a file of code owners may be. */
export function isCodeOwnersPath(path: string): boolean {
  return PLACES.includes(path);
}

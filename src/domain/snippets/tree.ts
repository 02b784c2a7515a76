import { MAX_FILES, MAX_SNIPPET_BYTES, type SnippetText } from '#src/domain/snippets/files.ts';
import type { Oid, TreeEntry } from '#src/git/base/model.ts';
import { SYMLINK } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { Action } from '#src/git/write/actions.ts';

/** Entries of a tree that are looked at: files, and the directories above them. */
const MAX_ENTRIES = 2_000;

/** The files of a commit, at most as many as a snippet has: neither links nor submodules. */
export async function entriesAt(reader: RepositoryReader, commit: Oid): Promise<TreeEntry[]> {
  const page = await reader.treePage(commit, '', { recursive: true, offset: 0, limit: MAX_ENTRIES });
  const files = (page?.entries ?? []).filter(({ type, mode }) => type === 'blob' && mode !== SYMLINK);
  return files.slice(0, MAX_FILES);
}

/** The text of a file of a commit. */
export async function textAt(reader: RepositoryReader, oid: Oid): Promise<string> {
  return (await reader.blob(oid, MAX_SNIPPET_BYTES))?.toString().replaceAll('\0', '\uFFFD') ?? '';
}

/** The files of a commit with their texts, by name. */
export async function textsAt(reader: RepositoryReader, commit: Oid): Promise<SnippetText[]> {
  const entries = await entriesAt(reader, commit);
  return Promise.all(
    entries.map(async ({ path, oid }) => ({ name: path.toWellFormed(), content: await textAt(reader, oid) })),
  );
}

/** Files in the order in which a snippet has them: those that it had as before, new ones behind. */
export function arranged(before: readonly { name: string }[], found: readonly SnippetText[]): SnippetText[] {
  const place = new Map(before.map(({ name }, index) => [name, index]));
  const at = ({ name }: SnippetText) => place.get(name) ?? before.length;
  return found.toSorted((one, other) => at(one) - at(other));
}

/** What makes the files of a commit from those of another. */
export function changesBetween(before: readonly SnippetText[], after: readonly SnippetText[]): Action[] {
  const [were, are] = [before, after].map((files) => new Map(files.map(({ name, content }) => [name, content])));
  const gone = before.filter(({ name }) => !are?.has(name));
  const changed = after.filter(({ name, content }) => were?.get(name) !== content);
  return [
    ...gone.map(({ name }) => ({ action: 'delete' as const, path: name })),
    ...changed.map(({ name, content }) => ({
      action: were?.has(name) ? ('update' as const) : ('create' as const),
      path: name,
      content: Buffer.from(content),
    })),
  ];
}

import type { Context } from '#src/access/permissions/actor.ts';
import { plainText, type RawContent } from '#src/domain/repository/raw.ts';
import { readTexts } from '#src/domain/snippets/files.ts';
import { findSnippet } from '#src/domain/snippets/find.ts';
import { committedText, findCommittedFile, isLatest } from '#src/domain/snippets/history.ts';
import { NotFound } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/** A snippet that an operation found. */
export interface RawSnippet {
  snippetId: number;
  /** Null for the first file. */
  file?: { name: string; sha?: string | null } | null;
}

const TEXT = select('Snippet', { fileName: true, content: true });
const FILES = select('Snippet', { files: true });
const PLACED = TEXT.with(select('Snippet', { project: { fullPath: true } }));

/** The text of a snippet. Throws as findSnippet. */
export async function readRawSnippet(context: Context, { snippetId, file }: RawSnippet): Promise<RawContent> {
  if (file) return rawFile(context, snippetId, file.name, file.sha);
  const { fileName, content } = await findSnippet(context, snippetId, TEXT);
  return plainText(fileName, content);
}

/**
 * The text of a snippet by its place: the full path of its project, or null for a personal one. Throws NotFound if it is
 * elsewhere, and as findSnippet.
 */
export async function readSnippetAt(
  context: Context,
  place: string | null,
  snippetId: number,
  name?: string,
  ref?: string,
): Promise<RawContent> {
  const snippet = await findSnippet(context, snippetId, PLACED);
  if ((snippet.project?.fullPath.toLowerCase() ?? null) !== (place?.toLowerCase() ?? null))
    throw new NotFound('Snippet');
  if (name !== undefined) return rawFile(context, snippetId, name, ref);
  return plainText(snippet.fileName, snippet.content);
}

/** The text of one file of a snippet, as it is or was in a commit. Throws NotFound, and as findSnippet. */
async function rawFile(context: Context, snippetId: number, name: string, ref?: string | null): Promise<RawContent> {
  const { files } = await findSnippet(context, snippetId, FILES);
  if (ref != null && !isLatest(ref)) {
    const text = await committedText(context, await findCommittedFile(context, snippetId, ref, name));
    return plainText(name.slice(name.lastIndexOf('/') + 1), text);
  }
  const file = files.find((one) => one.name === name);
  if (!file) throw new NotFound('SnippetFile');
  const [text = ''] = await readTexts(context, [file]);
  return plainText(name.slice(name.lastIndexOf('/') + 1), text);
}

import type { Context } from '#src/access/permissions/actor.ts';
import { plainText, type RawContent } from '#src/domain/repository/raw.ts';
import { findSnippet } from '#src/domain/snippets/find.ts';
import { NotFound } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/** A snippet that an operation found. */
export interface RawSnippet {
  snippetId: number;
}

const TEXT = select('Snippet', { fileName: true, content: true });
const PLACED = TEXT.with(select('Snippet', { project: { fullPath: true } }));

/** The text of a snippet. Throws as findSnippet. */
export async function readRawSnippet(context: Context, { snippetId }: RawSnippet): Promise<RawContent> {
  const { fileName, content } = await findSnippet(context, snippetId, TEXT);
  return plainText(fileName, content);
}

/**
 * The text of a snippet by its place: the full path of its project, or null for a personal one. Throws NotFound if it is
 * elsewhere, and as findSnippet.
 */
export async function readSnippetAt(context: Context, place: string | null, snippetId: number): Promise<RawContent> {
  const snippet = await findSnippet(context, snippetId, PLACED);
  if ((snippet.project?.fullPath.toLowerCase() ?? null) !== (place?.toLowerCase() ?? null))
    throw new NotFound('Snippet');
  return plainText(snippet.fileName, snippet.content);
}

import { Readable } from 'node:stream';
import type { Context } from '#src/access/actor.ts';
import { select } from '#src/platform/records/selection.ts';
import type { RawContent } from '#src/repository/raw.ts';
import { findSnippet } from '#src/snippets/find.ts';

/** A snippet that an operation found. */
export interface RawSnippet {
  snippetId: number;
}

const TEXT = select('Snippet', { fileName: true, content: true });

/** The text of a snippet. Throws what findSnippet throws. */
export async function readRawSnippet(context: Context, { snippetId }: RawSnippet): Promise<RawContent> {
  const { fileName, content } = await findSnippet(context, snippetId, TEXT);
  const bytes = Buffer.from(content);
  const type = 'text/plain; charset=utf-8';
  return { stream: Readable.from([bytes], { objectMode: false }), size: bytes.length, type, fileName, etag: null };
}

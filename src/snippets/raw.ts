import { Readable } from 'node:stream';
import type { Context } from '#src/access/actor.ts';
import type { RawContent } from '#src/repository/raw.ts';
import { findSnippet, snippetContents } from '#src/snippets/list.ts';

/** A snippet that an operation found. */
export interface RawSnippet {
  snippetId: number;
}

/** The text of a snippet. Throws what findSnippet throws. */
export async function readRawSnippet(context: Context, { snippetId }: RawSnippet): Promise<RawContent> {
  const { id, fileName } = await findSnippet(context, snippetId);
  const [content = ''] = await snippetContents(context, [id]);
  const bytes = Buffer.from(content);
  const type = 'text/plain; charset=utf-8';
  return { stream: Readable.from([bytes], { objectMode: false }), size: bytes.length, type, fileName, etag: null };
}

import { type Paragraph, readParagraph } from '#src/domain/packages/archives/deb822.ts';
import type { StoredContent } from '#src/domain/packages/receive.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** Bytes of the largest `.dsc` and `.changes` file. */
const MAX_BYTES = 256 * 1024;

/** The paragraph of a `.dsc` or `.changes` file, which may be signed. Throws BadRequest. */
export async function readSourceControl(stored: StoredContent, what: string): Promise<Paragraph> {
  if (stored.size > MAX_BYTES) throw new BadRequest(`${what} is too large`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of stored.stream()) chunks.push(chunk);
  return readParagraph(Buffer.concat(chunks).toString('utf8'), what);
}

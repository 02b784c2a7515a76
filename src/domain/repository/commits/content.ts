import { buffer } from 'node:stream/consumers';
import type { Context } from '#src/access/permissions/actor.ts';
import { ContentTooLarge, ValidationFailed } from '#src/platform/errors.ts';
import type { IncomingFile } from '#src/platform/incoming_file.ts';

/** The content of a file as sent by a client: in the request itself, or as an uploaded file. */
export interface GivenContent {
  content?: string | null | undefined;
  /** The encoding of `content`; text by default. */
  encoding?: 'text' | 'base64' | null | undefined;
  contentFile?: IncomingFile | null | undefined;
}

/**
 * The given content, or the bytes of the file, whose size limit is that of a file sent as JSON. Throws ValidationFailed if both
 * are given, and ContentTooLarge.
 */
export async function readContent(
  { repositories: { maxInlineBytes } }: Pick<Context, 'repositories'>,
  { content, contentFile }: GivenContent,
): Promise<string | Buffer | null | undefined> {
  if (!contentFile) return content;
  if (content != null) throw new ValidationFailed({ content_file: ['cannot be given beside content'] });
  if (contentFile.size > maxInlineBytes) throw new ContentTooLarge(`files can be at most ${maxInlineBytes} bytes here`);
  return buffer(contentFile.stream());
}

/** Like readContent. Also throws ValidationFailed if neither is given. */
export async function requireContent(
  context: Pick<Context, 'repositories'>,
  given: GivenContent,
): Promise<string | Buffer> {
  const content = await readContent(context, given);
  if (content == null) throw new ValidationFailed({ content: ['is missing'] }, undefined, 'valuesMissing');
  return content;
}

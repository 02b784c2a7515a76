import type { RawAction } from '#src/domain/repository/commits/actions.ts';

/** Memory of an action besides its texts, in bytes: a commit may have very many tiny ones. */
const RECORD = 256;

/** The size of an action's content in the repository, in bytes. Slightly too high for Base64 with ignored characters. */
export function contentBytes({ content, encoding }: RawAction): number {
  if (Buffer.isBuffer(content)) return content.length;
  return encoding === 'base64' ? Math.floor(((content?.length ?? 0) * 3) / 4) : Buffer.byteLength(content ?? '');
}

/** The memory that an action holds until it is committed, in bytes: its texts as sent, and the decoded content. */
export function heldBytes(action: RawAction): number {
  const text = Buffer.isBuffer(action.content) ? null : action.content;
  const texts = textBytes(action.filePath) + textBytes(action.previousPath) + textBytes(text);
  return RECORD + texts + contentBytes(action);
}

/** The memory of a text, in bytes: one per character, or two if any of them is beyond Latin-1. */
export function textBytes(text: string | null | undefined): number {
  if (!text) return 0;
  return /[\u0100-\uffff]/.test(text) ? text.length * 2 : text.length;
}

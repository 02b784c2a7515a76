import type { RawAction } from '#src/commits/actions.ts';

/** What an action takes beside its texts, in bytes: a commit may have very many that are tiny. */
const RECORD = 256;

/** What the content of an action takes in the repository, in bytes; of Base64 with odd characters in it a little less. */
export function contentBytes({ content, encoding }: RawAction): number {
  return encoding === 'base64' ? Math.floor(((content?.length ?? 0) * 3) / 4) : Buffer.byteLength(content ?? '');
}

/** What an action keeps in memory until it is committed, in bytes: its texts as they came, and the content made of them. */
export function heldBytes(action: RawAction): number {
  const texts = textBytes(action.filePath) + textBytes(action.previousPath) + textBytes(action.content);
  return RECORD + texts + contentBytes(action);
}

/** What a text takes in memory, in bytes: one each character, or two if there is any beyond Latin-1 among them. */
export function textBytes(text: string | null | undefined): number {
  if (!text) return 0;
  return /[\u0100-\uffff]/.test(text) ? text.length * 2 : text.length;
}

import crypto from 'node:crypto';
import { ValidationFailed } from '#src/platform/errors.ts';

/** An uploaded file. */
export interface IncomingPicture {
  /** In bytes. */
  readonly size: number;
  stream(): AsyncIterable<Uint8Array>;
}

/** A stored image. */
export interface Picture {
  /** File name in its URL: the hash of its content, and an extension for its type. */
  key: string;
  /** Content type. */
  type: string;
  content: Uint8Array<ArrayBuffer>;
}

/** The largest image, in bytes. */
export const MAX_AVATAR_BYTES = 200 * 1024;
export const TOO_LARGE = `is too large (maximum is ${MAX_AVATAR_BYTES / 1024} KB)`;

/** Reads an image; its content determines the type, not its name. Throws ValidationFailed, for the field. */
export async function readPicture(file: IncomingPicture, field = 'avatar'): Promise<Picture> {
  if (file.size > MAX_AVATAR_BYTES) throw refusal(field, TOO_LARGE);
  const parts: Uint8Array[] = [];
  for await (const part of file.stream()) parts.push(part);
  const content = new Uint8Array(Buffer.concat(parts));
  const start = Buffer.from(content.subarray(0, 16)).toString('latin1');
  const found = KINDS.find(({ is }) => is(start));
  if (!found) throw refusal(field, 'must be a PNG, JPEG, GIF or WebP image');
  const hash = crypto.createHash('sha256').update(content).digest('hex').slice(0, 32);
  return { key: `${hash}.${found.ending}`, type: found.type, content };
}

/** Image types that browsers display without running code, by their signatures. */
const KINDS: { type: string; ending: string; is: (start: string) => boolean }[] = [
  { type: 'image/png', ending: 'png', is: (start) => start.startsWith('\x89PNG\r\n\x1a\n') },
  { type: 'image/jpeg', ending: 'jpg', is: (start) => start.startsWith('\xff\xd8\xff') },
  { type: 'image/gif', ending: 'gif', is: (start) => /^GIF8[79]a/.test(start) },
  { type: 'image/webp', ending: 'webp', is: (start) => start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP' },
];

function refusal(field: string, message: string): ValidationFailed {
  return new ValidationFailed({ [field]: [message] });
}

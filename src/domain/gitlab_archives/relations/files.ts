import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';

/** Opens a file to write to. Its errors are for whoever writes to it next, or waits for its end. */
export function openFile(place: string): WriteStream {
  return createWriteStream(place).on('error', () => undefined);
}

/** Writes to a file, and waits while it is behind. Throws its errors. */
export async function writeTo(file: WriteStream, content: string | Buffer): Promise<void> {
  if (file.errored) throw file.errored;
  if (!file.write(content)) await once(file, 'drain');
}

import { once } from 'node:events';
import type { Pack } from 'tar-stream';

/** Writes the content of an entry of a tar archive as fast as it is taken; ends when nobody takes it any more. */
export async function fillEntry(entry: ReturnType<Pack['entry']>, content: AsyncIterable<Uint8Array>): Promise<void> {
  const closed = once(entry, 'close');
  closed.catch(() => undefined);
  for await (const chunk of content) {
    if (!entry.write(chunk)) await Promise.race([once(entry, 'drain'), closed]);
    if (entry.destroyed) return;
  }
  entry.end(undefined);
  await closed;
}

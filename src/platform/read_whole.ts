import type { Readable } from 'node:stream';

/**
 * All that a stream holds. Whoever calls has a limit for it: this has none. It takes a fraction of what iterating takes for the
 * one chunk that most bodies of requests are.
 *
 * @throws what the stream fails with, also when it ends too early
 */
export function readWhole(stream: Readable): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
  stream.once('error', reject);
  stream.once('close', () => reject(new Error('The stream ended before all of it had come')));
  return promise;
}

import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Collected, openCollected } from '#src/entrances/runner/collect.ts';

/**
 * Writes files as one report: compressed one after another for `gzip`, and the first alone for `raw`. Returns how many bytes it has.
 *
 * @param directory of the files
 * @param target path of the report
 */
export async function writeReport(
  directory: string,
  files: readonly Collected[],
  format: 'gzip' | 'raw',
  target: string,
): Promise<number> {
  const written = format === 'raw' ? files.slice(0, 1) : files;
  for (const [index, { name }] of written.entries()) {
    const handle = await openCollected(directory, name);
    const output = createWriteStream(target, { flags: index === 0 ? 'w' : 'a', mode: 0o600 });
    const steps = [handle.createReadStream(), ...(format === 'gzip' ? [createGzip()] : []), output] as const;
    await pipeline([...steps]);
  }
  return (await stat(target)).size;
}

import { Readable } from 'node:stream';

/**
 * A stream of so many bytes at most: whoever reads more of it gets the error that `refusal` makes. The source itself stays open,
 * so that the client can be told.
 */
export function limited(source: Readable, most: number, refusal: () => Error): Readable {
  async function* counted(): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const chunk of source.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > most) throw refusal();
      yield chunk;
    }
  }
  return Readable.from(counted(), { objectMode: false });
}

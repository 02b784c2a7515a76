import { Readable } from 'node:stream';

/**
 * A stream of so many bytes at most: whoever reads more of it gets the error that `refusal` makes. It also fails as the source
 * does, and with ECONNRESET where that closes before its end. The source itself stays open, so that the client can be told.
 */
export function limited(source: Readable, most: number, refusal: () => Error): Readable {
  let size = 0;
  const copy = new Readable({
    read: () => void source.resume(),
    destroy(error, done) {
      source.off('data', take).off('end', end).off('error', fail).off('close', cut).pause();
      done(error);
    },
  });
  const take = (chunk: Buffer) => {
    size += chunk.length;
    if (size > most) fail(refusal());
    else if (!copy.push(chunk)) source.pause();
  };
  const end = () => copy.push(null);
  const fail = (error: Error) => copy.destroy(error);
  const cut = () => source.readableEnded || fail(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
  // Later source errors are ignored; a copy that fails before being read reports its error to the reader.
  for (const stream of [source, copy]) stream.on('error', () => undefined);
  if (source.readableEnded) end();
  else if (source.destroyed) cut();
  else source.on('data', take).on('end', end).on('error', fail).on('close', cut);
  return copy;
}

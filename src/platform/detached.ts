import { Readable } from 'node:stream';

/**
 * What a stream gives, as another one, whose end leaves the stream open: a request whose body is not read to its end can be
 * answered then. Fails as the stream does, and with ECONNRESET where that closes before its end.
 */
export function detached(source: Readable): Readable {
  const copy = new Readable({
    read: () => void source.resume(),
    destroy(error, done) {
      source.off('data', take).off('end', end).off('error', fail).off('close', cut).pause();
      done(error);
    },
  });
  const take = (chunk: Buffer) => copy.push(chunk) || source.pause();
  const end = () => copy.push(null);
  const fail = (error: Error) => copy.destroy(error);
  const cut = () => source.readableEnded || fail(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
  if (source.readableEnded) end();
  else if (source.destroyed) cut();
  else source.on('data', take).on('end', end).on('error', fail).on('close', cut);
  return copy;
}

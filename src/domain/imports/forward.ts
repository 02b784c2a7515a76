import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Headers, ImportFailed, type SourceRepository } from '#src/domain/imports/source.ts';

/** A local URL for a remote repository, known only to this process. */
export interface Forward {
  /** The URL for git, without the source's host or credentials. */
  url: string;
  /** The first error; null if there is none. */
  failure(): Error | null;
  close(): void;
}

export interface ForwardOptions {
  /** Maximum number of bytes from the source. */
  maxBytes: number;
  /** Called with an error, without waiting for git. */
  onFailure(error: Error): void;
}

/**
 * Proxies a source for the git program, which has no other network access: this is where connections and transferred sizes are
 * controlled. It forwards the two requests of a fetch or push and their responses, but never a redirect.
 */
export async function openForward(source: SourceRepository, { maxBytes, onFailure }: ForwardOptions): Promise<Forward> {
  const secret = `/${randomBytes(24).toString('hex')}`;
  let failure: Error | null = null;
  let received = 0;
  const fail = (error: Error) => {
    failure ??= error;
    onFailure(failure);
  };
  const count = () =>
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        received += chunk.length;
        if (received <= maxBytes) done(null, chunk);
        else done(new ImportFailed(`The repository is larger than the ${maxBytes} bytes that may be imported.`));
      },
    });
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const answer = await ask(source, request, secret);
      if (answer === null) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { 'Content-Type': answer.headers['content-type'] });
      await pipeline(answer, count(), response);
    } catch (error) {
      fail(error instanceof ImportFailed ? error : new ImportFailed('The source broke the connection off.'));
      response.destroy();
    }
  };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${secret}`,
    failure: () => failure,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Forwards git's request to the source; null if it is not part of a fetch or push. */
async function ask(
  source: SourceRepository,
  request: IncomingMessage,
  secret: string,
): Promise<IncomingMessage | null> {
  const called = `${request.method} ${request.url}`;
  if (called === `GET ${secret}/info/refs?service=${source.service}`) {
    return source.advertisement(handedOn(request, ['accept', 'git-protocol']));
  }
  if (called !== `POST ${secret}/${source.service}`) return null;
  const names = ['accept', 'git-protocol', 'content-type', 'content-encoding', 'content-length'];
  return source.answer(handedOn(request, names), request);
}

function handedOn({ headers }: IncomingMessage, names: readonly string[]): Headers {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

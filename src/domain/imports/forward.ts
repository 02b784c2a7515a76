import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Headers, ImportFailed, type SourceRepository } from '#src/domain/imports/source.ts';

/** A repository elsewhere, at an address of this machine that nobody else knows. */
export interface Forward {
  /** What git is given: no host, no credentials. */
  url: string;
  /** What went wrong first; null as long as nothing has. */
  failure(): Error | null;
  close(): void;
}

export interface ForwardOptions {
  /** How much may come from the source in all, in bytes. */
  maxBytes: number;
  /** Called with what went wrong: git has not to be waited for. */
  onFailure(error: Error): void;
}

/**
 * Serves a source to the git program, which reaches nothing else: who is connected to, and what may come of it, is decided
 * here. It hands on the two requests of a fetch and the answers to them, and never a redirect.
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

/** Asks the source what git asks; null for what is no fetch. */
async function ask(
  source: SourceRepository,
  request: IncomingMessage,
  secret: string,
): Promise<IncomingMessage | null> {
  const called = `${request.method} ${request.url}`;
  if (called === `GET ${secret}/info/refs?service=git-upload-pack`) {
    return source.advertisement(handedOn(request, ['accept', 'git-protocol']));
  }
  if (called !== `POST ${secret}/git-upload-pack`) return null;
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

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

/** How much of a body is still read after its response, in bytes and milliseconds. */
export interface Rest {
  bytes: number;
  milliseconds: number;
}

/**
 * Aborts requests whose body does not arrive within that many milliseconds, except on paths that may take longer. If the response
 * is sent before the whole body has arrived, only so much of the rest is read: the client sees the response, and then the
 * connection ends.
 */
export function bodyTimeout(
  milliseconds: number,
  mayTakeLonger: (path: string) => boolean,
  rest: Rest,
): RequestHandler {
  return (request, response, next) => {
    const size = bodySize(request);
    if (size > 0) {
      leaveUnread(request, response, size, rest);
      if (!mayTakeLonger(request.path)) {
        const timer = setTimeout(() => request.complete || request.destroy(), milliseconds);
        response.once('close', () => clearTimeout(timer));
      }
    }
    next();
  };
}

/** Bytes of the body; infinite if unknown. */
function bodySize({ headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY;
}

/** Milliseconds between checks of an unread body: Node emits no events for what it discards. */
const LOOK = 50;

function leaveUnread(request: IncomingMessage, response: ServerResponse, size: number, rest: Rest): void {
  const { socket } = request;
  const { writeHead } = response;
  const checked = (...head: unknown[]) => {
    // The connection may end before the rest arrives, so the client must not reuse it.
    if (!request.complete && size > rest.bytes) response.setHeader('Connection', 'close');
    return Reflect.apply(writeHead, response, head);
  };
  response.writeHead = checked;
  // Before Node's own listener, which would reset a connection that is to be closed: the client might never see the response.
  response.prependOnceListener('finish', () => {
    if (request.complete || socket.destroyed) return;
    const endSoon = () => socket.end();
    socket.destroySoon = endSoon;
    const most = socket.bytesRead + rest.bytes;
    const deadline = performance.now() + rest.milliseconds;
    const timer = setInterval(() => {
      const isOver = request.complete ? socket.writableFinished : socket.bytesRead > most;
      if (isOver || performance.now() > deadline) socket.destroy();
      if (!socket.destroyed && (!request.complete || socket.writableEnded)) return;
      clearInterval(timer);
      Reflect.deleteProperty(socket, 'destroySoon');
    }, LOOK).unref();
    request.resume();
  });
}

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHandler } from 'express';

/** What is still taken of a body behind its answer, in bytes and milliseconds. */
export interface Rest {
  bytes: number;
  milliseconds: number;
}

/**
 * Breaks off requests whose body does not arrive within that many milliseconds, unless a path may take longer. Of a body that
 * is answered before all of it has come only so much of the rest is taken: the client sees the answer, then the connection ends.
 */
export function bodyArrival(
  milliseconds: number,
  mayTakeLonger: (path: string) => boolean,
  rest: Rest,
): RequestHandler {
  return (request, response, next) => {
    const { headers, socket } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (hasBody) {
      response.once('finish', () => endUnread(request, socket, rest));
      if (!mayTakeLonger(request.path)) {
        const timer = setTimeout(() => request.complete || request.destroy(), milliseconds);
        response.once('close', () => clearTimeout(timer));
      }
    }
    next();
  };
}

/** How often is looked at a body that nobody reads, in milliseconds: Node does not tell of what it throws away. */
const LOOK = 50;

function endUnread(request: IncomingMessage, socket: Socket, { bytes, milliseconds }: Rest): void {
  if (request.complete || socket.destroyed) return;
  const most = socket.bytesRead + bytes;
  const deadline = performance.now() + milliseconds;
  const timer = setInterval(() => {
    if (socket.bytesRead > most || performance.now() > deadline) socket.destroy();
    if (request.complete || socket.destroyed) clearInterval(timer);
  }, LOOK).unref();
  request.resume();
}

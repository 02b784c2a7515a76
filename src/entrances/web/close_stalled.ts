import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

/**
 * Aborts responses of which the client reads nothing for that many milliseconds, at most twice as many: they would hold memory,
 * or a running program, for as long as the client likes.
 */
export function closeStalled(milliseconds: number): RequestHandler {
  /** How much of each running response the client had read at the last check. */
  const answers = new Map<ServerResponse, number>();
  setInterval(() => look(answers), milliseconds).unref();
  return (_request, response, next) => {
    answers.set(response, -1);
    response.once('close', () => answers.delete(response));
    next();
  };
}

function look(answers: Map<ServerResponse, number>): void {
  for (const [response, before] of answers) {
    const { socket } = response;
    if (socket === null) continue;
    const waits = response.writableLength + socket.writableLength > 0;
    const taken = socket.bytesWritten - socket.writableLength;
    if (waits && taken === before) response.destroy();
    else answers.set(response, waits ? taken : -1);
  }
}

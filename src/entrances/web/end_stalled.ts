import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

/**
 * Cuts answers of which the client has taken nothing for some milliseconds, at least that and at most twice as many: they
 * would fill the memory, or keep a program running, for as long as the client likes.
 */
export function endStalled(milliseconds: number): RequestHandler {
  /** How much of each answer that is under way the client had taken at the last look. */
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

import type { IncomingMessage } from 'node:http';

/**
 * Aborts a request whose body takes longer than `total` milliseconds, or of which nothing arrives for `silence` milliseconds, at
 * most twice as many.
 */
export function endSilentBody(request: IncomingMessage, { total, silence }: { total: number; silence: number }): void {
  const { socket } = request;
  const deadline = performance.now() + total;
  let before = -1;
  const timer = setInterval(() => {
    if (request.complete || request.destroyed) return clearInterval(timer);
    const isSilent = socket.bytesRead === before && !request.isPaused();
    before = socket.bytesRead;
    if (isSilent || performance.now() > deadline) request.destroy();
  }, silence).unref();
  request.once('close', () => clearInterval(timer));
}

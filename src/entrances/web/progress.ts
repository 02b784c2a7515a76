import type { IncomingMessage, ServerResponse } from 'node:http';

/** What a client has to do for its request to go on. */
export interface ProgressLimits {
  /** Milliseconds in which the body has to begin. */
  firstByte: number;
  /** Milliseconds in which each next `bytes` of the body have to come, and of the answer have to be taken. */
  window: number;
  bytes: number;
}

/**
 * Watches a request until the function that is returned is called: `onStill` is told once when the client neither goes on
 * with the body that is waited for nor takes the answer that waits for it. While the server itself has to work, nothing is
 * demanded.
 */
export function watchProgress(
  request: IncomingMessage,
  response: ServerResponse,
  { firstByte, window, bytes }: ProgressLimits,
  onStill: (reason: string) => void,
): () => void {
  const { socket } = request;
  const begun = { read: socket.bytesRead, sent: sentOf(response) };
  const hasBegun = () =>
    request.complete || request.readableLength > 0 || socket.bytesRead > begun.read || request.readableDidRead;
  const first = setTimeout(() => {
    if (!hasBegun()) onStill(`The content of the request has to begin within ${firstByte / 1000} s.`);
  }, firstByte);
  let last = begun;
  const next = setInterval(() => {
    const now = { read: socket.bytesRead, sent: sentOf(response) };
    // What has arrived and nobody reads yet waits for the server, and not for the client.
    const awaitsBody = !request.complete && request.readableLength < request.readableHighWaterMark;
    const awaitsClient = response.writableLength > 0 || socket.writableLength > 0;
    const demand = `The client has to send and take ${bytes} bytes within ${window / 1000} s.`;
    if (awaitsClient ? now.sent - last.sent < bytes : awaitsBody && now.read - last.read < bytes) onStill(demand);
    last = now;
  }, window);
  return () => {
    clearTimeout(first);
    clearInterval(next);
  };
}

/** How many bytes the system has taken for the client. */
function sentOf({ socket }: ServerResponse): number {
  return socket === null ? 0 : socket.bytesWritten - socket.writableLength;
}

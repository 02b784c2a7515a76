import type { IncomingMessage, ServerResponse } from 'node:http';

/** How fast a client must proceed. */
export interface ProgressLimits {
  /** Milliseconds within which the body must begin. */
  firstByte: number;
  /** Milliseconds within which each further `bytes` of the body must arrive, and of the response must be read. */
  window: number;
  bytes: number;
}

/**
 * Watches a request until the returned function is called: calls `onStill` once if the client neither continues the body nor
 * reads the response. Does not count time in which the server itself is working.
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
    // What has arrived unread waits for the server, not for the client.
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

/** How many bytes the system has accepted for the client. */
function sentOf({ socket }: ServerResponse): number {
  return socket === null ? 0 : socket.bytesWritten - socket.writableLength;
}

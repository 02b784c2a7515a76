import type { IncomingMessage, RequestListener } from 'node:http';

/**
 * Whether a request comes from this machine and not from a page of another site: judged by its `Host` and, if present, its
 * `Origin`. This keeps pages elsewhere from using the known tokens of a local server.
 */
export function isLocal({ headers }: IncomingMessage): boolean {
  if (!isLoopback(hostOf(`http://${headers.host ?? ''}`))) return false;
  return headers.origin === undefined || isLoopback(hostOf(headers.origin));
}

/** Rejects all other requests. */
export function localOnly(handler: RequestListener): RequestListener {
  return (request, response) => {
    if (isLocal(request)) return handler(request, response);
    const error =
      'The tokens of this server are publicly known, so it only answers programs and pages on its own machine';
    // The rest of its body is not read.
    response.writeHead(403, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify({ error }));
  };
}

/** Throws Error if others could reach a server with documented tokens. */
export function requireLoopback(host: string): void {
  if (isLoopback(host)) return;
  throw new Error(
    `HOST is ${host}: whoever reaches the server could sign in with the known passwords and tokens of the sample data. ` +
      'Set HOST to 127.0.0.1, or add --expose-known-tokens in a container or network of your own.',
  );
}

/** Whether a host name or address is a loopback one, in any notation. */
export function isLoopback(host: string): boolean {
  const plain = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (plain === 'localhost' || plain.endsWith('.localhost') || plain === '::1') return true;
  return /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(plain);
}

/** Empty if there is none. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}

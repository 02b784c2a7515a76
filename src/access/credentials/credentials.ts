import type { IncomingHttpHeaders } from 'node:http';
import type { Credentials } from '#src/access/credentials/authenticate.ts';

/** The credentials that a request carries in its parameters and headers; parameters win (behaviour.md 4.1). */
export function readCredentials(headers: IncomingHttpHeaders, parameters: Record<string, unknown> = {}): Credentials {
  const bearer = /^bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  return {
    privateToken: text(parameters.private_token) ?? text(headers['private-token']),
    bearer: text(parameters.access_token) ?? bearer ?? text(parameters.bearer_token),
    sudo: text(parameters.sudo) ?? text(headers.sudo),
  };
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

import type { IncomingHttpHeaders } from 'node:http';
import type { Credentials } from '#src/access/credentials/authenticate.ts';
import { isDeployToken } from '#src/access/credentials/tokens/deploy_token.ts';
import { isJobToken } from '#src/access/credentials/tokens/runner_tokens.ts';

/** The credentials that a request carries in its parameters and headers; parameters win (behaviour.md 4.1). */
export function readCredentials(headers: IncomingHttpHeaders, parameters: Record<string, unknown> = {}): Credentials {
  const bearer = /^bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  return {
    privateToken: text(parameters.private_token) ?? text(headers['private-token']),
    bearer: text(parameters.access_token) ?? bearer ?? text(parameters.bearer_token),
    sudo: text(parameters.sudo) ?? text(headers.sudo),
  };
}

/**
 * The token of a job that a request carries in its parameters and headers; undefined without one. Only some routes accept it
 * (code-and-ci.md R4).
 *
 * @param password of Basic authentication, where that is accepted
 */
export function readJobToken(
  headers: IncomingHttpHeaders,
  parameters: Record<string, unknown> = {},
  password?: string,
): string | undefined {
  const { bearer } = readCredentials(headers);
  const token = [bearer, password].find((value) => value !== undefined && isJobToken(value));
  return text(parameters.job_token) ?? text(headers['job-token']) ?? token;
}

/** The deploy token that a request carries in its headers, and the user name that came with it; undefined without one. Only some routes accept it. */
export function readDeployToken(headers: IncomingHttpHeaders): { token: string; username?: string } | undefined {
  const header = text(headers['deploy-token']);
  if (header !== undefined) return { token: header };
  const basic = readBasic(headers.authorization);
  if (basic && isDeployToken(basic.password)) return { token: basic.password, username: basic.username };
  const { bearer } = readCredentials(headers);
  return bearer !== undefined && isDeployToken(bearer) ? { token: bearer } : undefined;
}

/** The credentials of Basic authentication; null without any. */
export function readBasic(header: string | undefined): { username: string; password: string } | null {
  const encoded = /^basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return null;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const mark = decoded.indexOf(':');
  return mark < 0
    ? { username: decoded, password: '' }
    : { username: decoded.slice(0, mark), password: decoded.slice(mark + 1) };
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

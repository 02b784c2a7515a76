import pino from 'pino';
import type { LogLevel } from '../config/values.ts';

export type Logger = pino.Logger;

const secretHeaders = [
  'authorization',
  'proxy-authorization',
  'private-token',
  'job-token',
  'cookie',
  'set-cookie',
  'sudo',
];
const secretFields = ['password', 'private_token', 'access_token', 'refresh_token', 'token', 'secret', 'client_secret'];

/** Query parameters whose values never reach a log. */
const secretParameters = /token|password|secret|signature|^variables\[|^(?:code|code_verifier|state|sudo|value)$/i;

/** Where all parameters are credentials, whatever they are called and separated by. */
const isForCredentials = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?\/oauth\/(?:token|revoke|introspect)\/?\?/i;

/** A parameter of a query: what comes before it, its name and its value. */
const parameters = /([?&;])([^=&;#?]*)=([^&;#]*)/g;

/** URLs as values of a query, which may hold credentials with any character. */
const secretUrls = /([?&;]import_url=)[^&]*/gi;

/** Creates the logger: JSON, one object a line, on the standard output by default, without known secrets. */
export function createLogger(level: LogLevel, to?: pino.DestinationStream): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: redactedPaths(), censor: '[redacted]' },
  };
  return to ? pino(options, to) : pino(options);
}

/** The URL (path and query, or absolute) with the values of secret parameters and credentials replaced. */
export function redactUrl(url: string): string {
  const queried = isForCredentials.test(url)
    ? `${url.slice(0, url.indexOf('?'))}?[redacted]`
    : url.includes('?') || url.includes(';')
      ? withoutSecretValues(decodeNames(url).replace(secretUrls, '$1[redacted]'))
      : url;
  return queried.includes('@') ? queried.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@?#]*@/i, '$1') : queried;
}

function withoutSecretValues(url: string): string {
  return url.replace(parameters, (whole, separator: string, name: string) =>
    secretParameters.test(name) ? `${separator}${name}=[redacted]` : whole,
  );
}

function redactedPaths(): string[] {
  const headers = secretHeaders.flatMap((name) => [
    `headers["${name}"]`,
    `req.headers["${name}"]`,
    `res.headers["${name}"]`,
  ]);
  const fields = secretFields.flatMap((name) => [name, `*.${name}`]);
  return [...headers, ...fields];
}

/** Percent-encoded parameter names would slip past the pattern: `private%5Ftoken=…` means `private_token=…`. */
function decodeNames(url: string): string {
  if (!url.includes('%')) return url;
  return url.replace(/([?&;])([^=&;#?]+)(?==)/g, (whole, separator: string, name: string) => {
    try {
      return separator + decodeURIComponent(name).replace(/[\s?&;#=]/g, '_');
    } catch {
      return whole;
    }
  });
}

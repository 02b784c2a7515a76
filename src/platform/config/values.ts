import { isIP } from 'node:net';
import path from 'node:path';
import { withoutTrailingSlashes } from '#src/base/text.ts';
import { hostUrls } from '#src/platform/config/host_urls.ts';

// What the texts of settings mean. Each of these throws an Error that says what is wrong with a text.

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type LogLevel = (typeof logLevels)[number];

export function parseHost(text: string): string {
  if (isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)) return text;
  throw new Error(`"${text}" is neither an IP address nor a host name`);
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new Error(`"${text}" is not a port number between 0 and 65535`);
}

export function parsePath(text: string): string {
  if (!text.includes('\0')) return text;
  throw new Error('a path cannot hold a NUL character');
}

/** One host or several, separated by commas. Does not repeat the value in its message: it may hold a password. */
export function parseDatabaseUrl(text: string): string {
  const urls = hostUrls(text).map((one) => (URL.canParse(one) ? new URL(one) : undefined));
  const known = urls.every((url) => url?.protocol === 'postgresql:' || url?.protocol === 'postgres:');
  const named = urls.length === 1 || urls.every((url) => url?.hostname !== '');
  if (known && named) return text;
  throw new Error('not a URL of the form postgresql://user:password@host:5432/database');
}

export function parseSwitch(text: string): boolean {
  if (/^(true|yes|on)$/i.test(text)) return true;
  if (/^(false|no|off)$/i.test(text)) return false;
  throw new Error(`"${text}" is neither on nor off`);
}

export function parseExternalUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error(`"${text}" is not a URL that begins with http:// or https://`);
  }
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new Error('must not hold a query, a fragment or credentials');
  }
  return withoutTrailingSlashes(url.href);
}

/** Does not repeat the value in its message: it may hold a password. */
export function parseSmtpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== '') return text;
  throw new Error('not a URL of the form smtp://user:password@host:587 or smtps://user:password@host');
}

/** Characters of the part before the `@` of an address (RFC 5321, 4.5.3.1.1), and those that a key takes of them. */
const MAX_LOCAL_LENGTH = 64;
const MAX_KEY_LENGTH = 50;

/** An address that has `%{key}` once, before the `@`. */
export function parseMailInAddress(text: string): string {
  const found = /^([^\s<>@,;]*)%\{key\}([^\s<>@,;]*)@[^\s<>@,;%]+$/.exec(text);
  const [, before = '', after = ''] = found ?? [];
  if (!found || `${before} ${after}`.includes('%{key}')) {
    throw new Error(`"${text}" is not of the form incoming+%{key}@example.com`);
  }
  if (before.length + after.length + MAX_KEY_LENGTH <= MAX_LOCAL_LENGTH) return text;
  throw new Error(`there can be at most ${MAX_LOCAL_LENGTH - MAX_KEY_LENGTH} characters beside %{key} before the @`);
}

/** Does not repeat the value in its message: it may hold a password. */
export function parseImapUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe =
    url?.protocol === 'imaps:' ||
    (url?.protocol === 'imap:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname));
  if (url && isSafe && url.hostname !== '' && url.username !== '' && url.password !== '') return text;
  throw new Error('not a URL of the form imaps://user:password@host:993/mailbox');
}

export function parseSender(text: string): string {
  if (/^([^<>@\p{Cc}]+ )?<[^\s<>@]+@[^\s<>@]+>$/u.test(text) || /^[^\s<>@]+@[^\s<>@]+$/.test(text)) return text;
  throw new Error(`"${text}" is neither an e-mail address nor of the form Name <address>`);
}

export function atLeast(length: number): (text: string) => string {
  return (text) => {
    if (text.length >= length) return text;
    throw new Error(`is too short: it needs at least ${length} characters`);
  };
}

export function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Error(`"${text}" is not a number from 1 to 999999999`);
}

/** Seconds, as milliseconds. */
export function parseSeconds(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text) * 1000;
  throw new Error(`"${text}" is not a number of seconds from 1 to 99999`);
}

/** Seconds, perhaps none, as milliseconds. */
export function parseDelay(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text) * 1000;
  throw new Error(`"${text}" is not a number of seconds from 0 to 99999`);
}

/** Bytes, perhaps none. */
export function parseFreeBytes(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Error(`"${text}" is not a number of bytes from 0 to 999999999999999`);
}

/** Milliseconds, of which 0 means never. */
export function parseMilliseconds(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new Error(`"${text}" is not a number of milliseconds from 0 to 9999999`);
}

/** In Base64 more would not fit into one string. */
export const MAX_INLINE_BYTES = 256 * 1024 * 1024;

export function atMost(maximum: number): (text: string) => number {
  return (text) => {
    if (/^[1-9]\d{0,15}$/.test(text) && Number(text) <= maximum) return Number(text);
    throw new Error(`"${text}" is not a number of bytes from 1 to ${maximum}`);
  };
}

/** `default=/path,fast=/other`: each storage has a directory of its own; `usual` is that of `default`, which is always there. */
export function parseStorages(text: string, cwd: string, usual: string): Record<string, string> {
  const storages: Record<string, string> = {};
  for (const part of text.split(',').map((storage) => storage.trim())) {
    const [, name = '', directory = ''] = /^([A-Za-z0-9][A-Za-z0-9_-]*)\s*=\s*([^\0]+)$/.exec(part) ?? [];
    if (name === '') throw new Error(`"${part}" is not of the form name=/path`);
    if (Object.hasOwn(storages, name)) throw new Error(`the storage "${name}" is named twice`);
    storages[name] = path.resolve(cwd, directory);
  }
  const all = { default: usual, ...storages };
  const [twice] = Object.values(all).filter((directory, at, directories) => directories.indexOf(directory) < at);
  if (twice !== undefined) throw new Error(`two storages are in ${twice}`);
  return all;
}

/** Host names or addresses, each perhaps with a port: `git.example.com,10.0.0.5:3000,[fd00::1]:80`. */
export function parseHosts(text: string): string[] {
  return text.split(',').map((part) => {
    const host = part.trim();
    const url = URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`) : undefined;
    if (!url || !/^(\[[0-9a-f:.]+\]|[^\s/?#@:*[\]\\]+)(:\d+)?$/i.test(host)) {
      throw new Error(`"${host}" is not a host name, alone or with a port`);
    }
    const port = /:(\d+)$/.exec(host.replace(/^\[[^\]]*\]/, ''))?.[1];
    return `${url.hostname.replace(/\.$/, '')}${port === undefined ? '' : `:${Number(port)}`}`;
  });
}

/** Names of queues separated by commas; `none` for a process that only leaves jobs for others. */
export function parseQueues(text: string): string[] {
  if (text.trim().toLowerCase() === 'none') return [];
  const names = text.split(',').map((name) => name.trim());
  const odd = names.find((name) => !/^[a-z_.]+$/.test(name));
  if (odd !== undefined) throw new Error(`"${odd}" is not the name of a queue`);
  return names;
}

/** Without what is not set. */
export function present<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

export function parseToken(text: string): string {
  if (/^[A-Za-z0-9_.-]{20,255}$/.test(text)) return text;
  throw new Error('must have 20 to 255 characters out of letters, digits, "_", "-" and "."');
}

export function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text.toLowerCase());
  if (level !== undefined) return level;
  throw new Error(`"${text}" is not one of ${logLevels.join(', ')}`);
}

/** `true`, `false`, a number of proxies, or addresses and networks separated by commas. */
export function parseTrustProxy(text: string): boolean | number | string {
  if (/^(true|yes|on)$/i.test(text)) return true;
  if (/^(false|no|off)$/i.test(text)) return false;
  if (/^\d{1,3}$/.test(text)) return Number(text);
  const parts = text.split(',').map((part) => part.trim());
  for (const part of parts) {
    if (!isTrustedRange(part)) {
      throw new Error(
        `"${part}" is not true, false, a number of proxies, an address, a network, or loopback, linklocal, uniquelocal`,
      );
    }
  }
  return parts.join(', ');
}

/** Addresses and networks separated by commas: `127.0.0.1,10.0.0.0/8,fd00::/8`. */
export function parseNetworks(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim());
  const odd = parts.find((part) => !isNetwork(part));
  if (odd !== undefined) throw new Error(`"${odd}" is neither an address nor a network`);
  return parts;
}

function isTrustedRange(part: string): boolean {
  return ['loopback', 'linklocal', 'uniquelocal'].includes(part) || isNetwork(part);
}

/** An IP address, perhaps with the bits of a network behind it. */
function isNetwork(part: string): boolean {
  const [address = '', bits, ...rest] = part.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { parseEnv } from 'node:util';
import type { BudgetLimits } from './budget.ts';
import { hostUrls } from './database/client.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type LogLevel = (typeof logLevels)[number];

/** The settings, parsed and checked. */
export interface Config {
  /** Address to listen on. */
  host: string;
  /** Port to listen on; 0 takes a free one. */
  port: number;
  /** Absolute path of the data directory. */
  dataDir: string;
  /** Connection URL of an own PostgreSQL; without it the embedded one is used. */
  databaseUrl?: string;
  /** As databaseUrl, where that leads to a pooler which lends sessions by the transaction: the database itself. */
  databaseDirectUrl?: string;
  /** Whether statements are prepared once for each connection. */
  preparedStatements: boolean;
  /** Base URL under which users reach the server, without a trailing slash; without it each request's own. */
  externalUrl?: string;
  /** Key for signing and encrypting, at least 32 characters; without it one is kept in the data directory. */
  secret?: string;
  /** Password of the first administrator, at the first start only. */
  rootPassword?: string;
  /** Private token of the first administrator, at the first start only. */
  rootToken?: string;
  logLevel: LogLevel;
  /** Value for express' `trust proxy`. */
  trustProxy: boolean | number | string;
  /** By what mail is sent; none is without it. */
  mail?: MailConfig | undefined;
  /** What one request to /graphql may ask for; what is absent has its default. */
  graphqlLimits: Partial<Record<'depth' | 'cost' | 'aliases' | 'batch' | 'tokens' | 'spreads' | 'bytes', number>>;
  /** What one operation may use, REST or GraphQL; what is absent has its default. */
  budget: Partial<BudgetLimits>;
  /** Absolute path of each storage of repositories by its name; `default` is always one of them. */
  storages: Readonly<Record<string, string>>;
  /** Where uploaded files are kept. */
  uploads: { directory: string } | S3Settings;
  /** The largest content that is given within an answer, in bytes; a default when absent. */
  maxInlineBytes?: number;
  /** Limits of repositories, in bytes; what is absent has its default (src/repository/limits.ts). */
  repositoryLimits: {
    objectBytes?: number;
    pushBytes?: number;
    unzippedBytes?: number;
    archiveBytes?: number;
    quotaBytes?: number;
  };
  /** Milliseconds between SIGTERM and the end of listening; a default when absent. */
  drain?: number | undefined;
  /** Milliseconds that clones and pushes have to come to their end after that; a default when absent. */
  gitGrace?: number | undefined;
  /** Bytes that have to be free where data is kept for the server to call itself ready; a default when absent. */
  minFreeBytes?: number | undefined;
  /** How many requests of git clients are served at once; a default when absent. */
  gitRequests?: number | undefined;
  /** What projects may be imported from although its address is not public: host names, or host and port. */
  importHosts: readonly string[];
  /** The queues of background jobs that this process works on; all when absent. */
  queues?: readonly string[] | undefined;
  /** How many jobs it works on at once; a default when absent. */
  concurrency?: number | undefined;
  /** How much one import may take from its source, in bytes; a default when absent. */
  importMaxBytes?: number;
  /** Addresses and networks that read the metrics without a credential. */
  metricsAddresses: readonly string[];
  /** Port at which `gantry work` shows its metrics; at none when absent. */
  metricsPort?: number | undefined;
  /** Milliseconds from which on statements and operations are logged as slow; 0 is never, and what is absent has its default. */
  slow: { statement?: number; operation?: number };
}

/** A bucket of an S3-compatible store. */
export interface S3Settings {
  bucket: string;
  /** What all keys begin with: empty, or ending in a slash. */
  prefix: string;
  /** URL of a store of other makers. */
  endpoint?: string;
  region: string;
  /** Without them the SDK looks where it always does: roles of the machine, profiles. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

/** How mail is sent. */
export interface MailConfig {
  /** Of the mail server: smtp:// or smtps://, with credentials where it wants them. */
  url: string;
  /** Sender of all mail, as `address` or `Name <address>`. */
  from: string;
}

/** One or more settings are wrong; each line of the message names one and says why. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: string[]) {
    super(`Wrong settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/**
 * Reads the settings from the environment and from a file `.env` in the working directory; the environment wins.
 * Empty values count as unset.
 *
 * @throws ConfigError naming every wrong setting at once
 */
export function loadConfig(env: NodeJS.ProcessEnv, cwd: string): Config {
  const problems: string[] = [];
  const values: NodeJS.ProcessEnv = { ...readEnvFile(path.join(cwd, '.env'), problems), ...env };

  function setting<Value>(name: string, parse: (text: string) => Value): Value | undefined {
    const text = values[name]?.trim();
    if (text === undefined || text === '') return undefined;
    try {
      return parse(text);
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
      return undefined;
    }
  }

  const dataDir = path.resolve(cwd, setting('GANTRY_DATA', parsePath) ?? 'data');
  const s3: Omit<S3Settings, 'bucket' | 'prefix'> = {
    region: setting('AWS_REGION', String) ?? 'us-east-1',
    ...present({
      endpoint: setting('AWS_ENDPOINT_URL_S3', parseExternalUrl) ?? setting('AWS_ENDPOINT_URL', parseExternalUrl),
      credentials: s3Credentials(
        setting('AWS_ACCESS_KEY_ID', String),
        setting('AWS_SECRET_ACCESS_KEY', String),
        setting('AWS_SESSION_TOKEN', String),
        problems,
      ),
    }),
  };
  const database = databaseConfig(
    setting('DATABASE_URL', parseDatabaseUrl),
    setting('DATABASE_DIRECT_URL', parseDatabaseUrl),
    problems,
  );
  const usual = path.join(dataDir, 'repositories');
  const uploads = setting('GANTRY_UPLOADS', (text) => parseUploads(text, cwd, s3));
  const config: Config = {
    host: setting('HOST', parseHost) ?? '127.0.0.1',
    port: setting('PORT', parsePort) ?? 8080,
    dataDir,
    ...database,
    preparedStatements: setting('DATABASE_PREPARED_STATEMENTS', parseSwitch) ?? true,
    externalUrl: setting('GANTRY_URL', parseExternalUrl),
    secret: setting('GANTRY_SECRET', atLeast(32)),
    rootPassword: setting('GANTRY_ROOT_PASSWORD', atLeast(8)),
    rootToken: setting('GANTRY_ROOT_TOKEN', parseToken),
    logLevel: setting('LOG_LEVEL', parseLogLevel) ?? 'info',
    trustProxy: setting('TRUST_PROXY', parseTrustProxy) ?? false,
    mail: mailConfig(setting('SMTP_URL', parseSmtpUrl), setting('MAIL_FROM', parseSender), problems),
    graphqlLimits: present({
      depth: setting('GRAPHQL_MAX_DEPTH', parseCount),
      cost: setting('GRAPHQL_MAX_COST', parseCount),
      aliases: setting('GRAPHQL_MAX_ALIASES', parseCount),
      batch: setting('GRAPHQL_MAX_BATCH', parseCount),
      tokens: setting('GRAPHQL_MAX_TOKENS', parseCount),
      spreads: setting('GRAPHQL_MAX_SPREADS', parseCount),
      bytes: setting('GRAPHQL_MAX_BYTES', parseCount),
    }),
    budget: present({
      milliseconds: setting('GANTRY_MAX_SECONDS', parseSeconds),
      statements: setting('GANTRY_MAX_STATEMENTS', parseCount),
      rows: setting('GANTRY_MAX_ROWS', parseCount),
    }),
    storages: setting('GANTRY_STORAGES', (text) => parseStorages(text, cwd, usual)) ?? { default: usual },
    uploads: uploads ?? { directory: path.join(dataDir, 'uploads') },
    queues: setting('GANTRY_QUEUES', parseQueues),
    concurrency: setting('GANTRY_CONCURRENCY', parseCount),
    repositoryLimits: present({
      objectBytes: setting('GANTRY_MAX_OBJECT_BYTES', atMost(Number.MAX_SAFE_INTEGER)),
      pushBytes: setting('GANTRY_MAX_PUSH_BYTES', atMost(Number.MAX_SAFE_INTEGER)),
      unzippedBytes: setting('GANTRY_MAX_UNZIPPED_BYTES', atMost(Number.MAX_SAFE_INTEGER)),
      archiveBytes: setting('GANTRY_MAX_ARCHIVE_BYTES', atMost(Number.MAX_SAFE_INTEGER)),
      quotaBytes: setting('GANTRY_REPOSITORY_QUOTA_BYTES', atMost(Number.MAX_SAFE_INTEGER)),
    }),
    drain: setting('GANTRY_DRAIN_SECONDS', parseDelay),
    gitGrace: setting('GANTRY_GIT_GRACE_SECONDS', parseDelay),
    minFreeBytes: setting('GANTRY_MIN_FREE_BYTES', parseFreeBytes),
    gitRequests: setting('GANTRY_GIT_REQUESTS', parseCount),
    importHosts: setting('GANTRY_IMPORT_HOSTS', parseHosts) ?? [],
    metricsAddresses: setting('GANTRY_METRICS_ADDRESSES', parseNetworks) ?? [],
    metricsPort: setting('GANTRY_METRICS_PORT', parsePort),
    slow: present({
      statement: setting('GANTRY_SLOW_STATEMENT_MS', parseMilliseconds),
      operation: setting('GANTRY_SLOW_OPERATION_MS', parseMilliseconds),
    }),
    ...present({
      maxInlineBytes: setting('GANTRY_MAX_INLINE_BYTES', atMost(MOST_INLINE_BYTES)),
      importMaxBytes: setting('GANTRY_IMPORT_MAX_BYTES', atMost(Number.MAX_SAFE_INTEGER)),
    }),
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

function readEnvFile(file: string, problems: string[]): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') problems.push(`.env: ${(error as Error).message}`);
    return {};
  }
}

function parseHost(text: string): string {
  if (isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text)) return text;
  throw new Error(`"${text}" is neither an IP address nor a host name`);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new Error(`"${text}" is not a port number between 0 and 65535`);
}

function parsePath(text: string): string {
  if (!text.includes('\0')) return text;
  throw new Error('a path cannot hold a NUL character');
}

/** One host or several, separated by commas. Does not repeat the value in its message: it may hold a password. */
function parseDatabaseUrl(text: string): string {
  const urls = hostUrls(text).map((one) => (URL.canParse(one) ? new URL(one) : undefined));
  const known = urls.every((url) => url?.protocol === 'postgresql:' || url?.protocol === 'postgres:');
  const named = urls.length === 1 || urls.every((url) => url?.hostname !== '');
  if (known && named) return text;
  throw new Error('not a URL of the form postgresql://user:password@host:5432/database');
}

function databaseConfig(
  databaseUrl: string | undefined,
  databaseDirectUrl: string | undefined,
  problems: string[],
): Pick<Config, 'databaseUrl' | 'databaseDirectUrl'> {
  const said = problems.some((problem) => problem.startsWith('DATABASE_URL:'));
  if (databaseDirectUrl !== undefined && databaseUrl === undefined && !said) {
    problems.push('DATABASE_URL: is missing beside DATABASE_DIRECT_URL');
  }
  return present({ databaseUrl, databaseDirectUrl });
}

function parseSwitch(text: string): boolean {
  if (/^(true|yes|on)$/i.test(text)) return true;
  if (/^(false|no|off)$/i.test(text)) return false;
  throw new Error(`"${text}" is neither on nor off`);
}

function parseExternalUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error(`"${text}" is not a URL that begins with http:// or https://`);
  }
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new Error('must not hold a query, a fragment or credentials');
  }
  return url.href.replace(/\/+$/, '');
}

/** Does not repeat the value in its message: it may hold a password. */
function parseSmtpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== '') return text;
  throw new Error('not a URL of the form smtp://user:password@host:587 or smtps://user:password@host');
}

function parseSender(text: string): string {
  if (/^([^<>@\p{Cc}]+ )?<[^\s<>@]+@[^\s<>@]+>$/u.test(text) || /^[^\s<>@]+@[^\s<>@]+$/.test(text)) return text;
  throw new Error(`"${text}" is neither an e-mail address nor of the form Name <address>`);
}

function mailConfig(url: string | undefined, from: string | undefined, problems: string[]): MailConfig | undefined {
  if (url !== undefined && from !== undefined) return { url, from };
  const [missing, given] = url === undefined ? ['SMTP_URL', 'MAIL_FROM'] : ['MAIL_FROM', 'SMTP_URL'];
  // What is wrong about it was said already.
  const said = problems.some((problem) => problem.startsWith(`${missing}:`));
  if ((url ?? from) !== undefined && !said) problems.push(`${missing}: is missing beside ${given}`);
  return undefined;
}

function atLeast(length: number): (text: string) => string {
  return (text) => {
    if (text.length >= length) return text;
    throw new Error(`is too short: it needs at least ${length} characters`);
  };
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Error(`"${text}" is not a number from 1 to 999999999`);
}

/** Seconds, as milliseconds. */
function parseSeconds(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text) * 1000;
  throw new Error(`"${text}" is not a number of seconds from 1 to 99999`);
}

/** Seconds, perhaps none, as milliseconds. */
function parseDelay(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text) * 1000;
  throw new Error(`"${text}" is not a number of seconds from 0 to 99999`);
}

/** Bytes, perhaps none. */
function parseFreeBytes(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Error(`"${text}" is not a number of bytes from 0 to 999999999999999`);
}

/** Milliseconds, of which 0 means never. */
function parseMilliseconds(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new Error(`"${text}" is not a number of milliseconds from 0 to 9999999`);
}

/** In Base64 more would not fit into one string. */
const MOST_INLINE_BYTES = 256 * 1024 * 1024;

function atMost(maximum: number): (text: string) => number {
  return (text) => {
    if (/^[1-9]\d{0,15}$/.test(text) && Number(text) <= maximum) return Number(text);
    throw new Error(`"${text}" is not a number of bytes from 1 to ${maximum}`);
  };
}

/** `default=/path,fast=/other`: each storage has a directory of its own; `usual` is that of `default`, which is always there. */
function parseStorages(text: string, cwd: string, usual: string): Record<string, string> {
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

/** A directory, or `s3://bucket` with a prefix of keys perhaps. */
function parseUploads(text: string, cwd: string, s3: Omit<S3Settings, 'bucket' | 'prefix'>): Config['uploads'] {
  if (!/^[a-z0-9+]+:\/\//i.test(text)) return { directory: path.resolve(cwd, parsePath(text)) };
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/.exec(text) ?? [];
  if (bucket === undefined) throw new Error(`"${text}" is neither a directory nor of the form s3://bucket/prefix`);
  return { bucket, prefix: prefix === '' ? '' : `${prefix.replace(/\/+$/, '')}/`, ...s3 };
}

function s3Credentials(
  accessKeyId: string | undefined,
  secretAccessKey: string | undefined,
  sessionToken: string | undefined,
  problems: string[],
): S3Settings['credentials'] {
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return present({ accessKeyId, secretAccessKey, sessionToken });
  }
  const [missing, given] =
    accessKeyId === undefined
      ? ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']
      : ['AWS_SECRET_ACCESS_KEY', 'AWS_ACCESS_KEY_ID'];
  if ((accessKeyId ?? secretAccessKey) !== undefined) problems.push(`${missing}: is missing beside ${given}`);
  return undefined;
}

/** Host names or addresses, each perhaps with a port: `git.example.com,10.0.0.5:3000,[fd00::1]:80`. */
function parseHosts(text: string): string[] {
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
function present<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

function parseToken(text: string): string {
  if (/^[A-Za-z0-9_.-]{20,255}$/.test(text)) return text;
  throw new Error('must have 20 to 255 characters out of letters, digits, "_", "-" and "."');
}

function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text.toLowerCase());
  if (level !== undefined) return level;
  throw new Error(`"${text}" is not one of ${logLevels.join(', ')}`);
}

/** `true`, `false`, a number of proxies, or addresses and networks separated by commas. */
function parseTrustProxy(text: string): boolean | number | string {
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
function parseNetworks(text: string): string[] {
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

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import type { BudgetLimits } from '../limits/budget.ts';
import { hostUrls } from './host_urls.ts';
import { parsePagesHost, type SiteSettings, siteSettings } from './pages_host.ts';
import { type ProviderSettings, readSignInProviders } from './sign_in_providers.ts';
import { readSsh, type SshConfig } from './ssh.ts';
import { readTrustedDocuments } from './trusted_documents.ts';
import { unknownSettings } from './unknown.ts';
import { readUploads, type S3Settings } from './uploads.ts';
import {
  atLeast,
  atMost,
  type LogLevel,
  MAX_INLINE_BYTES,
  parseCount,
  parseDatabaseUrl,
  parseDelay,
  parseExternalUrl,
  parseFreeBytes,
  parseHost,
  parseHosts,
  parseImapUrl,
  parseLogLevel,
  parseMailInAddress,
  parseMilliseconds,
  parseNetworks,
  parsePath,
  parsePort,
  parseQueues,
  parseSeconds,
  parseSender,
  parseSmtpUrl,
  parseStorages,
  parseSwitch,
  parseToken,
  parseTrustProxy,
  present,
} from './values.ts';

/** The settings, parsed and checked. */
export interface Config {
  /** Address to listen on. */
  host: string;
  /** Port to listen on; 0 takes a free one. */
  port: number;
  /** How the server is reached over SSH; null where it is not. */
  ssh: SshConfig | null;
  /** Absolute path of the data directory. */
  dataDir: string;
  /** Connection URL of an own PostgreSQL; without it the embedded one is used. */
  databaseUrl?: string;
  /** As databaseUrl, where that leads to a pooler which lends sessions by the transaction: the database itself. */
  databaseDirectUrl?: string;
  /** Connection URL of a standby of the database, which reads may go to. */
  databaseReadUrl?: string;
  /** Whether statements are prepared once for each connection. */
  preparedStatements: boolean;
  /** Base URL of the server for users, without a trailing slash; without it each request's own. */
  externalUrl?: string;
  /** Where the sites of projects are served; they are not where absent. */
  sites?: SiteSettings | undefined;
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
  /** Where mail comes in; it does not without it. */
  mailIn?: MailInConfig | undefined;
  /** The GraphQL documents that alone are executed, by their hashes; any is without them. */
  trustedDocuments?: ReadonlyMap<string, string> | undefined;
  /** What one request to /graphql may ask for; what is absent has its default. */
  graphqlLimits: Partial<
    Record<'depth' | 'cost' | 'aliases' | 'batch' | 'tokens' | 'spreads' | 'bytes' | 'points' | 'visitorPoints', number>
  >;
  /** How many GraphQL subscriptions there may be, and how many bytes may wait for each; what is absent has its default. */
  liveLimits: Partial<Record<'total' | 'perCaller' | 'perConnection' | 'buffer', number>>;
  /** What one operation may use, REST or GraphQL; what is absent has its default. */
  budget: Partial<BudgetLimits>;
  /** Absolute path of each storage of repositories by its name; `default` is always one of them. */
  storages: Readonly<Record<string, string>>;
  /** Where uploaded files are kept. */
  uploads: { directory: string } | S3Settings;
  /** The largest content that is given within an answer, in bytes; a default when absent. */
  maxInlineBytes?: number;
  /** Limits of repositories, in bytes; what is absent has its default (src/domain/repository/limits.ts). */
  repositoryLimits: {
    objectBytes?: number;
    pushBytes?: number;
    unzippedBytes?: number;
    archiveBytes?: number;
    quotaBytes?: number;
    traceBytes?: number;
    artifactsBytes?: number;
    packageFileBytes?: number;
    lfsObjectBytes?: number;
    containerBlobBytes?: number;
  };
  /** Milliseconds between SIGTERM and the end of listening; a default when absent. */
  drain?: number | undefined;
  /** Milliseconds that clones and pushes have to come to their end after that; a default when absent. */
  gitGrace?: number | undefined;
  /** Bytes that have to be free where data is kept for the server to call itself ready; a default when absent. */
  minFreeBytes?: number | undefined;
  /** How many requests of git clients are served at once; a default when absent. */
  gitRequests?: number | undefined;
  /** Where else people may have an account with which they sign in. */
  signInProviders: readonly ProviderSettings[];
  /** What projects may be imported from although its address is not public: host names, or host and port. */
  importHosts: readonly string[];
  /** The same for where webhooks may lead. */
  webhookHosts: readonly string[];
  /** The queues of background jobs that this process works on; all when absent. */
  queues?: readonly string[] | undefined;
  /** How many jobs it works on at once; a default when absent. */
  concurrency?: number | undefined;
  /** How much one import may take from its source, in bytes; a default when absent. */
  importMaxBytes?: number;
  /** Whether answers are compressed for clients that accept it. */
  compression: boolean;
  /** Whether REST counts all records of long lists. */
  exactTotals: boolean;
  /** Whether clients of OAuth register themselves (RFC 7591). */
  clientRegistration: boolean;
  /** Whether the page of examples is served, for those who work on the looks of pages. */
  examples: boolean;
  /** Addresses and networks that read the metrics without a credential. */
  metricsAddresses: readonly string[];
  /** Port at which `gantry work` shows its metrics; at none when absent. */
  metricsPort?: number | undefined;
  /** Milliseconds from which on statements and operations are logged as slow; 0 is never, and what is absent has its default. */
  slow: { statement?: number; operation?: number };
  /** Sentences about variables that look like settings but are unknown. */
  warnings: readonly string[];
}

/** How mail is sent. */
export interface MailConfig {
  /** Of the mail server: smtp:// or smtps://, with credentials where it wants them. */
  url: string;
  /** Sender of all mail, as `address` or `Name <address>`. */
  from: string;
}

/** How mail is received. */
export interface MailInConfig {
  /** An address with `%{key}` in it. */
  address: string;
  /** Of the mailbox to which it is delivered, imaps:// with credentials; without it, mail comes in by `gantry mail-in` alone. */
  imapUrl?: string;
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
 * @param onSetting called with the name and the parser of each setting that is looked at
 * @throws ConfigError naming every wrong setting at once
 */
export function loadConfig(
  env: NodeJS.ProcessEnv,
  cwd: string,
  onSetting: (name: string, parse: (text: string) => unknown) => void = () => undefined,
): Config {
  const problems: string[] = [];
  const known: string[] = [];
  const values: NodeJS.ProcessEnv = { ...readEnvFile(path.join(cwd, '.env'), problems), ...env };

  function setting<Value>(name: string, parse: (text: string) => Value): Value | undefined {
    known.push(name);
    onSetting(name, parse);
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
  const database = databaseConfig(
    setting('DATABASE_URL', parseDatabaseUrl),
    setting('DATABASE_DIRECT_URL', parseDatabaseUrl),
    setting('DATABASE_READ_URL', parseDatabaseUrl),
    problems,
  );
  const usual = path.join(dataDir, 'repositories');
  const host = setting('HOST', parseHost) ?? '127.0.0.1';
  const port = setting('PORT', parsePort) ?? 8080;
  const externalUrl = setting('GANTRY_URL', parseExternalUrl);
  const config: Omit<Config, 'warnings'> = {
    host,
    port,
    ssh: readSsh(setting, { host, port, dataDir }, cwd),
    dataDir,
    ...database,
    preparedStatements: setting('DATABASE_PREPARED_STATEMENTS', parseSwitch) ?? true,
    externalUrl,
    sites: siteSettings(setting('GANTRY_PAGES_HOST', parsePagesHost), externalUrl, problems),
    secret: setting('GANTRY_SECRET', atLeast(32)),
    rootPassword: setting('GANTRY_ROOT_PASSWORD', atLeast(8)),
    rootToken: setting('GANTRY_ROOT_TOKEN', parseToken),
    logLevel: setting('LOG_LEVEL', parseLogLevel) ?? 'info',
    trustProxy: setting('TRUST_PROXY', parseTrustProxy) ?? false,
    mail: mailConfig(setting('SMTP_URL', parseSmtpUrl), setting('MAIL_FROM', parseSender), problems),
    mailIn: mailInConfig(
      setting('GANTRY_MAIL_IN_ADDRESS', parseMailInAddress),
      setting('GANTRY_MAIL_IN_IMAP', parseImapUrl),
      problems,
    ),
    graphqlLimits: present({
      depth: setting('GRAPHQL_MAX_DEPTH', parseCount),
      cost: setting('GRAPHQL_MAX_COST', parseCount),
      aliases: setting('GRAPHQL_MAX_ALIASES', parseCount),
      batch: setting('GRAPHQL_MAX_BATCH', parseCount),
      tokens: setting('GRAPHQL_MAX_TOKENS', parseCount),
      spreads: setting('GRAPHQL_MAX_SPREADS', parseCount),
      bytes: setting('GRAPHQL_MAX_BYTES', parseCount),
      points: setting('GRAPHQL_MAX_POINTS_PER_HOUR', parseCount),
      visitorPoints: setting('GRAPHQL_MAX_VISITOR_POINTS_PER_HOUR', parseCount),
    }),
    trustedDocuments: setting('GRAPHQL_TRUSTED_DOCUMENTS', (text) => readTrustedDocuments(path.resolve(cwd, text))),
    liveLimits: present({
      total: setting('GRAPHQL_MAX_SUBSCRIPTIONS', parseCount),
      perCaller: setting('GRAPHQL_MAX_SUBSCRIPTIONS_PER_CALLER', parseCount),
      perConnection: setting('GRAPHQL_MAX_SUBSCRIPTIONS_PER_CONNECTION', parseCount),
      buffer: setting('GRAPHQL_MAX_SUBSCRIPTION_BUFFER_BYTES', parseCount),
    }),
    budget: present({
      milliseconds: setting('GANTRY_MAX_SECONDS', parseSeconds),
      statements: setting('GANTRY_MAX_STATEMENTS', parseCount),
      rows: setting('GANTRY_MAX_ROWS', parseCount),
    }),
    storages: setting('GANTRY_STORAGES', (text) => parseStorages(text, cwd, usual)) ?? { default: usual },
    uploads: readUploads(setting, cwd, problems) ?? { directory: path.join(dataDir, 'uploads') },
    queues: setting('GANTRY_QUEUES', parseQueues),
    concurrency: setting('GANTRY_CONCURRENCY', parseCount),
    repositoryLimits: present({
      objectBytes: setting('GANTRY_MAX_OBJECT_BYTES', atMost(Number.MAX_SAFE_INTEGER)),
      pushBytes: setting('GANTRY_MAX_PUSH_BYTES', atMost(Number.MAX_SAFE_INTEGER)),
      unzippedBytes: setting('GANTRY_MAX_UNZIPPED_BYTES', atMost(Number.MAX_SAFE_INTEGER)),
      archiveBytes: setting('GANTRY_MAX_ARCHIVE_BYTES', atMost(Number.MAX_SAFE_INTEGER)),
      quotaBytes: setting('GANTRY_REPOSITORY_QUOTA_BYTES', atMost(Number.MAX_SAFE_INTEGER)),
      traceBytes: setting('GANTRY_MAX_TRACE_BYTES', atMost(MAX_INLINE_BYTES)),
      artifactsBytes: setting('GANTRY_MAX_ARTIFACTS_BYTES', parseFreeBytes),
      packageFileBytes: setting('GANTRY_MAX_PACKAGE_FILE_BYTES', parseFreeBytes),
      lfsObjectBytes: setting('GANTRY_MAX_LFS_OBJECT_BYTES', parseFreeBytes),
      containerBlobBytes: setting('GANTRY_MAX_CONTAINER_BLOB_BYTES', parseFreeBytes),
    }),
    drain: setting('GANTRY_DRAIN_SECONDS', parseDelay),
    gitGrace: setting('GANTRY_GIT_GRACE_SECONDS', parseDelay),
    minFreeBytes: setting('GANTRY_MIN_FREE_BYTES', parseFreeBytes),
    gitRequests: setting('GANTRY_GIT_REQUESTS', parseCount),
    signInProviders: setting('GANTRY_SIGN_IN_PROVIDERS', (text) => readSignInProviders(path.resolve(cwd, text))) ?? [],
    importHosts: setting('GANTRY_IMPORT_HOSTS', parseHosts) ?? [],
    webhookHosts: setting('GANTRY_WEBHOOK_HOSTS', parseHosts) ?? [],
    compression: setting('GANTRY_COMPRESSION', parseSwitch) ?? true,
    exactTotals: setting('GANTRY_EXACT_TOTALS', parseSwitch) ?? true,
    clientRegistration: setting('GANTRY_CLIENT_REGISTRATION', parseSwitch) ?? true,
    examples: setting('GANTRY_EXAMPLES', parseSwitch) ?? false,
    metricsAddresses: setting('GANTRY_METRICS_ADDRESSES', parseNetworks) ?? [],
    metricsPort: setting('GANTRY_METRICS_PORT', parsePort),
    slow: present({
      statement: setting('GANTRY_SLOW_STATEMENT_MS', parseMilliseconds),
      operation: setting('GANTRY_SLOW_OPERATION_MS', parseMilliseconds),
    }),
    ...present({
      maxInlineBytes: setting('GANTRY_MAX_INLINE_BYTES', atMost(MAX_INLINE_BYTES)),
      importMaxBytes: setting('GANTRY_IMPORT_MAX_BYTES', atMost(Number.MAX_SAFE_INTEGER)),
    }),
  };
  const warnings = unknownSettings(values, known);
  if (problems.length > 0) throw new ConfigError([...problems, ...warnings]);
  return { ...config, warnings };
}

function readEnvFile(file: string, problems: string[]): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') problems.push(`.env: ${(error as Error).message}`);
    return {};
  }
}

function databaseConfig(
  databaseUrl: string | undefined,
  databaseDirectUrl: string | undefined,
  databaseReadUrl: string | undefined,
  problems: string[],
): Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'databaseReadUrl'> {
  const said = problems.some((problem) => problem.startsWith('DATABASE_URL:'));
  if (databaseDirectUrl !== undefined && databaseUrl === undefined && !said) {
    problems.push('DATABASE_URL: is missing beside DATABASE_DIRECT_URL');
  }
  if (databaseReadUrl !== undefined && databaseUrl === undefined && !said) {
    problems.push('DATABASE_URL: is missing beside DATABASE_READ_URL');
  }
  if (databaseReadUrl !== undefined && hostUrls(databaseReadUrl).length > 1) {
    problems.push('DATABASE_READ_URL: names several hosts; put a balancer before them');
  }
  return present({ databaseUrl, databaseDirectUrl, databaseReadUrl });
}

function mailConfig(url: string | undefined, from: string | undefined, problems: string[]): MailConfig | undefined {
  if (url !== undefined && from !== undefined) return { url, from };
  const [missing, given] = url === undefined ? ['SMTP_URL', 'MAIL_FROM'] : ['MAIL_FROM', 'SMTP_URL'];
  // Its problem was reported already.
  const said = problems.some((problem) => problem.startsWith(`${missing}:`));
  if ((url ?? from) !== undefined && !said) problems.push(`${missing}: is missing beside ${given}`);
  return undefined;
}

function mailInConfig(
  address: string | undefined,
  imapUrl: string | undefined,
  problems: string[],
): MailInConfig | undefined {
  if (address !== undefined) return { address, ...present({ imapUrl }) };
  const said = problems.some((problem) => problem.startsWith('GANTRY_MAIL_IN_ADDRESS:'));
  if (imapUrl !== undefined && !said) problems.push('GANTRY_MAIL_IN_ADDRESS: is missing beside GANTRY_MAIL_IN_IMAP');
  return undefined;
}

import { mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DEFAULT_LIMITS as GRAPHQL } from '#schema/limits.ts';
import { DEFAULT_LIVE_LIMITS } from '#src/domain/live/subscription_quota.ts';
import { DEFAULT_LIMITS } from '#src/domain/repository/limits.ts';
import { GIT_CONCURRENCY } from '#src/domain/repository/remote/git_concurrency.ts';
import { helpOn } from '#src/entrances/cli/help.ts';
import { manual } from '#src/entrances/cli/manual.ts';
import { GIT_GRACE } from '#src/entrances/server/main.ts';
import { CONCURRENCY } from '#src/platform/background/queue.ts';
import { loadConfig } from '#src/platform/config/config.ts';
import { settingGroups } from '#src/platform/config/manual.ts';
import { MIN_FREE_BYTES } from '#src/platform/lifecycle/checks.ts';
import { DEFAULT_BUDGET } from '#src/platform/limits/budget.ts';
import { DEFAULT_SLOW } from '#src/platform/observability/metrics/slow.ts';
import { DEFAULT_IMPORTS } from '#src/platform/outbound/options.ts';
import { END, graphqlChanges } from './graphql_changes.ts';
import { releasedVersion } from './released_schema.ts';

/** Defaults that are constants of the code, in the unit of the setting. */
const DEFAULTS: Readonly<Record<string, number>> = {
  GANTRY_MIN_FREE_BYTES: MIN_FREE_BYTES,
  GANTRY_IMPORT_MAX_BYTES: DEFAULT_IMPORTS.maxBytes,
  GANTRY_MAX_INLINE_BYTES: DEFAULT_LIMITS.inlineBytes,
  GANTRY_MAX_OBJECT_BYTES: DEFAULT_LIMITS.objectBytes,
  GANTRY_MAX_PUSH_BYTES: DEFAULT_LIMITS.pushBytes,
  GANTRY_MAX_UNZIPPED_BYTES: DEFAULT_LIMITS.unzippedBytes,
  GANTRY_MAX_ARCHIVE_BYTES: DEFAULT_LIMITS.archiveBytes,
  GANTRY_MAX_TRACE_BYTES: DEFAULT_LIMITS.traceBytes,
  GANTRY_MAX_ARTIFACTS_BYTES: DEFAULT_LIMITS.artifactsBytes,
  GANTRY_MAX_PACKAGE_FILE_BYTES: DEFAULT_LIMITS.packageFileBytes,
  GANTRY_MAX_LFS_OBJECT_BYTES: DEFAULT_LIMITS.lfsObjectBytes,
  GANTRY_MAX_CONTAINER_BLOB_BYTES: DEFAULT_LIMITS.containerBlobBytes,
  GANTRY_GIT_REQUESTS: GIT_CONCURRENCY.atOnce,
  GANTRY_MAX_SECONDS: DEFAULT_BUDGET.milliseconds / 1000,
  GANTRY_MAX_STATEMENTS: DEFAULT_BUDGET.statements,
  GANTRY_MAX_ROWS: DEFAULT_BUDGET.rows,
  GRAPHQL_MAX_DEPTH: GRAPHQL.depth,
  GRAPHQL_MAX_COST: GRAPHQL.cost,
  GRAPHQL_MAX_ALIASES: GRAPHQL.aliases,
  GRAPHQL_MAX_SPREADS: GRAPHQL.spreads,
  GRAPHQL_MAX_TOKENS: GRAPHQL.tokens,
  GRAPHQL_MAX_BATCH: GRAPHQL.batch,
  GRAPHQL_MAX_BYTES: GRAPHQL.bytes,
  GRAPHQL_MAX_POINTS_PER_HOUR: GRAPHQL.points,
  GRAPHQL_MAX_VISITOR_POINTS_PER_HOUR: GRAPHQL.visitorPoints,
  GRAPHQL_MAX_SUBSCRIPTIONS: DEFAULT_LIVE_LIMITS.total,
  GRAPHQL_MAX_SUBSCRIPTIONS_PER_CALLER: DEFAULT_LIVE_LIMITS.perCaller,
  GRAPHQL_MAX_SUBSCRIPTIONS_PER_CONNECTION: DEFAULT_LIVE_LIMITS.perConnection,
  GRAPHQL_MAX_SUBSCRIPTION_BUFFER_BYTES: DEFAULT_LIVE_LIMITS.buffer,
  GANTRY_CONCURRENCY: CONCURRENCY,
  GANTRY_GIT_GRACE_SECONDS: GIT_GRACE / 1000,
  GANTRY_SLOW_STATEMENT_MS: DEFAULT_SLOW.statement,
  GANTRY_SLOW_OPERATION_MS: DEFAULT_SLOW.operation,
};

type Parser = (text: string) => unknown;

/** The parsers of all settings by name, in the order in which they are read. */
export function settingParsers(): Map<string, Parser> {
  const parsers = new Map<string, Parser>();
  const directory = mkdtempSync(path.join(tmpdir(), 'gantry-reference-'));
  // Settings of a bucket are only read where there is one.
  loadConfig({ GANTRY_UPLOADS: 's3://bucket' }, directory, (name, parse) => parsers.set(name, parse));
  rmdirSync(directory);
  return parsers;
}

/**
 * The generated part of docs/configuration.md.
 *
 * @throws Error if a setting has no page or a page no setting, or if a parser refuses the default
 */
export function configurationReference(): string {
  const parsers = settingParsers();
  const documented = settingGroups.flatMap(({ settings }) => Object.keys(settings));
  const odd = [
    ...documented.filter((name) => !parsers.has(name)),
    ...[...parsers.keys()].filter((name) => !documented.includes(name)),
  ];
  if (odd.length > 0) throw new Error(`src/platform/config/manual.ts and the parsers differ: ${odd.join(', ')}`);
  const sections = settingGroups.map(({ title, settings, notes }) => {
    const rows = Object.entries(settings).map(([name, { meaning, usual, accepts }]) => {
      const parse = parsers.get(name) ?? String;
      const value = DEFAULTS[name];
      if (value !== undefined) parse(String(value));
      return [
        `\`${name}\``,
        accepts ?? acceptedBy(parse),
        value === undefined ? (usual ?? '') : String(value),
        meaning,
      ];
    });
    return [`## ${title}`, table(['setting', 'value', 'default', 'meaning'], rows), ...(notes ? [notes] : [])].join(
      '\n\n',
    );
  });
  return sections.join('\n\n');
}

/** What a parser says that it accepts when it refuses a text. */
function acceptedBy(parse: Parser): string {
  try {
    parse('?');
  } catch (error) {
    return (
      (error as Error).message
        .replace(/^"\?" /, '')
        .replace(/^is neither (.*) nor /, '$1 or ')
        .replace(/^is too short: it needs /, '')
        .replace(/^(is not |must have |not )/, '')
        .replace(/^of the form /, '')
        // Limits that nobody reaches say nothing.
        .replace(/ from (\d+) to (?:9{9,}|9007199254740991)$/, ', at least $1')
        .replaceAll(/\b[a-z]+:\/\/\S*/g, '`$&`')
    );
  }
  return 'a path';
}

/** The generated part of docs/cli.md. */
export function commandReference(): string {
  const names = Object.keys(manual);
  const rows = names.map((name) => [
    `[\`${name}\`](#gantry-${name.replaceAll(' ', '-')})`,
    manual[name]?.summary ?? '',
  ]);
  const pages = names.map((name) => `## gantry ${name}\n\n\`\`\`text\n${helpOn([name]).trim()}\n\`\`\``);
  return [table(['command', 'what it does'], rows), ...pages].join('\n\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The generated part of each document, by path from the root of the checkout. */
export const references: Readonly<Record<string, () => string>> = {
  'docs/configuration.md': configurationReference,
  'docs/cli.md': commandReference,
  'docs/graphql-changelog.md': nextRelease,
};

/** The changes of the graph since the last release. */
function nextRelease(): string {
  const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '../schema', file), 'utf8');
  const released = read('released.graphql');
  return `## Since ${releasedVersion(released)}, not released yet\n\n${graphqlChanges(released, read('schema.graphql'))}`;
}

const BEGIN = '<!-- Generated by scripts/reference.ts: npm run generate. -->';

/** The text of a document with its generated part as the code has it now. */
export function withReference(text: string, reference: string): string {
  const [before, after] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (before < 0 || after < before) throw new Error('the markers of the generated part are missing');
  return `${text.slice(0, before)}${BEGIN}\n\n${reference}\n\n${text.slice(after)}`;
}

if (import.meta.main) {
  for (const [name, reference] of Object.entries(references)) {
    const file = path.resolve(import.meta.dirname, '..', name);
    writeFileSync(file, withReference(readFileSync(file, 'utf8'), reference()));
  }
}

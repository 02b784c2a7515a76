import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '#src/platform/database/embedded.ts';
import { postgresPid } from '../support/server_process.ts';
import { measureAttacks } from './attacks/run.ts';
import { measureCollaboration } from './collaboration.ts';
import { measureCompat } from './compat.ts';
import { measureFlags } from './flags.ts';
import { measureGrowth } from './growth.ts';
import { measureHooks } from './hooks/run.ts';
import { measureImports } from './imports/run.ts';
import { measureLfs } from './lfs.ts';
import { measureLarge, measureLists } from './lists/run.ts';
import { measurements } from './measurements.ts';
import { measureMonorepo } from './monorepo/run.ts';
import { type Options, type Part, readOptions } from './options.ts';
import { measurePages } from './pages/run.ts';
import {
  type Figure,
  figuresTable,
  growthFigures,
  growthTable,
  heapTable,
  idleFigures,
  startFigures,
  visibilityTable,
} from './report.ts';
import { createRepositories } from './repositories.ts';
import { measureMerges } from './repository/merges.ts';
import { measureRepositories } from './repository/run.ts';
import { measureRequests } from './requests.ts';
import { measureSites } from './sites.ts';
import { measureIdle, measureStart } from './start.ts';
import { measureSubscribers } from './subscribers/measure.ts';
import { measureSustained } from './sustained/run.ts';
import { measureVisibility } from './visibility.ts';

/** Settings of PostgreSQL: millions of rows are made without a log to recover from, and read with more memory than the embedded one takes. */
const USUAL = { max_wal_size: '4GB' };
const FOR_LARGE = {
  ...{ ...USUAL, shared_buffers: '512MB', fsync: 'off', full_page_writes: 'off' },
  ...{ wal_level: 'minimal', max_wal_senders: '0' },
};

/** How many clients subscribe at once; each takes a file, here and there. */
const SUBSCRIBERS = 10_000;

const quiet = { info: () => undefined, warn: console.warn, error: console.error };

/** Runs what the options ask for, on a PostgreSQL of its own that is gone afterwards. Nobody fails for being slow. */
async function bench(options: Options): Promise<void> {
  const { parts } = options;
  const figures: Figure[] = [];
  if (parts.has('idle')) {
    const idle = await measureIdle();
    print(heapTable(idle.kinds));
    figures.push(...idleFigures(idle));
  }
  if (parts.has('start')) figures.push(...startFigures(await measureStart()));
  if (parts.has('repository')) await measureRepositories(options.repository, print);
  if (parts.has('monorepo')) await measureMonorepo(options.scale, print);
  if (parts.has('merges')) await measureMerges(print);
  if (parts.has('lfs')) await measureLfs(print);
  if (parts.has('imports')) await measureImports(print);
  if (parts.has('flags')) await measureFlags(print);
  if (parts.has('sites')) await measureSites(print);
  if (parts.has('attacks')) await measureAttacks(options.attack, print);
  if (parts.has('subscribers')) {
    for (const transport of ['websocket', 'sse'] as const) {
      const { before, during, after } = await measureSubscribers(transport, SUBSCRIBERS);
      const [taken, left] = [during - before, after - before].map(Math.round);
      print(`${SUBSCRIBERS} idle subscribers by ${transport}: ${taken} MB, ${left} MB when they are gone`);
    }
  }
  if (parts.has('hooks')) await measureHooks(print);
  const ofDatabase: Part[] = [
    'requests',
    'postgraphile',
    'compat',
    'growth',
    'visibility',
    'lists',
    'large',
    'pages',
    'collaboration',
    'sustained',
  ];
  if (ofDatabase.some((part) => parts.has(part))) figures.push(...(await measureWithDatabase(options)));
  if (figures.length > 0) print(figuresTable(figures));
}

async function measureWithDatabase(options: Options): Promise<Figure[]> {
  const { parts } = options;
  await using resources = new AsyncDisposableStack();
  const dataDir = mkdtempSync(path.join(tmpdir(), 'gantry-bench-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  resources.defer(remove);
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log: quiet,
    settings: parts.has('large') ? FOR_LARGE : USUAL,
  });
  resources.defer(() => postgres.stop());
  const figures: Figure[] = [];
  // What works in the background would be put down to whoever is measured.
  await setAutovacuum(postgres.url, 'off');
  if (parts.has('requests') || parts.has('postgraphile')) {
    const repositories = path.join(dataDir, 'repositories');
    await createRepositories(repositories);
    const place = { postgresUrl: postgres.url, postgres: postgresPid(dataDir), repositories };
    figures.push(...(await measureRequests(place, options, print)));
  }
  if (parts.has('compat'))
    await measureCompat({ postgresUrl: postgres.url, postgres: postgresPid(dataDir) }, options, print);
  if (parts.has('growth')) {
    const growth = await measureGrowth(postgres.url);
    print(growthTable(growth));
    figures.push(...growthFigures(growth));
  }
  await setAutovacuum(postgres.url, 'on');
  if (parts.has('visibility')) print(visibilityTable(await measureVisibility(postgres.url)));
  if (parts.has('pages')) {
    const repositories = path.join(dataDir, 'repositories');
    await createRepositories(repositories);
    await measurePages({ postgresUrl: postgres.url, repositories }, options, print);
  }
  if (parts.has('lists')) await measureLists(postgres.url, print);
  if (parts.has('large')) await measureLarge(postgres.url, options.scale, print);
  if (parts.has('collaboration')) figures.push(...(await measureCollaboration(postgres.url, print)));
  if (parts.has('sustained')) await measureSustained(postgres.url, options.minutes, print);
  return figures;
}

async function setAutovacuum(url: string, value: 'on' | 'off'): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`ALTER SYSTEM SET autovacuum = ${value}`);
    await client.query('SELECT pg_reload_conf()');
  } finally {
    await client.end();
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n\n`);
}

const names = measurements(1, 1).map(({ name }) => name);
await bench(readOptions(process.argv.slice(2), names));

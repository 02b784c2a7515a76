import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '#src/platform/database/embedded.ts';
import { requireAgreement } from './agree.ts';
import { measureAttacks } from './attacks/run.ts';
import { type Comparison, compare } from './compare.ts';
import { createDataset } from './dataset.ts';
import { measureGrowth } from './growth.ts';
import { measureLists } from './lists/run.ts';
import { measurements } from './measurements.ts';
import { type Options, readOptions } from './options.ts';
import { profileGantry } from './profile.ts';
import { comparisonTable, growthTable, memoryTable, visibilityTable } from './report.ts';
import { measureRepositories } from './repository/run.ts';
import { startServer } from './server.ts';
import { measureSustained } from './sustained/run.ts';
import { measureVisibility } from './visibility.ts';

const quiet = { info: () => undefined, warn: console.warn, error: console.error };

/** Runs what the options ask for, on a PostgreSQL of its own that is gone afterwards. */
async function bench(options: Options): Promise<void> {
  const names = [
    ...available(options).map(({ name }) => name),
    'growth',
    'visibility',
    'lists',
    'sustained',
    'repository',
    'attacks',
  ];
  if (options.only !== undefined && !names.includes(options.only))
    throw new Error(`--only is one of ${names.join(', ')}`);
  if (options.repositories) await measureRepositories(options.repository, print);
  if (options.attacks) await measureAttacks(options.attack, print);
  if (options.only === 'repository' || options.only === 'attacks') return;
  await using resources = new AsyncDisposableStack();
  const dataDir = mkdtempSync(path.join(tmpdir(), 'gantry-bench-'));
  const remove = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  resources.defer(remove);
  const postgres = await startEmbeddedPostgres({ dataDir, log: quiet, settings: { max_wal_size: '4GB' } });
  resources.defer(() => postgres.stop());
  const apart = ['growth', 'visibility', 'lists', 'sustained'].includes(options.only ?? '');
  if (!apart) await measureServers(postgres.url, options);
  if (options.visibility) print(visibilityTable(await measureVisibility(postgres.url)));
  if (options.growth) print(growthTable(await measureGrowth(postgres.url)));
  if (options.lists) await measureLists(postgres.url, print);
  if (options.sustained) await measureSustained(postgres.url, options.minutes, print);
}

async function measureServers(postgresUrl: string, options: Options): Promise<void> {
  const databaseUrl = await createDataset(postgresUrl, 'bench', options);
  if (options.profile) {
    const name = options.only ?? 'list20';
    for (const measurement of available(options).filter((one) => one.name === name)) {
      print(await profileGantry(measurement, databaseUrl, options));
    }
    return;
  }
  const gantry = await startServer('gantry', databaseUrl);
  const comparator = await startServer('comparator', databaseUrl);
  try {
    const idle = gantry.memory();
    await requireAgreement(gantry.url, comparator.url);
    const comparisons: Comparison[] = [];
    for (const measurement of available(options)) {
      if (options.only !== undefined && measurement.name !== options.only) continue;
      comparisons.push(await compare(measurement, { gantry: gantry.url, comparator: comparator.url }, options));
    }
    print(comparisonTable(comparisons, options));
    print(memoryTable(idle, gantry.memory()));
  } finally {
    await gantry.stop();
    await comparator.stop();
  }
}

function available({ issues, projects }: Options) {
  return measurements(projects, issues / projects);
}

function print(text: string): void {
  process.stdout.write(`${text}\n\n`);
}

await bench(readOptions(process.argv.slice(2)));

import { requireAgreement } from './agree.ts';
import { compare } from './compare.ts';
import { createDataset } from './dataset.ts';
import { type Measurement, measurements } from './measurements.ts';
import type { Options } from './options.ts';
import { measurePostGraphile } from './postgraphile/measure.ts';
import { profileGantry } from './profile.ts';
import { type Compared, comparisonTable, type Figure, requestFigures } from './report.ts';
import { type BenchServer, startServer } from './server.ts';

/** Where the data is that requests are answered from. */
export interface Place {
  /** URL of a database beside which others can be made. */
  postgresUrl: string;
  /** Process of its PostgreSQL. */
  postgres: number;
  /** Directory of the repositories of projects. */
  repositories: string;
}

/** Measures what requests cost, against the comparator and against PostGraphile. */
export async function measureRequests(
  place: Place,
  options: Options,
  print: (text: string) => void,
): Promise<Figure[]> {
  const { repositories } = place;
  const databaseUrl = await createDataset(place.postgresUrl, 'bench', options);
  const chosen = wanted(options);
  if (options.profile) {
    for (const one of chosen)
      print(`${one.title}\n\n${await profileGantry(one, { databaseUrl, repositories }, options)}`);
    return [];
  }
  await using servers = new AsyncDisposableStack();
  const start = async (name: 'gantry' | 'comparator') => {
    const server = await startServer({ name, databaseUrl, repositories });
    servers.defer(() => server.stop());
    return server;
  };
  const [gantry, comparator] = [await start('gantry'), await start('comparator')];
  const run = (list: Measurement[]) => compareAll(list, { gantry, comparator }, place.postgres, options);
  const compared = await run(chosen.filter(({ writes }) => !writes));
  const against = { gantry, databaseUrl, postgres: place.postgres };
  const figures = options.parts.has('postgraphile') ? await measurePostGraphile(against, options, print) : [];
  // Those that write come last: they change what the others find.
  compared.push(...(await run(chosen.filter(({ writes }) => writes))));
  if (chosen.length > 0) print(comparisonTable('the comparator', compared, options));
  return [...requestFigures('the comparator', compared), ...figures];
}

/** The measurements that are asked for. */
function wanted({ issues, projects, parts, requests }: Options): Measurement[] {
  if (!parts.has('requests')) return [];
  const all = measurements(projects, issues / projects);
  return all.filter(({ name }) => requests === undefined || requests.includes(name));
}

async function compareAll(
  list: Measurement[],
  { gantry, comparator }: { gantry: BenchServer; comparator: BenchServer },
  postgres: number,
  options: Options,
): Promise<Compared[]> {
  await requireAgreement(gantry.url, comparator.url, list);
  const compared: Compared[] = [];
  for (const { title, target, call } of list) {
    const sides = { ours: { ...gantry, call }, other: { ...comparator, call } };
    const comparison = await compare(sides, postgres, options);
    process.stderr.write(`${title}: ${comparison.cpuRatio.median.toFixed(2)}\n`);
    compared.push({ title, target, ...comparison });
  }
  return compared;
}

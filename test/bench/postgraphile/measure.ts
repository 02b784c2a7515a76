import { compare } from '../compare.ts';
import type { Options } from '../options.ts';
import { type Compared, comparisonTable, type Figure, requestFigures } from '../report.ts';
import { type BenchServer, startServer } from '../server.ts';
import { prepareDatabase } from './database.ts';
import { installPostGraphile } from './install.ts';
import { queries, requireSameAnswers } from './queries.ts';

const TARGET = 1;

/** Measures what GraphQL queries cost against PostGraphile on the same database. */
export async function measurePostGraphile(
  { gantry, databaseUrl, postgres }: { gantry: BenchServer; databaseUrl: string; postgres: number },
  options: Options,
  print: (text: string) => void,
): Promise<Figure[]> {
  const list = queries(options.projects);
  const absent = await installPostGraphile();
  if (absent !== null) {
    print(`**PostGraphile cannot be had here, so nothing is compared with it.** ${absent}`);
    const figure = { measured: 'PostGraphile is not there', target: `≥ ${TARGET}`, met: null };
    return list.map(({ title }) => ({ name: `${title}: CPU of PostGraphile by that of Gantry`, ...figure }));
  }
  await prepareDatabase(databaseUrl);
  const env = { NODE_ENV: 'production', GRAPHILE_ENV: 'production' };
  const server = await startServer({ name: 'postgraphile/server', databaseUrl, env });
  try {
    const compared: Compared[] = [];
    for (const query of list) {
      await requireSameAnswers(query, gantry.url, server.url);
      const sides = { ours: { ...gantry, call: query.gantry }, other: { ...server, call: query.postgraphile } };
      compared.push({ title: query.title, target: TARGET, ...(await compare(sides, postgres, options)) });
    }
    print(comparisonTable('PostGraphile', compared, options));
    return requestFigures('PostGraphile', compared);
  } finally {
    await server.stop();
  }
}

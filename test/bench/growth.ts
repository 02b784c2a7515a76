import { createDataset } from './dataset.ts';
import { generateLoad, median } from './load.ts';
import { rest } from './measurements.ts';
import { type BenchServer, startServer } from './server.ts';

export interface Growth {
  name: string;
  target: number | undefined;
  /** Milliseconds (p50 of one connection) with 10,000 and with 1,000,000 issues in the list. */
  small: number;
  large: number;
}

/** Lists of 20 from one project that holds all the issues. Page 500 is the last one of 10,000 issues. */
const lists: { name: string; query: string; target?: number }[] = [
  { name: 'page 1', query: '', target: 1.2 },
  { name: 'page 500', query: '&page=500' },
  { name: 'two labels', query: '&labels=label-03,label-07' },
  { name: 'search', query: '&search=quaternion' },
];

const ROUNDS = 5;

/** How the time of a list grows with the number of issues: both servers are asked by turns. */
export async function measureGrowth(postgresUrl: string): Promise<Growth[]> {
  await using servers = new AsyncDisposableStack();
  const start = async (issues: number) => {
    const databaseUrl = await createDataset(postgresUrl, `bench_${issues}`, { issues, projects: 1 });
    const server = await startServer({ name: 'gantry', databaseUrl });
    servers.defer(() => server.stop());
    return server;
  };
  const [small, large] = [await start(10_000), await start(1_000_000)];
  const growth: Growth[] = [];
  for (const { name, query, target } of lists) {
    const times = { small: [] as number[], large: [] as number[] };
    for (let round = 0; round <= ROUNDS; round++) {
      const [a, b] = [await time(small, query), await time(large, query)];
      // The first round warms both up.
      if (round === 0) continue;
      times.small.push(a);
      times.large.push(b);
    }
    growth.push({ name, target, small: median(times.small), large: median(times.large) });
  }
  return growth;
}

async function time({ url }: BenchServer, query: string): Promise<number> {
  const call = () => rest(`projects/1/issues?per_page=20${query}`);
  return (await generateLoad({ url, call, connections: 1, milliseconds: 2_000, count: 200 })).p50;
}

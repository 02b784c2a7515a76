import { createDataset } from './dataset.ts';
import { generateLoad } from './load.ts';
import { rest } from './measurements.ts';
import { startServer } from './server.ts';

export interface Growth {
  name: string;
  target: number | undefined;
  /** Milliseconds (p50 of one connection) with 10,000 and with 1,000,000 issues in the list. */
  small: number;
  large: number;
}

/** Lists of 20 from one project that holds all the issues. Page 500 is the last one of 10,000 issues. */
const lists: { name: string; query: string; target?: number }[] = [
  { name: 'page 1', query: '', target: 1.5 },
  { name: 'page 500', query: '&page=500' },
  { name: 'two labels', query: '&labels=label-03,label-07' },
  { name: 'search', query: '&search=quaternion' },
];

/** How the time of a list grows with the number of issues. */
export async function measureGrowth(postgresUrl: string): Promise<Growth[]> {
  const small = await measure(postgresUrl, 10_000);
  const large = await measure(postgresUrl, 1_000_000);
  return lists.map(({ name, target }, index) => ({
    name,
    target,
    small: small[index] ?? Number.NaN,
    large: large[index] ?? Number.NaN,
  }));
}

async function measure(postgresUrl: string, issues: number): Promise<number[]> {
  const databaseUrl = await createDataset(postgresUrl, `bench_${issues}`, { issues, projects: 1 });
  const server = await startServer('gantry', databaseUrl);
  try {
    const times: number[] = [];
    for (const { query } of lists) {
      const call = () => rest(`projects/1/issues?per_page=20${query}`);
      const load = { url: server.url, call, connections: 1 };
      await generateLoad({ ...load, milliseconds: 3_000, count: 100 });
      times.push((await generateLoad({ ...load, milliseconds: 5_000, count: 500 })).p50);
    }
    return times;
  } finally {
    await server.stop();
  }
}

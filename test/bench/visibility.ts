import { createForest, tokens } from './forest.ts';
import { type Call, generateLoad, median } from './load.ts';
import { startServer } from './server.ts';

/** What visibility rules cost on one list. */
export interface Cost {
  name: string;
  /** Milliseconds (p50 of one connection) with the rules and without them. */
  ruled: number;
  open: number;
  /** What the rules may cost at most, as the ratio of the two. */
  target?: number;
}

const lists: { name: string; path: string; token: string | undefined; target?: number }[] = [
  { name: 'projects, member with 200 memberships', path: 'projects?per_page=20', token: tokens.member, target: 2 },
  { name: 'projects, anonymous', path: 'projects?per_page=20', token: undefined, target: 2 },
  { name: 'projects, administrator', path: 'projects?per_page=20', token: tokens.admin, target: 2 },
  { name: 'projects by search, member', path: 'projects?per_page=20&search=project-12', token: tokens.member },
  { name: 'groups, member', path: 'groups?per_page=20&all_available=true', token: tokens.member },
];

/** Measures each list on the server with the rules and on one without them, turn by turn. */
export async function measureVisibility(postgresUrl: string): Promise<Cost[]> {
  const databaseUrl = await createForest(postgresUrl);
  const ruled = await startServer({ name: 'gantry', databaseUrl });
  const open = await startServer({ name: 'gantry_open', databaseUrl });
  try {
    const costs: Cost[] = [];
    for (const { name, path, token, target } of lists) {
      const headers: Record<string, string> = token === undefined ? {} : { 'PRIVATE-TOKEN': token };
      const call = (): Call => ({ path: `/api/v4/${path}`, headers });
      const time = async ({ url }: { url: string }) =>
        (await generateLoad({ url, call, connections: 1, milliseconds: 2_000, count: 300 })).p50;
      const times = { ruled: [] as number[], open: [] as number[] };
      for (let round = 0; round < 4; round += 1) {
        const [a, b] = [await time(ruled), await time(open)];
        // The first round warms both up.
        if (round > 0) {
          times.ruled.push(a);
          times.open.push(b);
        }
      }
      const limit = target === undefined ? {} : { target };
      costs.push({ name, ruled: median(times.ruled), open: median(times.open), ...limit });
    }
    return costs;
  } finally {
    await ruled.stop();
    await open.stop();
  }
}

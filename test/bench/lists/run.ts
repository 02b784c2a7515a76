import { generateLoad, send } from '../load.ts';
import { table } from '../report.ts';
import { type BenchServer, startServer } from '../server.ts';
import { createLists, FULL, largeSize, listTokens } from './dataset.ts';
import { createLarge } from './large.ts';
import { measureLargePages } from './large_pages.ts';
import { graphqlLists, type List, restLists } from './lists.ts';

/** The page that stands for deep ones; the last one where a list is shorter. */
const DEEP = 500;
/** Milliseconds (p50 of one connection) that a list should take at most. */
const TARGET = 50;

/** Rounds of a list, and of one of several thousand. */
const USUAL = {
  before: { milliseconds: 200, count: 8 },
  measured: { milliseconds: 500, count: 100 },
  isEstimated: false,
};
const LARGE = {
  before: { milliseconds: 600, count: 3 },
  measured: { milliseconds: 1_000, count: 7 },
  isEstimated: true,
};

/** Prints how long every list takes: its first page, a deep one and its last. Fails nobody for being slow. */
export async function measureLists(postgresUrl: string, print: (text: string) => void): Promise<void> {
  await measureListsOf(await createLists(postgresUrl), print);
}

/**
 * As measureLists, of a part of what a large server has, and for visitors and administrators, too: who sees more has other plans.
 *
 * @param scale of ten million issues, 1 for all of them
 */
export async function measureLarge(postgresUrl: string, scale: number, print: (text: string) => void): Promise<void> {
  const size = largeSize(scale);
  const begun = performance.now();
  const url = await createLarge(postgresUrl, size, print);
  print(`Made in ${((performance.now() - begun) / 60_000).toFixed(1)} minutes: ${JSON.stringify(size)}`);
  await measureLargeOf(url, print);
}

/** As measureLarge, of a database that is there; only the lists whose names match. */
export async function measureLargeOf(databaseUrl: string, print: (text: string) => void, wanted = /^/): Promise<void> {
  const server = await startServer({ name: 'gantry', databaseUrl });
  try {
    const rows: string[][] = [];
    let count = 0;
    for (const [role, token] of Object.entries({ ...listTokens, visitor: '' })) {
      for (const list of restLists().filter(({ name }) => wanted.test(name))) {
        // Who asks besides the usual caller gets the list as it comes, and by its orders.
        if (role !== 'member' && !/^GET [^?]*(\?(order_by|scope|search)=\S*)?$/.test(list.name)) continue;
        count += 1;
        const row = await measure(server, { ...list, token }, LARGE).catch((error: Error) => [
          list.name,
          '',
          '',
          '',
          error.message,
          '!',
        ]);
        const isRefused = /^40[134]/.test(row[2] ?? '');
        if (row.at(-1) === '!' && !isRefused) rows.push([role, ...row]);
      }
    }
    const title = [
      'who',
      'list of 20, one connection',
      'records',
      'first page',
      `page ${DEEP}, or the last`,
      'last page',
      '',
    ];
    print(table(title, rows));
    print(
      `p50 in ms, with totals up to 10,000; ${count - rows.length} of ${count} lists take at most ${TARGET} ms, the others are above`,
    );
    const pages = await measureLargePages(server, databaseUrl, TARGET, wanted);
    print(table(['who', 'page, or what completes a text', 'p50', 'longest'], pages.slow));
    print(
      `ms; ${pages.count - pages.slow.length} of ${pages.count} pages take at most ${TARGET} ms, the others are above`,
    );
  } finally {
    await server.stop();
  }
}

/** As measureLists, of a database that is there; only the lists whose names match. */
export async function measureListsOf(databaseUrl: string, print: (text: string) => void, wanted = /^/): Promise<void> {
  const server = await startServer({ name: 'gantry', databaseUrl });
  try {
    for (const lists of [restLists(), graphqlLists()]) {
      const rows: string[][] = [];
      for (const list of lists.filter(({ name }) => wanted.test(name))) {
        rows.push(await measure(server, list).catch((error: Error) => [list.name, '', '', '', error.message, '!']));
      }
      const title = [
        'list of 20, one connection',
        'records',
        'first page',
        `page ${DEEP}, or the last`,
        'last page',
        '',
      ];
      if (rows.length > 0) print(table(title, rows));
    }
    const number = (count: number) => count.toLocaleString('en');
    print(
      `p50 in ms, totals included, with ${number(FULL.issues)} issues, ${number(FULL.events)} events, ` +
        `${number(FULL.users)} users and ${number(FULL.projects)} projects; ! marks more than ${TARGET} ms`,
    );
  } finally {
    await server.stop();
  }
}

/**
 * @param how how many answers are waited for before and during the measurement, for how many milliseconds at most, and whether totals may be
 *   left out above 10,000
 */
async function measure({ url }: BenchServer, list: List, how = USUAL): Promise<string[]> {
  const headers: Record<string, string> = list.token === '' ? {} : { 'PRIVATE-TOKEN': list.token };
  const call = (page: number) => {
    const asked = list.page(page);
    return {
      method: list.method,
      headers,
      ...asked,
      path: how.isEstimated ? `${asked.path}&pagination=keyset` : asked.path,
    };
  };
  const answer = await send(url, call(1));
  if (answer.status !== 200) return [list.name, '', `${answer.status}: ${answer.text.slice(0, 100)}`, '', '', '!'];
  const total = list.total(answer);
  // One that is not counted has more pages than that.
  const last = Number.isNaN(total) ? DEEP : Math.max(1, Math.ceil(total / 20));
  const times = new Map<number, number>();
  for (const page of new Set([1, Math.min(DEEP, last), last])) {
    const load = { url, call: () => call(page), connections: 1 };
    await generateLoad({ ...load, ...how.before });
    times.set(page, (await generateLoad({ ...load, ...how.measured })).p50);
  }
  const time = (page: number) => (times.get(page) ?? Number.NaN).toFixed(1);
  const isSlow = [...times.values()].some((one) => one > TARGET);
  return [
    list.name,
    Number.isNaN(total) ? 'more than 10,000' : String(total),
    time(1),
    time(Math.min(DEEP, last)),
    time(last),
    isSlow ? '!' : '',
  ];
}

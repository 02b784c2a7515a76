import { type Call, generateLoad, type Load, median } from './load.ts';
import type { Options } from './options.ts';
import { countsCpu, cpuOf } from './process_tree.ts';

/** What is measured, and how it is asked for. */
export interface Side {
  url: string;
  pid: number;
  call: (n: number) => Call;
}

/** What a request costs, in milliseconds of CPU. */
export interface CpuLoad extends Load {
  /** Of the server and the processes below it. */
  server: number;
  /** Of PostgreSQL and its sessions. */
  postgres: number;
}

/** The middle of some values, and the smallest and largest of them. */
export interface Scatter {
  median: number;
  low: number;
  high: number;
}

export interface Comparison {
  /** CPU of the other's requests by that of ours, of the pairs of rounds. NaN where CPU cannot be counted. */
  cpuRatio: Scatter;
  /** Throughput of ours by that of the other, of the pairs of rounds. */
  throughputRatio: Scatter;
  /** Medians over the rounds. */
  ours: CpuLoad;
  other: CpuLoad;
}

/** Requests before the first that counts, and milliseconds that they may take. */
export const WARM_UP = { count: 3_000, milliseconds: 30_000 };

/**
 * Measures both sides in turn, A B B A, so that what disturbs the machine disturbs both. Nothing else may use the PostgreSQL
 * whose process is given: all that it works meanwhile is put down to the requests.
 */
export async function compare(
  { ours, other }: { ours: Side; other: Side },
  postgres: number,
  { rounds, milliseconds, connections }: Pick<Options, 'rounds' | 'milliseconds' | 'connections'>,
): Promise<Comparison> {
  const measure = async (side: Side, from: number): Promise<CpuLoad> => {
    const before = [used(side.pid), used(postgres)] as const;
    const call = (n: number) => side.call(n + from);
    const load = await generateLoad({ url: side.url, call, connections, milliseconds });
    const server = (used(side.pid) - before[0]) / load.count;
    return { ...load, server, postgres: (used(postgres) - before[1]) / load.count };
  };
  // The first requests compile and plan: as many of either side, however fast it is.
  for (const { url, call } of [ours, other]) await generateLoad({ url, call, connections, ...WARM_UP });
  const pairs: { ours: CpuLoad; other: CpuLoad }[] = [];
  for (let round = 0; round < rounds; round++) {
    const from = round * 17;
    if (round % 2 === 0) {
      pairs.push({ ours: await measure(ours, from), other: await measure(other, from) });
    } else {
      const first = await measure(other, from);
      pairs.push({ ours: await measure(ours, from), other: first });
    }
  }
  return {
    cpuRatio: scatter(pairs.map((pair) => cpu(pair.other) / cpu(pair.ours))),
    throughputRatio: scatter(pairs.map((pair) => pair.ours.throughput / pair.other.throughput)),
    ours: middle(pairs.map((pair) => pair.ours)),
    other: middle(pairs.map((pair) => pair.other)),
  };
}

/** Milliseconds of CPU of a request. */
export function cpu({ server, postgres }: CpuLoad): number {
  return server + postgres;
}

function used(pid: number): number {
  return countsCpu ? cpuOf(pid) : Number.NaN;
}

/** Their median, smallest and largest. */
export function scatter(values: number[]): Scatter {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

function middle(loads: CpuLoad[]): CpuLoad {
  const of = (name: keyof CpuLoad) => median(loads.map((load) => load[name]));
  return {
    throughput: of('throughput'),
    count: of('count'),
    p50: of('p50'),
    p99: of('p99'),
    server: of('server'),
    postgres: of('postgres'),
  };
}

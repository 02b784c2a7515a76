import { generateLoad, type Load, median } from './load.ts';
import type { Measurement } from './measurements.ts';
import type { Options } from './options.ts';

export interface Comparison {
  name: string;
  target: number | undefined;
  /** The median of the ratios of throughput, Gantry to comparator, of the pairs of rounds. */
  ratio: number;
  /** Medians over the rounds. */
  gantry: Load;
  comparator: Load;
}

/** Measures both servers in turn: A B A B, so that what disturbs the machine disturbs both. */
export async function compare(
  measurement: Measurement,
  urls: { gantry: string; comparator: string },
  { rounds, milliseconds, connections }: Options,
): Promise<Comparison> {
  const { name, target } = measurement;
  const measure = (server: 'gantry' | 'comparator', duration: number, from: number) => {
    const call = (n: number) => measurement[server](n + from);
    return generateLoad({ url: urls[server], call, connections, milliseconds: duration });
  };
  // The first requests compile and plan.
  for (const server of ['gantry', 'comparator'] as const) await measure(server, milliseconds / 2, 0);
  const pairs: { gantry: Load; comparator: Load }[] = [];
  for (let round = 0; round < rounds; round++) {
    const gantry = await measure('gantry', milliseconds, round * 17);
    const comparator = await measure('comparator', milliseconds, round * 17);
    pairs.push({ gantry, comparator });
  }
  const ratio = median(pairs.map((pair) => pair.gantry.throughput / pair.comparator.throughput));
  return {
    name,
    target,
    ratio,
    gantry: middle(pairs.map((pair) => pair.gantry)),
    comparator: middle(pairs.map((pair) => pair.comparator)),
  };
}

function middle(loads: Load[]): Load {
  return {
    throughput: median(loads.map((load) => load.throughput)),
    p50: median(loads.map((load) => load.p50)),
    p99: median(loads.map((load) => load.p99)),
  };
}

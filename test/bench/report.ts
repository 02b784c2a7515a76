import type { Comparison } from './compare.ts';
import type { Growth } from './growth.ts';
import type { Options } from './options.ts';
import type { Cost } from './visibility.ts';

/** Throughput of both servers as a Markdown table. */
export function comparisonTable(comparisons: Comparison[], { issues, projects, connections }: Options): string {
  const header = [
    'request',
    'Gantry /s',
    'comparator /s',
    'ratio',
    'target',
    'Gantry p50 / p99 ms',
    'comparator p50 / p99 ms',
  ];
  const rows = comparisons.map(({ name, target, ratio, gantry, comparator }) => [
    name,
    gantry.throughput.toFixed(0),
    comparator.throughput.toFixed(0),
    ratio.toFixed(2),
    target === undefined ? '' : `≥ ${target}`,
    `${gantry.p50.toFixed(1)} / ${gantry.p99.toFixed(1)}`,
    `${comparator.p50.toFixed(1)} / ${comparator.p99.toFixed(1)}`,
  ]);
  const number = (value: number) => value.toLocaleString('en');
  return `${number(issues)} issues in ${projects} projects, ${connections} connections\n\n${table(header, rows)}`;
}

/** Resident memory of the Gantry server. */
export function memoryTable(idle: number, loaded: number): string {
  return table(
    ['resident memory of Gantry', 'MB', 'target'],
    [
      ['idle after the start', idle.toFixed(0), '≤ 200'],
      ['after the load', loaded.toFixed(0), ''],
    ],
  );
}

/** How lists grow. */
export function growthTable(growth: Growth[]): string {
  const rows = growth.map(({ name, target, small, large }) => [
    name,
    small.toFixed(2),
    large.toFixed(2),
    (large / small).toFixed(2),
    target === undefined ? '' : `≤ ${target}`,
  ]);
  return table(['list of 20, one connection', 'p50 ms of 10,000', 'p50 ms of 1,000,000', 'ratio', 'target'], rows);
}

/** What visibility rules cost. */
export function visibilityTable(costs: Cost[]): string {
  const rows = costs.map(({ name, ruled, open, target }) => [
    name,
    ruled.toFixed(2),
    open.toFixed(2),
    (ruled / open).toFixed(2),
    target === undefined ? '' : `≤ ${target}`,
  ]);
  return table(['list of 20, one connection', 'p50 ms', 'p50 ms without rules', 'ratio', 'target'], rows);
}

/** A Markdown table. */
export function table(header: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

import { type Comparison, cpu, type Scatter } from './compare.ts';
import type { Growth } from './growth.ts';
import type { HeapKind } from './heap_kinds.ts';
import type { Options } from './options.ts';
import type { Idle, Start, StartTime } from './start.ts';
import type { Cost } from './visibility.ts';

/** A figure that has a target. */
export interface Figure {
  name: string;
  /** As people read it. */
  measured: string;
  target: string;
  /** Null where it could not be measured. */
  met: boolean | null;
}

/** What requests were compared with. */
export interface Compared extends Comparison {
  title: string;
  target?: number | undefined;
}

/** What requests cost two servers, as a Markdown table. */
export function comparisonTable(other: string, compared: Compared[], options: Options): string {
  const header = [
    'request',
    'ratio of CPU (lowest to highest)',
    `CPU of Gantry, ms: server + PostgreSQL`,
    `of ${other}`,
    'Gantry /s',
    `${other} /s`,
    'ratio',
    'p50 / p99 ms of Gantry',
    `of ${other}`,
  ];
  const rows = compared.map(({ title, cpuRatio, throughputRatio, ours, other }) => [
    title,
    spread(cpuRatio),
    `${ours.server.toFixed(2)} + ${ours.postgres.toFixed(2)} = ${cpu(ours).toFixed(2)}`,
    `${other.server.toFixed(2)} + ${other.postgres.toFixed(2)} = ${cpu(other).toFixed(2)}`,
    ours.throughput.toFixed(0),
    other.throughput.toFixed(0),
    throughputRatio.median.toFixed(2),
    `${ours.p50.toFixed(1)} / ${ours.p99.toFixed(1)}`,
    `${other.p50.toFixed(1)} / ${other.p99.toFixed(1)}`,
  ]);
  const { issues, projects, connections, rounds } = options;
  const number = (value: number) => value.toLocaleString('en');
  const data = `${number(issues)} issues in ${projects} projects, ${connections} connections, ${rounds} rounds`;
  return `Against ${other}: ${data}\n\n${table(header, rows)}`;
}

/** The figures with a target among the requests. */
export function requestFigures(other: string, compared: Compared[]): Figure[] {
  return compared.flatMap(({ title, cpuRatio, target }) =>
    target === undefined
      ? []
      : [
          {
            name: `${title}: CPU of ${other} by that of Gantry`,
            measured: spread(cpuRatio),
            target: `≥ ${target}`,
            met: Number.isNaN(cpuRatio.median) ? null : cpuRatio.median >= target,
          },
        ],
  );
}

/** What the server needs when idle. */
export function idleFigures({ idle, collected }: Idle): Figure[] {
  const memory = (name: string, megabytes: number) => ({
    name: `idle memory without PostgreSQL, ${name}`,
    measured: `${megabytes.toFixed(0)} MB`,
    target: '≤ 200 MB',
    met: Number.isNaN(megabytes) ? null : megabytes <= 200,
  });
  return [memory('after a collection of garbage', collected), memory('10 seconds after the start', idle)];
}

/** The largest of what is in the heap of an idle server. */
export function heapTable(kinds: HeapKind[]): string {
  const rows = kinds.map(({ kind, megabytes }) => [kind, megabytes.toFixed(1)]);
  return table(['largest in the heap of an idle server', 'MB'], rows);
}

/** What the server needs to start. */
export function startFigures({ npm, program }: Start): Figure[] {
  const start = (name: string, { time, cpu }: StartTime) => ({
    name: `${name}, to the first answer`,
    measured: `${time.median.toFixed(0)} ms (${time.low.toFixed(0)}–${time.high.toFixed(0)}); CPU ${cpu.median.toFixed(0)} ms`,
    target: '≤ 1500 ms',
    met: time.median <= 1500,
  });
  return [start('warm start with npm start', npm), start('warm start of the program alone', program)];
}

/** How lists grow. */
export function growthTable(growth: Growth[]): string {
  const rows = growth.map(({ name, small, large }) => [
    name,
    small.toFixed(2),
    large.toFixed(2),
    (large / small).toFixed(2),
  ]);
  return table(['list of 20, one connection', 'p50 ms of 10,000', 'p50 ms of 1,000,000', 'ratio'], rows);
}

/** The figures with a target among the growing lists. */
export function growthFigures(growth: Growth[]): Figure[] {
  return growth.flatMap(({ name, target, small, large }) =>
    target === undefined
      ? []
      : [
          {
            name: `${name} of 1,000,000 issues, by that of 10,000`,
            measured: (large / small).toFixed(2),
            target: `≤ ${target}`,
            met: large / small <= target,
          },
        ],
  );
}

/** All figures that have a target. */
export function figuresTable(figures: Figure[]): string {
  const answer = (met: boolean | null) => (met === null ? 'not measured' : met ? 'yes' : '**no**');
  const rows = figures.map(({ name, measured, target, met }) => [name, measured, target, answer(met)]);
  return table(['figure', 'measured', 'target', 'met'], rows);
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

function spread({ median, low, high }: Scatter): string {
  return Number.isNaN(median) ? 'unknown here' : `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}

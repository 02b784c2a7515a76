import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { WARM_UP } from './compare.ts';
import { generateLoad } from './load.ts';
import type { Measurement } from './measurements.ts';
import type { Options } from './options.ts';
import { table } from './report.ts';
import { type ServerOptions, startServer } from './server.ts';

interface Frame {
  functionName: string;
  url: string;
  lineNumber: number;
}

interface CpuProfile {
  nodes: { id: number; callFrame: Frame; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
}

const PROFILER = pathToFileURL(path.join(import.meta.dirname, 'profiler.ts')).href;

/** Where the time of the warm Gantry server goes under a measurement, as Markdown: shares of modules and of functions. */
export async function profileGantry(
  { call }: Measurement,
  from: Pick<ServerOptions, 'databaseUrl' | 'repositories'>,
  { connections, milliseconds }: Options,
): Promise<string> {
  const directory = mkdtempSync(path.join(tmpdir(), 'gantry-profile-'));
  const file = path.join(directory, 'profile.json');
  const server = await startServer({ name: 'gantry', ...from, execArgv: ['--import', PROFILER] });
  try {
    await generateLoad({ url: server.url, call, connections, ...WARM_UP });
    await server.tell({ profile: 'start' });
    await generateLoad({ url: server.url, call, connections, milliseconds: milliseconds * 4 });
    await server.tell({ profile: { file } });
    return summary(JSON.parse(readFileSync(file, 'utf8')));
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function summary({ nodes, samples, timeDeltas }: CpuProfile): string {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const self = new Map<string, number>();
  const modules = new Map<string, number>();
  const within = new Map<string, number>();
  let busy = 0;
  const add = (times: Map<string, number>, name: string, time: number) =>
    times.set(name, (times.get(name) ?? 0) + time);
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id);
    const time = timeDeltas[index] ?? 0;
    if (!frame || ['(idle)', '(program)'].includes(frame.functionName)) continue;
    busy += time;
    add(self, nameOf(frame), time);
    add(modules, moduleOf(frame), time);
    for (const name of new Set(stack(id, frames, parents).map(nameOf))) add(within, name, time);
  }
  return [
    shares('module', modules, busy, 20),
    shares('function, itself', self, busy, 40),
    shares('function, with what it calls', within, busy, 60),
  ].join('\n\n');
}

function stack(id: number, frames: Map<number, Frame>, parents: Map<number, number>): Frame[] {
  const found: Frame[] = [];
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
    const frame = frames.get(at);
    if (frame) found.push(frame);
  }
  return found;
}

function nameOf(frame: Frame): string {
  const { functionName, url, lineNumber } = frame;
  return `${functionName || '(anonymous)'} (${moduleOf(frame)}, ${path.basename(url)}:${lineNumber + 1})`;
}

function moduleOf({ functionName, url }: Frame): string {
  if (functionName.startsWith('(')) return functionName;
  const installed = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (installed !== undefined) return installed;
  const own = /\/(src|schema|rest)\/(.*)$/.exec(url);
  if (own) return own[1] === 'src' && own[2]?.startsWith('generated') ? 'generated client' : 'gantry';
  if (url.startsWith('wasm:')) return 'wasm';
  return url === '' ? 'built in' : (url.split('/')[0] ?? url);
}

function shares(title: string, times: Map<string, number>, all: number, count: number): string {
  const rows = [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([name, time]) => [name, `${((100 * time) / all).toFixed(1)} %`]);
  return table([title, 'of the time'], rows);
}

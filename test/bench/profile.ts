import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generateLoad } from './load.ts';
import type { Measurement } from './measurements.ts';
import type { Options } from './options.ts';
import { table } from './report.ts';
import { type ServerOptions, startServer } from './server.ts';

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

/** Where the time of the Gantry server goes under a measurement, as Markdown: shares of functions and of modules. */
export async function profileGantry(
  { call }: Measurement,
  from: Pick<ServerOptions, 'databaseUrl' | 'repositories'>,
  { connections, milliseconds }: Options,
): Promise<string> {
  const directory = mkdtempSync(path.join(tmpdir(), 'gantry-profile-'));
  try {
    const execArgv = ['--cpu-prof', `--cpu-prof-dir=${directory}`];
    const server = await startServer({ name: 'gantry', ...from, execArgv });
    await generateLoad({ url: server.url, call, connections, milliseconds: milliseconds * 4 });
    await server.stop();
    const [file = ''] = readdirSync(directory);
    return summary(JSON.parse(readFileSync(path.join(directory, file), 'utf8')));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function summary({ nodes, samples, timeDeltas }: CpuProfile): string {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const functions = new Map<string, number>();
  const modules = new Map<string, number>();
  let busy = 0;
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id);
    const time = timeDeltas[index] ?? 0;
    if (!frame || frame.functionName === '(idle)') continue;
    busy += time;
    const module = moduleOf(frame);
    const name = `${frame.functionName || '(anonymous)'} (${module}, ${path.basename(frame.url)}:${frame.lineNumber + 1})`;
    functions.set(name, (functions.get(name) ?? 0) + time);
    modules.set(module, (modules.get(module) ?? 0) + time);
  }
  return `${shares('module', modules, busy, 20)}\n\n${shares('function', functions, busy, 40)}`;
}

function moduleOf({ functionName, url }: CpuProfile['nodes'][number]['callFrame']): string {
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
  return table([title, 'self time'], rows);
}

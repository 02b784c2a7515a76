import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDataset } from './dataset.ts';
import { createLists } from './lists/dataset.ts';
import { measureListsOf } from './lists/run.ts';
import { type Call, generateLoad } from './load.ts';
import { rest } from './measurements.ts';
import type { Figure } from './report.ts';
import { generateHistory } from './repository/history.ts';
import { git } from './repository/program.ts';
import { RepositoryServer } from './repository/server.ts';
import { startServer } from './server.ts';

/** The lists of issues and merge requests of the server, a group and a project, and the searches of all three. */
const LISTS = /^GET (\/(projects|groups)\/:id)?\/(issues|merge_requests|search)(\?|$)/;

/** Prints how long filtered lists and searches take; figures of threads and of searches in a repository. */
export async function measureCollaboration(postgresUrl: string, print: (text: string) => void): Promise<Figure[]> {
  await measureListsOf(await createLists(postgresUrl), print, LISTS);
  return [...(await threads(postgresUrl)), ...(await searches())];
}

/** The first merge request has 200 threads of three notes. */
async function threads(postgresUrl: string): Promise<Figure[]> {
  const databaseUrl = await createDataset(postgresUrl, 'bench_threads', { issues: 1_000, projects: 1 });
  const { url, stop } = await startServer({ name: 'gantry', databaseUrl });
  try {
    const page = (number: number) => rest(`projects/1/merge_requests/1/discussions?per_page=100&page=${number}`);
    return [
      await figure('100 of 200 threads of a merge request', url, page(1), 50),
      await figure('the other 100', url, page(2), 50),
    ];
  } finally {
    await stop();
  }
}

/** In a history of 12,000 commits and 1,600 files. */
async function searches(): Promise<Figure[]> {
  const scratch = mkdtempSync(path.join(tmpdir(), 'gantry-bench-'));
  const server = await RepositoryServer.start();
  try {
    const source = path.join(scratch, 'history.git');
    await git(scratch, ['init', '--quiet', '--bare', '--initial-branch=main', source]);
    await generateHistory(source);
    const { id } = await server.push(source, 'searched');
    const figures: Figure[] = [];
    for (const scope of ['commits', 'blobs']) {
      for (const text of ['change', 'zyxxyz']) {
        const call = server.call(`projects/${id}/search?scope=${scope}&search=${text}`);
        figures.push(await figure(`search for “${text}” in ${scope}`, server.url, call, 1_000));
      }
    }
    return figures;
  } finally {
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The time of a request over one connection, and the milliseconds that it may take. */
async function figure(name: string, url: string, call: Call, target: number): Promise<Figure> {
  const load = { url, call: () => call, connections: 1 };
  await generateLoad({ ...load, milliseconds: 2_000, count: 20 });
  const { p50 } = await generateLoad({ ...load, milliseconds: 3_000, count: 100 });
  return { name: `${name}, p50`, measured: `${p50.toFixed(1)} ms`, target: `≤ ${target} ms`, met: p50 <= target };
}

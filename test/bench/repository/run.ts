import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { table } from '../report.ts';
import { figuresTable, measureFirstComparison, measureLoad, measureRefs, measureRepository } from './figures.ts';
import { addLargeBlobs, generateHistory } from './history.ts';
import { type Growth, measureMemory } from './memory.ts';
import { git } from './program.ts';
import { processors, RepositoryServer } from './server.ts';
import { measureWriters } from './writers.ts';

/**
 * Measures what has to do with repositories, on a server of its own: on a generated history or the bare repository at
 * `given`, and then on the generated one with 380 MB that nothing compresses.
 *
 * @param print takes each table as it is ready
 */
export async function measureRepositories(given: string | undefined, print: (text: string) => void): Promise<void> {
  const scratch = mkdtempSync(path.join(tmpdir(), 'gantry-bench-'));
  try {
    const generated = path.join(scratch, 'history.git');
    await git(scratch, ['init', '--quiet', '--bare', '--initial-branch=main', generated]);
    await generateHistory(generated);
    print(await measured(given ?? generated, scratch));
    await addLargeBlobs(generated);
    if (given === undefined) print(await measured(generated, scratch));
    print(growthTable(await measureMemory(generated)));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function measured(source: string, scratch: string): Promise<string> {
  const server = await RepositoryServer.start();
  try {
    const project = await server.push(path.resolve(source), 'measured');
    const about = await describe(project.directory);
    const figures = await measureRepository(server, project, path.resolve(source));
    const refs = await measureRefs(server, path.resolve(source), scratch);
    const load = await measureLoad(server, project);
    const writers = await measureWriters(server);
    const first = await measureFirstComparison(server, project, path.resolve(source));
    return figuresTable(about, [...figures, refs, ...load, ...writers, first]);
  } finally {
    await server.stop();
  }
}

async function describe(directory: string): Promise<string> {
  const commits = (await git(directory, ['rev-list', '--count', 'HEAD'])).trim();
  const files = (await git(directory, ['ls-tree', '-r', '--name-only', 'HEAD'])).split('\n').length - 1;
  const kilobytes = /size-pack: (\d+)/.exec(await git(directory, ['count-objects', '-v']))?.[1];
  const size = Math.round(Number(kilobytes) / 1024);
  return `${commits} commits, ${files} files, packs of ${size} MB, ${processors()}`;
}

function growthTable({ idle, steps }: Growth): string {
  const rows = steps.map(({ name, growth }) => [name, `${growth >= 0 ? '+' : ''}${growth.toFixed(0)}`, '≤ +150']);
  const title = `Resident memory on a pack of 380 MB; idle after the start: ${idle.toFixed(0)} MB`;
  return `${title}\n\n${table(['work', 'MB at most', 'target'], rows)}`;
}

import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');
const KEPT = path.join(ROOT, 'node_modules/.cache/clusters');

/** What the contents of a cluster with the template database depend on; the lock file stands for PostgreSQL and pg-boss. */
const SOURCES = [
  'package-lock.json',
  'prisma/migrations',
  'src/entrances/server/background_jobs.ts',
  'src/platform/background',
  'src/platform/database',
  'test/support/template.ts',
  'test/support/test_server.ts',
];

/**
 * Copies the cluster that an earlier run kept, unless what it was made from has changed since.
 *
 * @param cluster path of a directory that does not exist
 * @returns whether there is a cluster now
 */
export function copyKeptCluster(cluster: string): boolean {
  const kept = keptCluster();
  if (!existsSync(kept)) return false;
  try {
    // PostgreSQL refuses one that others can read, and copies do not keep the mode of a directory.
    mkdirSync(cluster, { mode: 0o700 });
    cpSync(kept, cluster, { recursive: true });
    return true;
  } catch {
    // Another run may be replacing it.
    rmSync(cluster, { recursive: true, force: true });
    return false;
  }
}

/** Keeps a copy of a cluster whose server has stopped, in the place of any older one. */
export function keepCluster(cluster: string): void {
  try {
    rmSync(KEPT, { recursive: true, force: true, maxRetries: 3 });
    mkdirSync(KEPT, { recursive: true });
    const growing = mkdtempSync(path.join(KEPT, 'new-'));
    cpSync(cluster, growing, { recursive: true });
    renameSync(growing, keptCluster());
  } catch {
    // Another run does the same, or the disk is full: then a later run keeps one.
  }
}

function keptCluster(): string {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of SOURCES.flatMap(filesOf)) hash.update(`${file}\n`).update(readFileSync(path.join(ROOT, file)));
  return path.join(KEPT, hash.digest('hex').slice(0, 16));
}

function filesOf(source: string): string[] {
  if (path.extname(source) !== '') return [source];
  return readdirSync(path.join(ROOT, source), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
    .sort();
}

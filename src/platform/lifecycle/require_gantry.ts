import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '#src/platform/config/config.ts';
import { clusterVersion, upgradedName } from '#src/platform/database/cluster.ts';
import { readHolder } from '#src/platform/database/lock.ts';
import { requireNoPartialRestore } from './unfinished.ts';

/**
 * For commands that only make sense where a server has run: reports a mistyped GANTRY_DATA, and creates nothing there.
 *
 * @throws Error that names the data directory when there is no Gantry in it
 */
export function requireGantry(config: Pick<Config, 'dataDir' | 'databaseUrl' | 'storages' | 'uploads'>): void {
  const { dataDir, databaseUrl } = config;
  requireNoPartialRestore(dataDir);
  const found = databaseUrl === undefined ? hasDatabase(dataDir) : existsSync(dataDir) || !isNeeded(config);
  if (!found) throw new Error(noGantry(dataDir));
}

/** What to tell people. */
export function noGantry(dataDir: string): string {
  const what = existsSync(dataDir) ? '' : ', which does not exist';
  return `There is no Gantry in ${dataDir}${what}. Set GANTRY_DATA to the data directory of the server; \`gantry serve\` makes a new one.`;
}

/** Whether the embedded database is there, or is being made. */
function hasDatabase(dataDir: string): boolean {
  const cluster = path.join(dataDir, 'postgres');
  return (
    clusterVersion(cluster) !== undefined || existsSync(upgradedName(cluster)) || readHolder(dataDir) !== undefined
  );
}

/** Whether the settings put repositories or uploads into the data directory. */
export function isNeeded({ dataDir, storages, uploads }: Pick<Config, 'dataDir' | 'storages' | 'uploads'>): boolean {
  const places = [...Object.values(storages), ...('directory' in uploads ? [uploads.directory] : [])];
  return places.some((place) => place.startsWith(dataDir + path.sep));
}

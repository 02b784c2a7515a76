import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { findOtherBinaries } from '#src/platform/database/binaries.ts';
import { chooseIdentity } from '#src/platform/database/identity.ts';
import { type OtherCluster, startOther } from '#src/platform/database/other_cluster.ts';

/** The version that the system has, as Debian's package postgresql brings it. */
export const OLDER = [17, 16, 15].find((version) => existsSync(`/usr/lib/postgresql/${version}/bin/postgres`)) ?? 15;

export const quiet = { info: () => undefined, warn: console.warn, error: console.error };

/** Makes a cluster of an older version, without databases. */
export function makeOlder(cluster: string): void {
  const binaries = findOtherBinaries(OLDER, path.dirname(cluster));
  mkdirSync(cluster, { recursive: true, mode: 0o700 });
  const identity = chooseIdentity(cluster, []);
  const args = ['-D', cluster, '-U', 'gantry', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'];
  const [command, wrapped] = identity.wrap(binaries.initdb, args);
  execFileSync(command, wrapped, { stdio: 'pipe', uid: identity.uid, gid: identity.gid });
}

/** A running PostgreSQL of an older version. The URL is that of a database `gantry`, which is not there yet. */
export async function olderPostgres(cluster: string): Promise<OtherCluster> {
  makeOlder(cluster);
  return startOther(cluster, findOtherBinaries(OLDER, path.dirname(cluster)), quiet);
}

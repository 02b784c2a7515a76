import { readFileSync } from 'node:fs';
import path from 'node:path';

interface LockFile {
  packages: Record<
    string,
    { version?: string; dev?: boolean; optional?: boolean; devOptional?: boolean; link?: boolean }
  >;
}

/**
 * The first package of package-lock.json that the server needs and that is missing or has another version, as `pg 8.23.1`; null
 * if all are installed. Packages of other platforms, and those for development, do not count.
 *
 * @param root absolute path of the checkout
 */
export function findMissingPackage(root: string): string | null {
  const wanted = read(path.join(root, 'package-lock.json'));
  const installed = read(path.join(root, 'node_modules/.package-lock.json'));
  for (const [place, { version, dev, optional, devOptional, link }] of Object.entries(wanted)) {
    if (place === '' || dev || optional || devOptional || link || installed[place]?.version === version) continue;
    return `${place.replace(/^.*node_modules\//, '')} ${version}`;
  }
  return null;
}

function read(file: string): LockFile['packages'] {
  try {
    const { packages }: LockFile = JSON.parse(readFileSync(file, 'utf8'));
    return packages;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

import { writeParagraph } from '#src/domain/packages/archives/deb822.ts';
import type { DistributionRow } from '#src/domain/packages/debian/distributions.ts';

/** A file in `dists/CODENAME`, by its path there. */
export interface IndexChecksums {
  path: string;
  /** In bytes. */
  size: number;
  md5: string;
  sha256: string;
}

/** The file `Release` of a distribution, as the Debian repository format has it. */
export function releaseOf(distribution: DistributionRow, indexes: readonly IndexChecksums[], date: Date): string {
  const { origin, label, suite, version, codename, validTime, architectures, components, description } = distribution;
  const listed = (digest: 'md5' | 'sha256') =>
    indexes.map((index) => `\n ${index[digest]} ${index.size} ${index.path}`).join('');
  return writeParagraph([
    ['Origin', origin],
    ['Label', label],
    ['Suite', suite],
    ['Version', version],
    ['Codename', codename],
    ['Date', date.toUTCString()],
    ['Valid-Until', validTime === null ? null : new Date(date.getTime() + validTime * 1_000).toUTCString()],
    ['Acquire-By-Hash', 'yes'],
    ['No-Support-for-Architecture-all', 'Packages'],
    ['Architectures', architectures.join(' ')],
    ['Components', components.join(' ')],
    ['Description', description],
    ['MD5Sum', listed('md5')],
    ['SHA256', listed('sha256')],
  ]);
}

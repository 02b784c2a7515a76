import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Context } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import type { DistributionPlace, DistributionRow } from '#src/domain/packages/debian/distributions.ts';
import { type IndexedFile, indexedFiles, indexedIds } from '#src/domain/packages/debian/indexed_files.ts';
import { type IndexChecksums, releaseOf } from '#src/domain/packages/debian/release.ts';
import { stanzaOf } from '#src/domain/packages/debian/stanza.ts';
import type { Places } from '#src/domain/packages/places.ts';
import { signText } from '#src/domain/users/gpg_keys/read.ts';
import { NotFound } from '#src/platform/errors.ts';
import { decrypt } from '#src/platform/secrets.ts';

/** What an index of a component is of. */
export type IndexKind = { type: 'deb' | 'udeb'; architecture: string } | { type: 'dsc' };

/** A distribution at a time: what all its indexes have. The texts of indexes are made of it when they are asked for. */
export interface Snapshot {
  date: Date;
  release: string;
  signed: { inline: string; detached: string };
  indexes: readonly IndexChecksums[];
  stanzas: readonly Stanza[];
  /** The projects whose packages are in it. */
  projects: ReadonlySet<number>;
}

/** What an index says of a file. */
interface Stanza {
  component: string;
  type: 'deb' | 'udeb' | 'dsc';
  architecture: string;
  text: string;
}

/** Bytes of all snapshots that are kept. Those that were replaced are kept, too, as clients ask for their indexes by their hashes. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const snapshots = new LRUCache<string, Snapshot>({
  maxSize: MAX_KEPT_BYTES,
  sizeCalculation: ({ stanzas, release, indexes }) =>
    stanzas.reduce((sum, { text }) => sum + text.length * 2 + 200, release.length * 6 + indexes.length * 300 + 1_000),
});
const building = new Map<string, Promise<Snapshot>>();

/** The indexes of a distribution as they are now, of the packages in these places. Throws Unavailable. */
export async function snapshotOf(
  context: Context,
  { place, places }: { place: DistributionPlace; places: Places },
  distribution: DistributionRow,
): Promise<Snapshot> {
  const ids = await indexedIds(context, places, distribution.codename);
  const state = createHash('sha256').update(`${distribution.updatedAt.toISOString()} ${ids.join()}`).digest('base64');
  const key = `${distribution.id} ${state}`;
  const known = snapshots.get(key);
  if (known && isFresh(known, distribution)) return known;
  const made = building.get(key) ?? build(context, { place, ids }, distribution).finally(() => building.delete(key));
  building.set(key, made);
  const snapshot = await made;
  snapshots.set(key, snapshot);
  return snapshot;
}

/** An index that ends at some time is made anew when half of that is over. */
function isFresh({ date }: Snapshot, { validTime }: DistributionRow): boolean {
  return validTime === null || Date.now() - date.getTime() < validTime * 500;
}

async function build(
  context: Context,
  { place, ids }: { place: DistributionPlace; ids: readonly number[] },
  distribution: DistributionRow,
): Promise<Snapshot> {
  const files = await indexedFiles(context, ids);
  const stanzas = await stanzasOf(files, place);
  const indexes: IndexChecksums[] = [];
  for (const component of distribution.components) {
    for (const kind of kindsOf(distribution)) {
      const bytes = Buffer.from(textOf(stanzas, component, kind));
      const [md5 = '', sha256 = ''] = ['md5', 'sha256'].map((name) => createHash(name).update(bytes).digest('hex'));
      indexes.push({ path: pathOf(component, kind), size: bytes.length, md5, sha256 });
      // Others have their turn between indexes, each of which takes milliseconds.
      await nextTurn();
    }
  }
  const date = new Date();
  const release = releaseOf(distribution, indexes, date);
  const caller = callerOf(context.actor, context.clientAddress);
  const signed = await signText(caller, release, await privateKeyOf(context, distribution));
  const projects = new Set(files.map(({ projectId }) => projectId));
  return { date, release, signed, indexes, stanzas, projects };
}

async function stanzasOf(files: readonly IndexedFile[], { project }: DistributionPlace): Promise<Stanza[]> {
  const stanzas: Stanza[] = [];
  for (const [index, file] of files.entries()) {
    const { component = 'main', kind, architecture = 'all' } = file.details;
    if (kind === 'file') continue;
    stanzas.push({ component, type: kind, architecture, text: stanzaOf(file, { isOfProject: project !== undefined }) });
    if (index % 200 === 199) await nextTurn();
  }
  return stanzas;
}

async function privateKeyOf({ db, secret }: Context, { id }: DistributionRow): Promise<string> {
  const found = await db.debianDistribution.findUnique({ where: { id }, select: { privateKeyEncrypted: true } });
  if (!found) throw new NotFound('DebianDistribution');
  return decrypt(found.privateKeyEncrypted, secret);
}

function kindsOf({ architectures }: DistributionRow): IndexKind[] {
  const binary = (type: 'deb' | 'udeb') => architectures.map((architecture): IndexKind => ({ type, architecture }));
  return [...binary('deb'), ...binary('udeb'), { type: 'dsc' }];
}

function folderOf(component: string, kind: IndexKind): string {
  if (kind.type === 'dsc') return `${component}/source`;
  return `${component}/${kind.type === 'udeb' ? 'debian-installer/' : ''}binary-${kind.architecture}`;
}

function pathOf(component: string, kind: IndexKind): string {
  return `${folderOf(component, kind)}/${kind.type === 'dsc' ? 'Sources' : 'Packages'}`;
}

/** Packages for all architectures are in the index of each, so that clients need one of them alone. */
function textOf(stanzas: readonly Stanza[], component: string, kind: IndexKind): string {
  const shown = stanzas.filter(
    (one) =>
      one.component === component &&
      one.type === kind.type &&
      (kind.type === 'dsc' || one.architecture === kind.architecture || one.architecture === 'all'),
  );
  return shown.map(({ text }) => `${text}\n`).join('');
}

/** The text of an index of a component. Throws NotFound. */
export function indexText({ stanzas, indexes }: Snapshot, component: string, kind: IndexKind): string {
  if (!indexes.some(({ path }) => path === pathOf(component, kind))) throw new NotFound('PackageFile');
  return textOf(stanzas, component, kind);
}

/**
 * The text of an index by its hash, now or in an earlier state of the distribution that is still known, unless that had packages of projects
 * that the caller's has none of now: they may have lost the right to read them. Throws NotFound.
 */
export function indexTextByHash(
  current: Snapshot,
  { id }: DistributionRow,
  { component, kind, sha256 }: { component: string; kind: IndexKind; sha256: string },
): string {
  const path = pathOf(component, kind);
  const has = ({ indexes }: Snapshot) => indexes.some((one) => one.path === path && one.sha256 === sha256);
  if (has(current)) return textOf(current.stanzas, component, kind);
  for (const [key, earlier] of snapshots.entries())
    if (key.startsWith(`${id} `) && has(earlier) && [...earlier.projects].every((one) => current.projects.has(one)))
      return textOf(earlier.stanzas, component, kind);
  throw new NotFound('PackageFile');
}

import { orForbidden } from '#src/domain/remote_imports/base/pages.ts';
import type { LeftOut, Page, Phase, PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { type Given, isGiven, listOf, textIn, titleIn } from '#src/domain/remote_imports/base/values.ts';
import { ownersImage } from '#src/domain/remote_imports/registry/values.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

/** Kinds of packages, each of which has a list of its own. */
const TYPES = ['npm', 'maven', 'rubygems', 'nuget', 'docker'] as const;
/** Whose packages a list has: which of them the owner is, is found out by the first one. */
const OWNERS = ['orgs', 'users'] as const;
const PAGE_SIZE = 100;

/** What the packages of the owner are that belong to the repository. Images come along; other packages have registries on other hosts, and are named. */
export const GITHUB_PACKAGE_PHASES: readonly Phase[] = [
  {
    name: 'packages',
    part: 'packages',
    page: (context, cursor) => packagesPage(context, cursor, 'packages', TYPES),
  },
  {
    name: 'container_repositories',
    part: 'images',
    page: (context, cursor) => packagesPage(context, cursor, 'container_repositories', ['container']),
  },
];

/** Where the lists are. */
interface Place {
  /** Which of the kinds, and which of the owners. */
  type: number;
  owner: number;
  page: number;
}

const LIST = { forbidden: 'The token may not read packages.', isOptional: true };

function packagesPage(
  context: PhaseContext,
  cursor: string | null,
  name: 'packages' | 'container_repositories',
  types: readonly string[],
): Promise<Page> {
  const { client, project } = context;
  const place: Place = cursor === null ? { type: 0, owner: 0, page: 1 } : JSON.parse(cursor);
  const [owner = ''] = project.path.split('/');
  const root = project.api.replace(/\/repos\/.*$/, '');
  const query = `package_type=${types[place.type]}&per_page=${PAGE_SIZE}&page=${place.page}`;
  return orForbidden({ ...LIST, name }, async () => {
    const url = new URL(`${root}/${OWNERS[place.owner]}/${encodeURIComponent(owner)}/packages?${query}`);
    const answer = await client.json(url).catch((error) => {
      const isAbsent = error instanceof RemoteRefused && error.status === 404 && place.owner === 0;
      if (isAbsent) return null;
      throw error;
    });
    // The owner is a user.
    if (answer === null) return { records: [], next: JSON.stringify({ ...place, owner: 1 }), seen: 0 };
    const records: StagedRecord[] = [];
    const leftOut: LeftOut[] = [];
    for (const given of listOf(answer.body, 'packages')) {
      // Others belong to no repository, or to another one.
      if (!isGiven(given.repository) || given.repository.id !== project.id) continue;
      const registry = name === 'packages' ? null : registryOf(project.server);
      if (name === 'packages') leftOut.push(packageLeftOut(given));
      else if (registry === null) leftOut.push({ ...NO_REGISTRY, name: textIn(given, 'name', 255) });
      else {
        const image = ownersImage(project.path, titleIn(given, 'name'));
        records.push({ kind: 'container_repositories', record: { registry, ...image } });
      }
    }
    const following =
      answer.next === null ? { ...place, type: place.type + 1, page: 1 } : { ...place, page: place.page + 1 };
    const next = following.type < types.length ? JSON.stringify(following) : null;
    return { records, leftOut, next, seen: records.length };
  });
}

function packageLeftOut(given: Given): LeftOut {
  const count = Number.isSafeInteger(given.version_count) ? Number(given.version_count) : null;
  const versions = count === null ? 'Its versions' : count === 1 ? 'Its version' : `Its ${count} versions`;
  const message = `${versions} stay at the registry of GitHub, which is another server: publish it anew.`;
  return { kind: 'packages', name: `${textIn(given, 'package_type', 40)} ${textIn(given, 'name', 255)}`, message };
}

const NO_REGISTRY = { kind: 'images', message: 'The server has no name that its registry of images could be below.' };

/** The registry of images of a server: that of an Enterprise Server has a name below its own; null for one without a name. */
function registryOf(server: string): string | null {
  if (server === 'https://github.com') return 'https://ghcr.io';
  const { protocol, host } = new URL(server);
  const registry = `${protocol}//containers.${host}`;
  return URL.canParse(registry) ? registry : null;
}

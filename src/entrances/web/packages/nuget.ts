import { type Nuspec, normalizedVersion } from '#src/domain/packages/archives/nuspec.ts';
import { compareVersions, isEarly } from '#src/domain/packages/compare_versions.ts';
import { nugetPublication } from '#src/domain/packages/publications/nuget.ts';
import { recordPackage } from '#src/domain/packages/publish.ts';
import { deletePackage } from '#src/domain/packages/remove.ts';
import { findFileIn, type ListedVersion, listVersions, versionsOf } from '#src/domain/packages/versions.ts';
import {
  type Answer,
  type Call,
  json,
  nothing,
  placesIn,
  publisherIn,
  type RegistryRoute,
  sendFile,
  storeFile,
} from '#src/entrances/web/packages/call.ts';
import { NotFound } from '#src/platform/errors.ts';

const AT = '/packages/nuget';
const READS = { method: 'GET', at: ['project', 'group'], purpose: 'read_package', ability: 'read_package' } as const;

/** The server API of NuGet, version 3. */
export const NUGET: readonly RegistryRoute[] = [
  {
    ...{ method: 'PUT', at: ['project'], path: AT, purpose: 'write_package', ability: 'publish_package' },
    ...{ body: { form: 'package' }, answer: push },
  },
  {
    ...{ method: 'DELETE', at: ['project'], path: `${AT}/:name/:version` },
    ...{ purpose: 'write_package', ability: 'delete_package', answer: remove },
  },
  { ...READS, path: `${AT}/index.json`, answer: sendServices },
  { ...READS, path: `${AT}/query`, answer: search },
  { ...READS, path: `${AT}/download/:name/index.json`, answer: sendVersions },
  { ...READS, path: `${AT}/download/:name/:version/:file`, answer: sendContent },
  { ...READS, path: `${AT}/metadata/:name/index.json`, answer: sendRegistration },
  { ...READS, path: `${AT}/metadata/:name/:version.json`, answer: sendLeaf },
];

async function push(call: Call): Promise<Answer> {
  await storeFile(call, 'package', async (by, stored) => {
    const publication = await nugetPublication(call.context, await placesIn(call), stored);
    await recordPackage(call.context, by, publication, stored);
  });
  return nothing(201);
}

async function remove(call: Call): Promise<Answer> {
  const { name = '', version } = call.params;
  const { project } = await publisherIn(call);
  const [found] = await versionsOf(call.context, await placesIn(call), { type: 'nuget', name, version, limit: 1 });
  if (found) await deletePackage(call.context, project.id, found.id);
  return nothing(204);
}

async function sendServices(call: Call): Promise<Answer> {
  const { base } = call;
  await placesIn(call);
  const resource = (path: string, comment: string, ...types: string[]) =>
    types.map((type) => ({ '@id': `${base}${AT}${path}`, '@type': type, comment }));
  const resources = [
    ...resource('/download', 'Downloads packages.', 'PackageBaseAddress/3.0.0'),
    ...resource(
      '/query',
      'Searches packages.',
      ...['', '/3.0.0-beta', '/3.0.0-rc'].map((version) => `SearchQueryService${version}`),
    ),
    ...resource(
      '/metadata',
      'Describes packages and their versions.',
      ...['', '/3.0.0-beta', '/3.0.0-rc', '/3.6.0'].map((version) => `RegistrationsBaseUrl${version}`),
    ),
    ...(base.includes('/groups/') ? [] : resource('', 'Publishes and deletes packages.', 'PackagePublish/2.0.0')),
  ];
  return json({ version: '3.0.0', resources });
}

/** The versions of a package in rising order; of one that several projects have, the last that was published. */
async function rising(call: Call): Promise<ListedVersion[]> {
  const { name = '' } = call.params;
  const found = await versionsOf(call.context, await placesIn(call), { type: 'nuget', name, withoutFiles: true });
  return distinct(found);
}

function distinct(versions: readonly ListedVersion[]): ListedVersion[] {
  const own = new Map(versions.toReversed().map((version) => [version.version.toLowerCase(), version]));
  return [...own.values()].sort((one, other) => compareVersions(one.version, other.version));
}

async function sendVersions(call: Call): Promise<Answer> {
  return json({ versions: (await rising(call)).map(({ version }) => version.toLowerCase()) });
}

async function sendContent(call: Call): Promise<Answer> {
  const { name, version, file: fileName = '' } = call.params;
  return sendFile(
    call,
    await findFileIn(call.context, await placesIn(call), { type: 'nuget', name, version, fileName }),
  );
}

/** Where a version is downloaded, below the registry that is asked. */
function contentUrl({ base }: Call, { name, version }: ListedVersion): string {
  const [id, own] = [name.toLowerCase(), version.toLowerCase()];
  return `${base}${AT}/download/${id}/${own}/${id}.${own}.nupkg`;
}

function leafOf(call: Call, listed: ListedVersion) {
  const { name, version, createdAt } = listed;
  const { authors = '', dependencyGroups, ...texts } = listed.manifest as Nuspec;
  const url = `${call.base}${AT}/metadata/${name.toLowerCase()}/${version.toLowerCase()}.json`;
  const packageContent = contentUrl(call, listed);
  const groups = dependencyGroups.map(({ targetFramework, dependencies }) => ({
    ...{ '@type': 'PackageDependencyGroup', ...(targetFramework !== '' && { targetFramework }) },
    dependencies: dependencies.map((dependency) => ({ '@type': 'PackageDependency', ...dependency })),
  }));
  const entry = { ...texts, '@id': url, id: name, version, authors, listed: true, published: createdAt.toISOString() };
  return {
    '@id': url,
    '@type': 'Package',
    packageContent,
    catalogEntry: { ...entry, packageContent, dependencyGroups: groups },
  };
}

async function sendRegistration(call: Call): Promise<Answer> {
  const versions = await rising(call);
  const url = `${call.base}${AT}/metadata/${(call.params.name ?? '').toLowerCase()}/index.json`;
  const [lower, upper] = [versions[0]?.version, versions.at(-1)?.version];
  const page = { '@id': `${url}#page`, '@type': 'catalog:CatalogPage', lower, upper, count: versions.length };
  const items = [{ ...page, items: versions.map((version) => leafOf(call, version)) }];
  return json({ '@id': url, count: 1, items });
}

async function sendLeaf(call: Call): Promise<Answer> {
  const versions = await rising(call);
  const wanted = normalizedVersion(call.params.version ?? '').toLowerCase();
  const found = versions.find(({ version }) => version.toLowerCase() === wanted);
  if (!found) throw new NotFound('PackageFile');
  return json(leafOf(call, found));
}

/** Packages that one answer has at most. */
const MAX_FOUND = 100;

async function search(call: Call): Promise<Answer> {
  const { query } = call;
  const number = (name: string, usual: number) => Number(/^\d{1,6}$/.exec(query.get(name) ?? '')?.[0] ?? usual);
  const wanted = { type: 'nuget', search: query.get('q') ?? undefined, withoutFiles: true } as const;
  const found = await listVersions(call.context, await placesIn(call), wanted);
  const shown = query.get('prerelease') === 'true' ? found : found.filter(({ version }) => !isEarly(version));
  const names = Map.groupBy(shown, ({ name }) => name.toLowerCase());
  const start = number('skip', 0);
  const part = [...names.values()].slice(start, start + Math.min(number('take', 20), MAX_FOUND));
  const data = part.map((versions) => foundPackage(call, distinct(versions)));
  return json({ totalHits: names.size, data });
}

function foundPackage(call: Call, versions: readonly ListedVersion[]) {
  const newest = versions.at(-1) as ListedVersion;
  const { authors = '', description = '', title, summary, tags, projectUrl } = newest.manifest;
  const registration = `${call.base}${AT}/metadata/${newest.name.toLowerCase()}`;
  return {
    ...{ '@type': 'Package', id: newest.name, version: newest.version, registration: `${registration}/index.json` },
    ...{ title: title ?? newest.name, authors, description, summary, projectUrl, totalDownloads: 0, verified: true },
    tags: typeof tags === 'string' ? tags.split(/\s+/) : [],
    versions: versions.map(({ version }) => ({
      ...{ '@id': `${registration}/${version.toLowerCase()}.json`, version, downloads: 0 },
    })),
  };
}

import { type ComposerManifest, publishComposerPackage } from '#src/domain/packages/from_git/composer.ts';
import { type ListedVersion, versionsOf } from '#src/domain/packages/versions.ts';
import { fullPathsOf } from '#src/domain/projects/full_paths.ts';
import { readRawArchive } from '#src/domain/repository/raw.ts';
import {
  type Answer,
  type Call,
  json,
  placesIn,
  publisherIn,
  type RegistryRoute,
} from '#src/entrances/web/packages/call.ts';
import { NotFound } from '#src/platform/errors.ts';

const AT = '/packages/composer';
const READS = { method: 'GET', at: ['group', 'project'], purpose: 'read_package', ability: 'read_package' } as const;
const MAX_BODY_BYTES = 64 * 1024;

/** A repository of Composer 2, whose packages are made of tags and branches. */
export const COMPOSER: readonly RegistryRoute[] = [
  {
    ...{ method: 'POST', at: ['project'], path: AT, purpose: 'write_package', ability: 'publish_package' },
    ...{ body: { fields: MAX_BODY_BYTES }, answer: publish },
  },
  ...['packages', 'packages.json'].map((name) => ({ ...READS, path: `${AT}/${name}`, answer: sendRepository })),
  { ...READS, path: `${AT}/p2/:vendor/:name.json`, answer: sendPackage },
  { ...READS, at: ['project'], path: `${AT}/archives/:vendor/:name.zip`, answer: sendArchive },
];

async function publish(call: Call): Promise<Answer> {
  const { body, context, query } = call;
  const given = (name: string) => {
    const value = body.fields[name] ?? query.get(name);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const { project } = await publisherIn(call);
  await publishComposerPackage(context, project.id, { tag: given('tag'), branch: given('branch') });
  return json({ message: '201 Created' }, 201);
}

async function sendRepository(call: Call): Promise<Answer> {
  await placesIn(call);
  const { pathname } = new URL(call.base);
  return json({ packages: {}, 'metadata-url': `${pathname}${AT}/p2/%package%.json` });
}

/** The released versions of a package; those of branches where the name ends in `~dev`. */
async function sendPackage(call: Call): Promise<Answer> {
  const { vendor, name: last = '' } = call.params;
  const ofBranches = last.endsWith('~dev');
  const name = `${vendor}/${last.replace(/~dev$/, '')}`.toLowerCase();
  const found = await versionsOf(call.context, await placesIn(call), { type: 'composer', name, withoutFiles: true });
  const isOfBranch = ({ version }: ListedVersion) => version.startsWith('dev-') || version.endsWith('-dev');
  const newest = new Map(found.toReversed().map((version) => [version.version, version]));
  const shown = [...newest.values()].filter((version) => isOfBranch(version) === ofBranches).toReversed();
  const paths = await fullPathsOf(call.context, [...new Set(shown.map(({ projectId }) => projectId))]);
  return json({ packages: { [name]: shown.map((version) => described(call, version, paths.get(version.projectId))) } });
}

function described({ api }: Call, { id, projectId, name, version, manifest }: ListedVersion, path: string | undefined) {
  const { composer, sha: reference } = manifest as ComposerManifest;
  const url = `${api}/projects/${projectId}${AT}/archives/${name}.zip?sha=${reference}`;
  const source =
    path === undefined ? {} : { source: { type: 'git', url: api.replace(/api\/v4$/, `${path}.git`), reference } };
  return { ...composer, name, version, uid: id, ...source, dist: { type: 'zip', url, reference, shasum: '' } };
}

async function sendArchive(call: Call): Promise<Answer> {
  const { vendor, name: last } = call.params;
  const sha = call.query.get('sha');
  const name = `${vendor}/${last}`;
  const found = await versionsOf(call.context, await placesIn(call), { type: 'composer', name, withoutFiles: true });
  const version = found.find(({ manifest }) => manifest.sha === sha);
  if (!version || sha === null) throw new NotFound('PackageFile');
  const fileName = `${name.replace('/', '-')}-${sha.slice(0, 12)}.zip`;
  const wanted = {
    projectId: version.projectId,
    sha,
    extension: 'zip',
    prefix: fileName.slice(0, -'.zip'.length),
    path: '',
    excludePaths: [],
    fileName,
  } as const;
  const content = await readRawArchive(call.context, wanted);
  return { content: { ...content, type: 'application/zip', etag: `"${sha}"` } };
}

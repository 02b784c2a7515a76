import { findGroup } from '#src/domain/groups/find.ts';
import {
  type DistributionPlace,
  type DistributionRow,
  findDistribution,
  findDistributionNamed,
} from '#src/domain/packages/debian/distributions.ts';
import {
  type IndexKind,
  indexText,
  indexTextByHash,
  type Snapshot,
  snapshotOf,
} from '#src/domain/packages/debian/indexes.ts';
import { uploadDebianFile } from '#src/domain/packages/debian/publish.ts';
import { findFileIn } from '#src/domain/packages/versions.ts';
import { findProject } from '#src/domain/projects/find.ts';
import {
  type Answer,
  type Call,
  json,
  nothing,
  placesIn,
  type RegistryRoute,
  recordBody,
  sendFile,
} from '#src/entrances/web/packages/call.ts';
import { NotFound } from '#src/platform/errors.ts';

const AT = '/packages/debian';
const DIST = `${AT}/dists/:distribution`;
const READS = { method: 'GET', at: ['project', 'group'], purpose: 'read_package', ability: 'read_package' } as const;

/** The kinds of indexes of a component, by where they are in it. */
const INDEXES: readonly { at: string; file: string; kindOf: (call: Call) => IndexKind }[] = [
  {
    ...{ at: 'binary-:architecture', file: 'Packages' },
    kindOf: ({ params }) => ({ type: 'deb', architecture: params.architecture ?? '' }),
  },
  {
    ...{ at: 'debian-installer/binary-:architecture', file: 'Packages' },
    kindOf: ({ params }) => ({ type: 'udeb', architecture: params.architecture ?? '' }),
  },
  { at: 'source', file: 'Sources', kindOf: () => ({ type: 'dsc' }) },
];

/** Repositories of Debian packages for apt, and what dput sends. */
export const DEBIAN: readonly RegistryRoute[] = [
  {
    ...{ method: 'PUT', at: ['project'], path: `${AT}/:file`, purpose: 'write_package', ability: 'publish_package' },
    ...{ body: { file: 'package.deb' }, answer: upload },
  },
  { ...READS, path: '/debian_distributions/:codename/key.asc', answer: sendKey },
  { ...READS, path: `${DIST}/Release`, answer: sendRelease(({ release }) => release) },
  { ...READS, path: `${DIST}/Release.gpg`, answer: sendRelease(({ signed }) => signed.detached) },
  { ...READS, path: `${DIST}/InRelease`, answer: sendRelease(({ signed }) => signed.inline) },
  ...INDEXES.flatMap(({ at, file, kindOf }): RegistryRoute[] => [
    { ...READS, path: `${DIST}/:component/${at}/by-hash/SHA256/:sha256`, answer: sendByHash(kindOf) },
    { ...READS, path: `${DIST}/:component/${at}/${file}`, answer: sendIndex(kindOf) },
  ]),
  {
    ...{ ...READS, at: ['project'], path: `${AT}/pool/:distribution/:letter/:name/:version/:file` },
    answer: sendPackage,
  },
  {
    ...{ ...READS, at: ['group'], path: `${AT}/pool/:distribution/:project/:letter/:name/:version/:file` },
    answer: sendPackage,
  },
];

async function upload(call: Call): Promise<Answer> {
  const given = { distribution: call.query.get('distribution'), component: call.query.get('component') };
  const [distribution, component] = [given.distribution || undefined, given.component || undefined];
  const named = { fileName: call.params.file ?? '', distribution, component };
  await recordBody(call, (by, stored) => uploadDebianFile(call.context, by, named, stored));
  return json({ message: '201 Created' }, 201);
}

async function ownerOf({ context, place }: Call): Promise<DistributionPlace> {
  if (place === 'server') throw new NotFound('DebianDistribution');
  if ('project' in place) return { project: await findProject(context, place.project) };
  return { group: await findGroup(context, place.group) };
}

async function sendKey(call: Call): Promise<Answer> {
  const { publicKey } = await findDistribution(call.context, await ownerOf(call), call.params.codename ?? '');
  return { text: publicKey };
}

/** A distribution by its codename or suite, with its indexes as they are now. */
async function currentOf(call: Call): Promise<{ distribution: DistributionRow; snapshot: Snapshot }> {
  const place = await ownerOf(call);
  const distribution = await findDistributionNamed(call.context, place, call.params.distribution ?? '');
  const places = await placesIn(call);
  return { distribution, snapshot: await snapshotOf(call.context, { place, places }, distribution) };
}

/** A text with when it became so; 304 to clients that have it from then, as apt asks. */
function dated({ request }: Call, { date }: Snapshot, text: () => string): Answer {
  const modified = new Date(Math.floor(date.getTime() / 1_000) * 1_000).toUTCString();
  const headers = { 'Last-Modified': modified };
  const isSame = request.headers['if-none-match'] === undefined && request.headers['if-modified-since'] === modified;
  return isSame ? { ...nothing(304), headers } : { headers, text: text() };
}

function sendRelease(textOf: (snapshot: Snapshot) => string): RegistryRoute['answer'] {
  return async (call) => {
    const { snapshot } = await currentOf(call);
    return dated(call, snapshot, () => textOf(snapshot));
  };
}

function sendIndex(kindOf: (call: Call) => IndexKind): RegistryRoute['answer'] {
  return async (call) => {
    const { snapshot } = await currentOf(call);
    return dated(call, snapshot, () => indexText(snapshot, call.params.component ?? '', kindOf(call)));
  };
}

function sendByHash(kindOf: (call: Call) => IndexKind): RegistryRoute['answer'] {
  return async (call) => {
    const { distribution, snapshot } = await currentOf(call);
    const { component = '', sha256 = '' } = call.params;
    return { text: indexTextByHash(snapshot, distribution, { component, kind: kindOf(call), sha256 }) };
  };
}

async function sendPackage(call: Call): Promise<Answer> {
  const { distribution, name, version, file: fileName = '', project } = call.params;
  const wanted = { type: 'debian', name, version, fileName, details: { distribution } } as const;
  const found = await findFileIn(call.context, await placesIn(call), wanted);
  if (project !== undefined && String(found.projectId) !== project) throw new NotFound('PackageFile');
  return sendFile(call, found);
}

import { createHash } from 'node:crypto';
import { xml } from '#pages/engine/atom.ts';
import { recordPackage } from '#src/domain/packages/publish.ts';
import { findFileIn, type ListedFile, type ListedVersion, listVersions } from '#src/domain/packages/versions.ts';
import {
  type Answer,
  type Call,
  nothing,
  placesIn,
  publisherIn,
  type RegistryRoute,
  recordBody,
  sendFile,
} from '#src/entrances/web/packages/call.ts';
import { BadRequest, NotFound, WrongState } from '#src/platform/errors.ts';

const PATH = '/packages/maven/*path';
/** Bytes of the longest checksum, and of metadata that clients make. */
const MAX_SMALL_BYTES = 1024 * 1024;
const DIGESTS = ['md5', 'sha1', 'sha256', 'sha512'] as const;
type Digest = (typeof DIGESTS)[number];
const METADATA = 'maven-metadata.xml';

const PUTS = { method: 'PUT', at: ['project'], purpose: 'write_package', ability: 'publish_package' } as const;

/**
 * The repository of Maven 2, which Gradle, sbt and others have, too. Its metadata follows from what was published: what clients
 * write of that, and of checksums, is compared and not kept.
 */
export const MAVEN: readonly RegistryRoute[] = [
  { ...PUTS, path: `/packages/maven/*path/${METADATA}`, body: { bytes: MAX_SMALL_BYTES }, answer: takeMetadata },
  ...DIGESTS.map((digest) => ({
    ...PUTS,
    path: `/packages/maven/*path.${digest}`,
    body: { bytes: MAX_SMALL_BYTES },
    answer: (call: Call) => takeDigest(call, digest),
  })),
  { ...PUTS, path: PATH, body: { file: 'file' }, answer: takeFile },
  {
    ...{
      method: 'GET',
      at: ['project', 'group', 'server'],
      path: PATH,
      purpose: 'read_package',
      ability: 'read_package',
    },
    answer: sendAnything,
  },
];

/** What a path names: a file of a version, below the path of a package. Throws NotFound. */
function partsOf(path: string) {
  const parts = path.split('/');
  const [version = '', fileName = ''] = parts.slice(-2);
  const name = parts.slice(0, -2).join('/');
  if (name === '') throw new NotFound('PackageFile');
  return { type: 'maven', name, version, fileName } as const;
}

async function takeFile(call: Call): Promise<Answer> {
  const named = partsOf(call.params.path ?? '');
  if (!named.fileName.includes('.')) throw new BadRequest('file_name is invalid', 'file_name', 'valueInvalid');
  await recordBody(call, (by, stored) => recordPackage(call.context, by, named, stored));
  return nothing(201);
}

async function takeMetadata(call: Call): Promise<Answer> {
  await publisherIn(call);
  return nothing(201);
}

/** Compares a checksum with the file that was published before it. Throws WrongState if that is another one. */
async function takeDigest(call: Call, digest: Digest): Promise<Answer> {
  await publisherIn(call);
  const { path = '' } = call.params;
  if (path.endsWith(`/${METADATA}`)) return nothing(201);
  const file = await findFileIn(call.context, await placesIn(call), partsOf(path));
  const given = call.body.bytes.toString('latin1').trim().split(/\s/, 1)[0]?.toLowerCase();
  // Of the four, SHA-512 is not kept.
  if (digest !== 'sha512' && given !== file[digest]) throw new WrongState(`The ${digest} does not match the file`);
  return nothing(201);
}

async function sendAnything(call: Call): Promise<Answer> {
  const whole = call.params.path ?? '';
  const digest = DIGESTS.find((ending) => whole.endsWith(`.${ending}`));
  const path = digest === undefined ? whole : whole.slice(0, -digest.length - 1);
  if (path.endsWith(`/${METADATA}`)) return sendMetadata(call, path.slice(0, -METADATA.length - 1), digest);
  const file = await findFileIn(call.context, await placesIn(call), partsOf(path));
  if (digest === undefined) return sendFile(call, file, path.endsWith('.pom') ? 'application/xml' : undefined);
  if (digest === 'sha512') throw new NotFound('PackageFile');
  return { type: 'text/plain', text: file[digest] };
}

/** The versions of an artifact, or the files of one that is a snapshot; or the checksum of that. Throws NotFound. */
async function sendMetadata(call: Call, path: string, digest: Digest | undefined): Promise<Answer> {
  const places = await placesIn(call);
  const mark = path.lastIndexOf('/');
  const [parent, version] = [path.slice(0, mark), path.slice(mark + 1)];
  const isSnapshot = version.endsWith('-SNAPSHOT');
  const wanted = isSnapshot ? { name: parent, version, limit: 1 } : ({ name: path, withoutFiles: true } as const);
  const found = await listVersions(call.context, places, { type: 'maven', ...wanted });
  const [first] = found;
  if (!first) throw new NotFound('PackageFile');
  const text = isSnapshot ? snapshotMetadata(first) : artifactMetadata(first.name, found);
  if (digest === undefined) return { type: 'application/xml', text };
  return { type: 'text/plain', text: createHash(digest).update(text).digest('hex') };
}

const HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n<metadata modelVersion="1.1.0">\n';
const element = (name: string, text: string) => `<${name}>${xml(text)}</${name}>`;
/** `20261129173000` of a time. */
const stamp = (date: Date) => date.toISOString().replace(/\D/g, '').slice(0, 14);

function coordinates(name: string): string {
  const mark = name.lastIndexOf('/');
  return `  ${element('groupId', name.slice(0, mark).replaceAll('/', '.'))}\n  ${element('artifactId', name.slice(mark + 1))}\n`;
}

function artifactMetadata(name: string, versions: readonly ListedVersion[]): string {
  const names = [...new Set(versions.map(({ version }) => version))];
  const release = names.find((version) => !version.endsWith('-SNAPSHOT'));
  const lines = names.toReversed().map((version) => `      ${element('version', version)}\n`);
  const updated = stamp(versions[0]?.createdAt ?? new Date(0));
  return `${HEADER}${coordinates(name)}  <versioning>
    ${element('latest', names[0] ?? '')}
${release === undefined ? '' : `    ${element('release', release)}\n`}    <versions>
${lines.join('')}    </versions>
    ${element('lastUpdated', updated)}
  </versioning>
</metadata>
`;
}

/** A build of a snapshot: `app-1.0-20261129.173000-2-sources.jar`. */
const BUILD = /-(\d{8}\.\d{6})-(\d{1,9})(?:-([^.]+))?\.(.+)$/;

function snapshotMetadata({ name, version, files }: ListedVersion): string {
  const base = version.slice(0, -'SNAPSHOT'.length);
  const builds = files.flatMap((file) => buildOf(file, base));
  const newest = builds.toSorted((left, right) => right.number - left.number)[0];
  const lines = builds
    .filter(({ number }) => number === newest?.number)
    .map(({ classifier, extension, value, time }) => {
      const kind = classifier === undefined ? '' : element('classifier', classifier);
      return `      <snapshotVersion>${kind}${element('extension', extension)}${element('value', value)}${element('updated', time.replace('.', ''))}</snapshotVersion>\n`;
    });
  const snapshot = newest
    ? `    <snapshot>${element('timestamp', newest.time)}${element('buildNumber', String(newest.number))}</snapshot>\n`
    : '';
  const updated = stamp(new Date(files.at(-1)?.createdAt ?? 0));
  return `${HEADER}${coordinates(name)}  ${element('version', version)}
  <versioning>
${snapshot}    ${element('lastUpdated', updated)}
    <snapshotVersions>
${lines.join('')}    </snapshotVersions>
  </versioning>
</metadata>
`;
}

function buildOf({ fileName }: ListedFile, base: string) {
  const [, time, number, classifier, extension] = BUILD.exec(fileName) ?? [];
  if (time === undefined || number === undefined || extension === undefined) return [];
  return [{ time, number: Number(number), classifier, extension, value: `${base}${time}-${number}` }];
}

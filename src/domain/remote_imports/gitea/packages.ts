import { orForbidden } from '#src/domain/remote_imports/base/pages.ts';
import type { LeftOut, Page, Phase, PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { SourceInvalid } from '#src/domain/remote_imports/base/source.ts';
import { type Given, idIn, isGiven, listOf, textIn, timeIn, titleIn } from '#src/domain/remote_imports/base/values.ts';
import { readPage } from '#src/domain/remote_imports/gitea/pages.ts';
import { userIn } from '#src/domain/remote_imports/gitea/values.ts';
import {
  type FilesOfPackage,
  filesOfRepository,
  packageFilesPhase,
  packageLabel,
  type StagedPackage,
  type StagedPackageFile,
  stagedFile,
} from '#src/domain/remote_imports/registry/staged.ts';
import { checksumIn, ownersImage, parted, sizeIn } from '#src/domain/remote_imports/registry/values.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

/** Kinds of packages that come along, by what they are called there. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ generic: 'generic', npm: 'npm', pypi: 'pypi', maven: 'maven', nuget: 'nuget', helm: 'helm' },
  ...{ rubygems: 'rubygems', composer: 'composer' },
};

/** The packages of the owner that belong to the repository, with the files of each, and its images. */
export const GITEA_PACKAGE_PHASES: readonly Phase[] = [
  { name: 'packages', part: 'packages', page: (context, cursor) => packagesPage(context, cursor, 'packages') },
  packageFilesPhase(filesOf),
  {
    name: 'container_repositories',
    part: 'images',
    page: (context, cursor) => packagesPage(context, cursor, 'container_repositories'),
  },
];

/** Servers of before 1.17 have no packages. */
const LIST = { forbidden: 'The token may not read packages.', isOptional: true };

function packagesPage(
  context: PhaseContext,
  cursor: string | null,
  name: 'packages' | 'container_repositories',
): Promise<Page> {
  const owner = context.project.path.slice(0, context.project.path.indexOf('/'));
  const root = context.project.api.replace(/\/repos\/.*$/, '');
  const path = `/packages/${encodeURIComponent(owner)}${name === 'packages' ? '' : '?type=container'}`;
  return orForbidden({ ...LIST, name }, async () => {
    const { entries, next } = await readPage(context, path, Number(cursor ?? 1), 'packages', root);
    const records: StagedRecord[] = [];
    const leftOut: LeftOut[] = [];
    for (const given of entries) {
      // Others belong to no repository, or to another one.
      if (!isGiven(given.repository) || given.repository.id !== context.project.id) continue;
      try {
        if (name === 'packages') records.push(...packageRecords(given, leftOut));
        else
          records.push({
            kind: 'container_repositories',
            record: { registry: context.project.server, ...ownersImage(context.project.path, titleIn(given, 'name')) },
          });
      } catch (error) {
        if (!(error instanceof SourceInvalid)) throw error;
        leftOut.push({ kind: name, name: textIn(given, 'name', 255) || null, message: error.message });
      }
    }
    return { records, leftOut, next: next === null ? null : String(next), seen: records.length };
  });
}

function packageRecords(given: Given, leftOut: LeftOut[]): StagedRecord[] {
  const theirs = textIn(given, 'type', 40);
  const [name, version] = [titleIn(given, 'name'), titleIn(given, 'version')];
  // Images are a part of their own, and modules of Go are read from the repository.
  if (theirs === 'container' || theirs === 'go') return [];
  const type = Object.hasOwn(TYPES, theirs) ? TYPES[theirs] : undefined;
  if (type === undefined) {
    const own = packageLabel({ type: theirs, name, version });
    leftOut.push({ kind: 'packages', name: own, message: 'Packages of this kind do not come along.' });
    return [];
  }
  const records: StagedRecord[] = [];
  const record: StagedPackage = {
    id: String(idIn(given, 'id')),
    ...{ type, name, version, status: 'default', created_at: timeIn(given, 'created_at') },
    user_id: userIn(given, 'creator', records),
  };
  return [...records, { kind: 'packages', record: { ...record } }];
}

/** The files of a package, which come in one list. */
async function filesOf(context: PhaseContext, own: StagedPackage): Promise<FilesOfPackage> {
  const { client, project } = context;
  const owner = project.path.slice(0, project.path.indexOf('/'));
  const root = project.api.replace(/\/repos\/.*$/, '');
  const { type, name, version } = own;
  if (type === 'composer') {
    return filesOfRepository(own);
  }
  const path = [owner, type, name, version].map(segment).join('/');
  try {
    const { body } = await client.json(new URL(`${root}/packages/${path}/files`));
    const records: StagedRecord[] = [];
    const leftOut: LeftOut[] = [];
    for (const given of body === null ? [] : listOf(body, 'files of packages')) {
      const found = fileRecord(given, own, `${project.server}/api/packages/${segment(owner)}`);
      if (typeof found !== 'string')
        records.push(...(found === null ? [] : [{ kind: 'package_files', record: { ...found } }]));
      else
        leftOut.push({ kind: 'packages', name: `${packageLabel(own)} ${textIn(given, 'name', 255)}`, message: found });
    }
    return { records, leftOut, next: null };
  } catch (error) {
    const isAbsent = error instanceof RemoteRefused && error.status !== null;
    if (!isAbsent && !(error instanceof SourceInvalid)) throw error;
    const message = (error as Error).message;
    return { records: [], leftOut: [{ kind: 'packages', name: packageLabel(own), message }], next: null };
  }
}

/** One part of an address, with slashes in it encoded. */
const segment = (text: string) => parted(text).replaceAll('/', '%2F');

/** A file of a package; null for one that is made of others, and a message for one that stays behind. */
function fileRecord(given: Given, theirs: StagedPackage, registry: string): StagedPackageFile | string | null {
  const fileName = titleIn(given, 'name');
  const { type, version } = theirs;
  if (type === 'maven' && /^maven-metadata\.xml$|\.(?:md5|sha1|sha256|sha512)$/.test(fileName)) return null;
  if (type === 'nuget' && fileName.endsWith('.nuspec')) return null;
  if (type === 'nuget' && !fileName.endsWith('.nupkg')) return 'Symbols of packages of NuGet do not come along.';
  const own = type === 'maven' ? { ...theirs, name: mavenName(theirs.name) } : theirs;
  const addresses: Readonly<Record<string, string>> = {
    npm: `npm/${parted(own.name)}/-/${segment(version)}/${segment(fileName)}`,
    pypi: `pypi/files/${segment(own.name)}/${segment(version)}/${segment(fileName)}`,
    maven: `maven/${parted(own.name)}/${segment(version)}/${segment(fileName)}`,
    nuget: `nuget/package/${segment(own.name)}/${segment(version)}/${segment(fileName)}`,
    helm: `helm/${segment(fileName)}`,
    rubygems: `rubygems/gems/${segment(fileName)}`,
  };
  return {
    ...stagedFile(own, String(idIn(given, 'id')), fileName),
    // Both ways of writing it are found.
    size: sizeIn(given, 'size') ?? sizeIn(given, 'Size'),
    md5: checksumIn(given, 'md5', 32),
    sha1: checksumIn(given, 'sha1', 40),
    sha256: checksumIn(given, 'sha256', 64),
    url: `${registry}/${addresses[type] ?? `generic/${segment(own.name)}/${segment(version)}/${segment(fileName)}`}`,
    document: type === 'npm' ? `${registry}/npm/${parted(own.name)}` : null,
    channel: type === 'helm' ? 'stable' : null,
  };
}

/** A package of Maven as its address has it: `com.example:app`, and `com.example-app` of servers of before 1.23. */
function mavenName(name: string): string {
  const mark = name.includes(':') ? name.indexOf(':') : name.indexOf('-');
  return mark < 0 ? name : `${name.slice(0, mark).replaceAll('.', '/')}/${name.slice(mark + 1)}`;
}

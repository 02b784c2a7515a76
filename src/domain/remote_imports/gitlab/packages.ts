import { PACKAGE_KINDS, type PackageType } from '#src/domain/packages/types.ts';
import type { LeftOut, Phase, PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { SourceInvalid } from '#src/domain/remote_imports/base/source.ts';
import { type Given, idIn, textIn, timeIn, titleIn } from '#src/domain/remote_imports/base/values.ts';
import { ABSENT_STATUSES, gitlabList, readPage } from '#src/domain/remote_imports/gitlab/pages.ts';
import type { StagedImageRepository } from '#src/domain/remote_imports/registry/images.ts';
import {
  type FilesOfPackage,
  filesOfRepository,
  packageFilesPhase,
  packageLabel,
  type StagedPackage,
  type StagedPackageFile,
  stagedFile,
} from '#src/domain/remote_imports/registry/staged.ts';
import { checksumIn, parted, sizeIn } from '#src/domain/remote_imports/registry/values.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

/** Kinds of packages that come along. Modules of Go are read from the repository, so that there is nothing to take. */
const TAKEN: ReadonlySet<string> = new Set<PackageType>([
  ...(['generic', 'npm', 'pypi', 'maven', 'nuget', 'composer', 'helm', 'conan', 'rubygems'] as const),
  'terraform_module',
]);
const FROM_GIT = ['golang', 'composer'];
/** Files that registries make of the others. */
const MADE = /^maven-metadata\.xml$|\.(?:md5|sha1|sha256|sha512)$/;
/** The channel of charts, which GitLab does not tell, as its documentation has it. */
const CHANNEL = 'stable';

/** The packages of a project and the files of each, the oldest first. */
export const GITLAB_PACKAGE_PHASES: readonly Phase[] = [
  gitlabList({
    name: 'packages',
    part: 'packages',
    path: '/packages?order_by=created_at&sort=asc',
    what: 'packages',
    forbidden: 'The token may not read packages.',
    isOptional: true,
    records: (given) => packageRecords(given),
    remark: packageRemark,
  }),
  packageFilesPhase(filesOf),
  gitlabList({
    name: 'container_repositories',
    part: 'images',
    path: '/registry/repositories',
    what: 'repositories of images',
    forbidden: 'The token may not read images.',
    isOptional: true,
    records: (given, context) => [{ kind: 'container_repositories', record: { ...repositoryOf(given, context) } }],
  }),
];

function packageRecords(given: Given): StagedRecord[] {
  const type = textIn(given, 'package_type', 40);
  if (!TAKEN.has(type)) return [];
  const record: StagedPackage = {
    id: String(idIn(given, 'id')),
    type,
    name: titleIn(given, 'name'),
    version: titleIn(given, 'version'),
    status: given.status === 'hidden' ? 'hidden' : 'default',
    created_at: timeIn(given, 'created_at'),
    // It names who started the pipeline, and not who published.
    user_id: null,
  };
  return [{ kind: 'packages', record: { ...record } }];
}

/** Why a package stays behind. */
function packageRemark(given: Given): string | null {
  const type = textIn(given, 'package_type', 40);
  if (TAKEN.has(type) || FROM_GIT.includes(type)) return null;
  if (type === 'debian') return `${label(given)}: a package of Debian belongs to a distribution. Upload it anew.`;
  return Object.hasOwn(PACKAGE_KINDS, type)
    ? `${label(given)}: packages of this kind do not come along.`
    : `${label(given)}: Gantry has no packages of this kind.`;
}

const label = (given: Given) =>
  packageLabel({
    ...{ type: textIn(given, 'package_type', 40), name: textIn(given, 'name', 255) },
    version: textIn(given, 'version', 255),
  });

/** A page of the files of a package. */
async function filesOf(context: PhaseContext, own: StagedPackage, cursor: string | null): Promise<FilesOfPackage> {
  // It has no files: it is made of a tag or a branch.
  if (own.type === 'composer') {
    return filesOfRepository(own);
  }
  try {
    const { entries, next } = await readPage(context, `/packages/${own.id}/package_files`, cursor, 'files of packages');
    const records: StagedRecord[] = [];
    const leftOut: LeftOut[] = [];
    for (const entry of entries) {
      const found = fileRecord(entry, own, context);
      if (typeof found === 'string') leftOut.push({ kind: 'packages', name: fileLabel(entry, own), message: found });
      else if (found !== null) records.push({ kind: 'package_files', record: { ...found } });
    }
    return { records, leftOut, next };
  } catch (error) {
    const isAbsent = error instanceof RemoteRefused && ABSENT_STATUSES.includes(error.status);
    if (!isAbsent && !(error instanceof SourceInvalid)) throw error;
    const message = (error as Error).message;
    return { records: [], leftOut: [{ kind: 'packages', name: packageLabel(own), message }], next: null };
  }
}

const fileLabel = (given: Given, own: StagedPackage) =>
  `${packageLabel(own)} ${textIn(given, 'file_name', 255)}`.slice(0, 500);

/** A file of a package; null for one that is made of others, and a message for one that stays behind. */
function fileRecord(given: Given, own: StagedPackage, { project }: PhaseContext): StagedPackageFile | string | null {
  const fileName = titleIn(given, 'file_name');
  if (own.type === 'maven' && MADE.test(fileName)) return null;
  if (own.type === 'nuget' && !fileName.endsWith('.nupkg')) return 'Symbols of packages of NuGet do not come along.';
  const sha256 = checksumIn(given, 'file_sha256', 64);
  const at = addressOf(own, fileName, sha256);
  if (at === null) return 'Its address at the source is not known.';
  return {
    ...stagedFile(own, String(idIn(given, 'id')), fileName),
    size: sizeIn(given, 'size'),
    md5: checksumIn(given, 'file_md5', 32),
    sha1: checksumIn(given, 'file_sha1', 40),
    sha256,
    file_created_at: timeIn(given, 'created_at') ?? own.created_at,
    url: `${project.api}/packages/${at}`,
    document: own.type === 'npm' ? `${project.api}/packages/npm/${parted(own.name).replaceAll('/', '%2F')}` : null,
    channel: own.type === 'helm' ? CHANNEL : null,
  };
}

/** Where a file is below `/packages` of its project; null where that is not known. */
function addressOf({ type, name, version }: StagedPackage, fileName: string, sha256: string | null): string | null {
  const file = parted(fileName);
  switch (type) {
    case 'npm':
      return `npm/${parted(name)}/-/${file}`;
    case 'pypi':
      return sha256 === null ? null : `pypi/files/${sha256}/${file}`;
    case 'nuget':
      return `nuget/download/${parted(name, version)}/${file}`;
    case 'helm':
      return `helm/${CHANNEL}/charts/${file}`;
    case 'rubygems':
      return `rubygems/gems/${file}`;
    case 'terraform_module':
      return `terraform/modules/${parted(name, version)}`;
    case 'conan':
      // Files of recipes without a folder are those of several revisions.
      return fileName.includes('/')
        ? PACKAGE_KINDS.conan.download({ name, version, fileName, sha256: '', details: null })
        : null;
    default:
      return `${type}/${parted(name, version)}/${file}`;
  }
}

/** A repository of images, and the registry that has it. */
function repositoryOf(given: Given, { project }: PhaseContext): StagedImageRepository {
  const path = textIn(given, 'path', 255).toLowerCase();
  const location = textIn(given, 'location', 600);
  const { protocol } = new URL(project.server);
  const host = location.slice(0, Math.max(0, location.length - path.length - 1));
  const own = project.path.toLowerCase();
  const isOfProject = path === own || path.startsWith(`${own}/`);
  if (!isOfProject || !/^[\w.:[\]-]{1,255}$/.test(host) || !URL.canParse(`${protocol}//${host}`)) {
    throw new SourceInvalid('The source answered with a repository of images whose location is not one.');
  }
  return { registry: `${protocol}//${host}`, repository: path, name: path.slice(own.length + 1) };
}

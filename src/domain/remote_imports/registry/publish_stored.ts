import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { normalizedVersion } from '#src/domain/packages/archives/nuspec.ts';
import { readPythonMetadata } from '#src/domain/packages/archives/python_metadata.ts';
import { checkNames } from '#src/domain/packages/names.ts';
import { recordNpmVersion } from '#src/domain/packages/npm.ts';
import { inProject } from '#src/domain/packages/places.ts';
import { chartPublication } from '#src/domain/packages/publications/helm.ts';
import { nugetPublication } from '#src/domain/packages/publications/nuget.ts';
import { normalizedName, PYTHON_TEXTS, pythonPublication } from '#src/domain/packages/publications/pypi.ts';
import { gemPublication } from '#src/domain/packages/publications/rubygems.ts';
import { modulePublication } from '#src/domain/packages/publications/terraform_module.ts';
import { type Publication, type PublishedBefore, recordPackage } from '#src/domain/packages/publish.ts';
import type { StoredContent } from '#src/domain/packages/receive.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { isGiven } from '#src/domain/remote_imports/base/values.ts';
import { deprecationIn, type NpmDocuments } from '#src/domain/remote_imports/registry/npm_documents.ts';
import type { StagedPackageFile } from '#src/domain/remote_imports/registry/staged.ts';
import { checksumIn } from '#src/domain/remote_imports/registry/values.ts';
import { BadRequest } from '#src/platform/errors.ts';
import { RemoteRefused } from '#src/platform/outbound/remote_client.ts';

interface Publisher {
  actor: Actor;
  project: ProjectRow;
}

/**
 * Publishes a file in the store as the registry of its kind does, with what the file says of itself. Throws DomainError, and RemoteRefused
 * for a file of another package than the source says.
 */
export async function publishStored(
  context: Context,
  by: Publisher,
  file: StagedPackageFile,
  stored: StoredContent,
  documents: NpmDocuments,
  before: PublishedBefore,
): Promise<void> {
  if (file.type === 'npm') return publishNpm(context, by, file, stored, documents, before);
  const publication = await publicationOf(context, by, file, stored);
  if (!isOf(publication, file)) throw new RemoteRefused('It is a file of another package.');
  await recordPackage(context, by, { ...publication, status: file.status, before }, stored);
}

async function publicationOf(
  context: Context,
  { project }: Publisher,
  { type, name, version, file_name: fileName, channel }: StagedPackageFile,
  stored: StoredContent,
): Promise<Publication> {
  const named = { name, version, fileName };
  switch (type) {
    case 'generic':
      checkNames(named);
      return { type, ...named };
    case 'maven':
    case 'conan':
      return { type, ...named };
    case 'helm':
      return chartPublication(project.id, channel ?? 'stable', stored);
    case 'nuget':
      return nugetPublication(context, inProject(context, project), stored);
    case 'rubygems':
      return gemPublication(project.id, stored);
    case 'terraform_module':
      return modulePublication(named);
    case 'pypi':
      return pythonFile(named, stored);
    default:
      throw new RemoteRefused('Packages of this kind do not come along.');
  }
}

/** Whether a file is of the package that the source says it is of, however name and version are written. */
function isOf(publication: Publication, { type, name, version }: StagedPackageFile): boolean {
  if (type === 'pypi') return true;
  if (type !== 'nuget') return publication.name === name && publication.version === version;
  const isNamed = publication.name.toLowerCase() === name.toLowerCase();
  return isNamed && publication.version.toLowerCase() === normalizedVersion(version).toLowerCase();
}

/** A file of a package of PyPI: what programs send beside it is in its metadata, too. */
async function pythonFile(
  { name, version, fileName }: { name: string; version: string; fileName: string },
  stored: StoredContent,
): Promise<Publication> {
  // Registries take what they cannot read, too.
  const fields = await readPythonMetadata(stored).catch((error) => {
    if (error instanceof BadRequest) return new Map<string, string>();
    throw error;
  });
  const own = fields.get('name') ?? name;
  if (normalizedName(own) !== normalizedName(name)) throw new RemoteRefused('It is a file of another package.');
  const texts = PYTHON_TEXTS.flatMap((key) => {
    const text = fields.get(key.replaceAll('_', '-'));
    return text ? [[key, text] as const] : [];
  });
  const facts = { name: own, version, requiresPython: fields.get('requires-python') };
  return pythonPublication({ ...facts, texts: Object.fromEntries(texts) }, fileName);
}

async function publishNpm(
  context: Context,
  by: Publisher,
  { name, version, document, status }: StagedPackageFile,
  stored: StoredContent,
  documents: NpmDocuments,
  before: PublishedBefore,
): Promise<void> {
  const found = document === null ? undefined : (await documents.read(document)).versions.get(version);
  if (found === undefined) throw new RemoteRefused('The document of the package does not have the version.');
  const { dist, deprecated: _deprecated, ...manifest } = found;
  // Servers that do not have a package may lead to one of the same name elsewhere.
  const said = isGiven(dist) ? checksumIn(dist, 'shasum', 40) : null;
  if (said !== null && said !== stored.checksums.sha1) {
    throw new RemoteRefused('The document of the package is of another archive.');
  }
  const own = { name, version, manifest, tags: [], status, deprecated: deprecationIn(found) };
  await recordNpmVersion(context, by, own, stored, before);
}

import { buffer } from 'node:stream/consumers';
import {
  findZipEntry,
  listZipFolder,
  openZipEntry,
  UnreadableZip,
  type ZipSource,
} from '#src/domain/ci/artifacts/zip.ts';
import { BadXml, readXml } from '#src/domain/ci/reports/xml.ts';
import type { Manifest } from '#src/domain/packages/versions.ts';
import { BadRequest, ContentTooLarge } from '#src/platform/errors.ts';

/** A package that another one needs. */
export interface NuGetDependency {
  id: string;
  /** Of versions; empty for any. */
  range: string;
}

/** What a package of NuGet says of itself. */
export interface Nuspec extends Manifest {
  id: string;
  version: string;
  /** What it needs, by the framework that it is used with; empty for any. */
  dependencyGroups: { targetFramework: string; dependencies: NuGetDependency[] }[];
}

/** Bytes of the longest description, and how many packages one needs at most. */
const MAX_NUSPEC_BYTES = 256 * 1024;
const MAX_DEPENDENCIES = 1_000;
const TEXTS = new Set([
  ...['id', 'version', 'title', 'authors', 'description', 'summary', 'tags', 'projectUrl', 'licenseUrl', 'license'],
  ...['iconUrl', 'language', 'minClientVersion', 'requireLicenseAcceptance', 'releaseNotes', 'copyright'],
]);

/** What the archive of a package says of itself. Throws BadRequest. */
export async function readNuspec(source: ZipSource): Promise<Nuspec> {
  try {
    const file = (await listZipFolder(source, ''))?.find(({ name, isFolder }) => !isFolder && /\.nuspec$/i.test(name));
    const entry = file && (await findZipEntry(source, file.name));
    if (!entry) throw new BadRequest('The package has no .nuspec file', 'package');
    if (entry.size > MAX_NUSPEC_BYTES) throw new BadRequest('The .nuspec file is too large', 'package');
    return parsed((await buffer(await openZipEntry(source, entry))).toString('utf8'));
  } catch (error) {
    if (error instanceof UnreadableZip || error instanceof BadXml || error instanceof ContentTooLarge)
      throw new BadRequest(`The package cannot be read: ${error.message}`, 'package');
    throw error;
  }
}

function parsed(text: string): Nuspec {
  const texts: Record<string, string> = {};
  const groups: Nuspec['dependencyGroups'] = [];
  const path: string[] = [];
  let count = 0;
  for (const event of readXml(text)) {
    if (event.kind === 'end') path.pop();
    else if (event.kind === 'text') {
      const name = path.at(-1) ?? '';
      if (path.length === 3 && path[1] === 'metadata' && TEXTS.has(name))
        texts[name] = (texts[name] ?? '') + event.text;
    } else {
      path.push(event.name);
      if (path[2] !== 'dependencies') continue;
      if (event.name === 'group')
        groups.push({ targetFramework: event.attributes.get('targetFramework') ?? '', dependencies: [] });
      if (event.name !== 'dependency') continue;
      count += 1;
      if (count > MAX_DEPENDENCIES) throw new BadRequest('The package needs too many others', 'package');
      if (groups.length === 0) groups.push({ targetFramework: '', dependencies: [] });
      const { attributes } = event;
      groups.at(-1)?.dependencies.push({ id: attributes.get('id') ?? '', range: attributes.get('version') ?? '' });
    }
  }
  const { id, version, ...rest } = Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [name, value.trim()]),
  );
  if (!id || !version) throw new BadRequest('The .nuspec file must have an id and a version', 'package');
  return { ...rest, id, version: normalizedVersion(version), dependencyGroups: groups };
}

/** A version as all ways to write it are one: no leading zeros, no fourth number that is 0, no build metadata. */
export function normalizedVersion(version: string): string {
  const [, numbers = '', label = ''] = /^(\d{1,10}(?:\.\d{1,10}){0,3})(-[0-9A-Za-z.-]+)?(?:\+.*)?$/.exec(version) ?? [];
  if (numbers === '') throw new BadRequest('The version is invalid', 'version', 'valueInvalid');
  const parts = numbers.split('.').map(Number);
  while (parts.length < 3) parts.push(0);
  if (parts.length === 4 && parts[3] === 0) parts.pop();
  return `${parts.join('.')}${label}`;
}

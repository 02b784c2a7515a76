import { readNuspec } from '#src/domain/packages/archives/nuspec.ts';
import type { Places } from '#src/domain/packages/places.ts';
import type { Publication } from '#src/domain/packages/publish.ts';
import type { StoredContent } from '#src/domain/packages/receive.ts';
import { listVersions } from '#src/domain/packages/versions.ts';
import type { Db } from '#src/platform/database/db.ts';
import { AlreadyExists } from '#src/platform/errors.ts';

/**
 * A package of NuGet as it is published: with its name as it was first written. A version is published once. Throws BadRequest.
 *
 * @param places the project that it is published in
 */
export async function nugetPublication(
  context: { db: Db },
  places: Places,
  stored: StoredContent,
): Promise<Publication> {
  const nuspec = await readNuspec(stored);
  const { id: name, version } = nuspec;
  const [known] = await listVersions(context, places, { type: 'nuget', name, limit: 1 });
  const refusal = () => new AlreadyExists(`${name} ${version} exists already`);
  return {
    ...{ type: 'nuget', name: known?.name ?? name, version, fileName: nugetFileName({ name, version }) },
    ...{ manifest: nuspec, once: { what: 'version', refusal } },
  };
}

/** What the archive of a version is called. */
export function nugetFileName({ name, version }: { name: string; version: string }): string {
  return `${name}.${version}.nupkg`.toLowerCase();
}

import { readGem } from '#src/domain/packages/archives/gem.ts';
import type { Publication } from '#src/domain/packages/publish.ts';
import type { StoredContent } from '#src/domain/packages/receive.ts';
import { AlreadyExists } from '#src/platform/errors.ts';

/** A gem as it is published, with its platform in the version. A version is published once. Throws BadRequest, Unavailable. */
export async function gemPublication(projectId: number, stored: StoredContent): Promise<Publication> {
  const gem = await readGem(projectId, stored.stream());
  const { name, platform } = gem;
  const version = platform === 'ruby' ? gem.version : `${gem.version}-${platform}`;
  const refusal = () => new AlreadyExists(`${name} ${version} exists already`);
  return {
    ...{ type: 'rubygems', name, version, fileName: gemFileName({ name, version }) },
    ...{ manifest: gem, once: { what: 'version', refusal } },
  };
}

/** What the archive of a version is called. */
export function gemFileName({ name, version }: { name: string; version: string }): string {
  return `${name}-${version}.gem`;
}

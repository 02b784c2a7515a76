import { authorize } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { parseJson, UnusableJson } from '#src/base/json.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { checkKind } from '#src/domain/packages/names.ts';
import { type PublishedBefore, saveVersion } from '#src/domain/packages/publish.ts';
import { publishableProject } from '#src/domain/packages/receive.ts';
import type { Manifest } from '#src/domain/packages/versions.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';

/** What is kept of a version: its `composer.json`, and the commit that it is made of. */
export interface ComposerManifest extends Manifest {
  composer: Manifest;
  sha: string;
}

/** Bytes of the longest `composer.json`. */
const MAX_COMPOSER_BYTES = 256 * 1024;
const TAG = /^v?(\d{1,9}(?:\.\d{1,9}){0,3}(?:[-+.]?[0-9A-Za-z.+-]+)?)$/;
const NUMBERED_BRANCH = /^v?(\d{1,9}(?:\.\d{1,9}){0,2})(?:\.x)?$/;

/**
 * Publishes what a tag or branch of a project has as a version of a Composer package, which its `composer.json` names. What was published of
 * the tag or branch before is replaced. Throws NotFound, Forbidden, BadRequest.
 */
export async function publishComposerPackage(
  context: Context,
  ref: IdOrPath,
  { tag, branch }: { tag?: string | undefined; branch?: string | undefined },
): Promise<{ name: string; version: string }> {
  const { actor, project } = await publishableProject(context, ref);
  authorize(actor, 'read_repository', project);
  if ((tag === undefined) === (branch === undefined))
    throw new BadRequest('One of tag and branch must be given', 'tag');
  const repository = await context.repositories.open(project);
  const sha =
    tag === undefined ? (await repository?.branch(branch ?? ''))?.commit : (await repository?.tag(tag))?.commit;
  if (!repository || !sha) throw new NotFound(tag === undefined ? 'Branch' : 'Tag');
  const version = tag === undefined ? versionOfBranch(branch ?? '') : versionOfTag(tag);
  return recordComposerVersion(context, { actor, project }, { repository, sha, version });
}

/**
 * Records what a commit has as a version of a Composer package. Throws BadRequest, Forbidden.
 *
 * @param repository that has the commit
 * @param expected the name that it must have; any if it is left out
 */
export async function recordComposerVersion(
  { db }: Pick<Context, 'db'>,
  by: { actor: Actor; project: Pick<ProjectRow, 'id' | 'accessLevel'> },
  {
    repository,
    sha,
    version,
    expected,
  }: { repository: RepositoryReader; sha: string; version: string; expected?: string },
  before?: PublishedBefore,
): Promise<{ name: string; version: string }> {
  const composer = await readComposer(repository, sha);
  const name = String(composer.name).toLowerCase();
  if (expected !== undefined && name !== expected.toLowerCase())
    throw new BadRequest('composer.json of the commit is of another package');
  const manifest: ComposerManifest = { composer, sha };
  checkKind('composer', { name, version, fileName: '' });
  await db.$transaction(async (tx) => {
    const packageId = await saveVersion(tx, by, { type: 'composer', name, version, manifest, before });
    await before?.andThen(tx, { packageId, fileId: null });
  });
  return { name, version };
}

/** The tags and branches that a version may have been made of, the likeliest first. */
export function refsOfComposerVersion(version: string): ({ tag: string } | { branch: string })[] {
  if (version.startsWith('dev-')) return [{ branch: version.slice('dev-'.length) }];
  if (!version.endsWith('.x-dev')) return [{ tag: `v${version}` }, { tag: version }];
  const number = version.slice(0, -'.x-dev'.length);
  return [`${number}.x`, number, `v${number}.x`, `v${number}`].map((branch) => ({ branch }));
}

async function readComposer(repository: RepositoryReader, sha: string): Promise<Manifest> {
  const entry = await repository.entry(sha, 'composer.json');
  const size = entry?.type === 'blob' ? await repository.blobSize(entry.oid) : null;
  if (!entry || size === null) throw new BadRequest('The commit has no composer.json');
  if (size > MAX_COMPOSER_BYTES) throw new BadRequest('composer.json is too large');
  try {
    const value = parseJson((await repository.blob(entry.oid, MAX_COMPOSER_BYTES)) ?? Buffer.alloc(0));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Manifest;
  } catch (error) {
    if (!(error instanceof UnusableJson)) throw error;
  }
  throw new BadRequest('composer.json is not valid');
}

function versionOfTag(tag: string): string {
  const version = TAG.exec(tag)?.[1];
  if (version === undefined) throw new BadRequest('tag must be a version', 'tag', 'valueInvalid');
  return version;
}

/** As Composer calls branches: `1.x-dev` where they are numbered, else `dev-NAME`. */
function versionOfBranch(branch: string): string {
  const number = NUMBERED_BRANCH.exec(branch)?.[1];
  return number === undefined ? `dev-${branch}` : `${number}.x-dev`;
}

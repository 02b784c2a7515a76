import { type PackageSettings, packageSettingsOf, RULES_OF_KINDS } from '#src/domain/packages/settings.ts';
import type { PackageType } from '#src/domain/packages/types.ts';
import { matchingWhole } from '#src/domain/repository/branches/match_whole.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { BadRequest, DomainError } from '#src/platform/errors.ts';

/** What is published once: a version, or each of its files; and the error for one that is there already. */
export interface Once {
  what: 'version' | 'file';
  refusal: () => DomainError;
}

/**
 * What of a package is published once in a project, by the settings of the nearest group; undefined where a further file of a name counts
 * in place of the earlier one. Kinds of packages without settings do as their protocols say. Throws Unavailable, LimitReached.
 *
 * @param once what the protocol says
 */
export async function onceIn(
  { db }: { db: Db },
  projectId: number,
  { type, name, version }: { type: PackageType; name: string; version: string },
  once: Once | undefined,
): Promise<Once | undefined> {
  if (!isGoverned(type)) return once;
  const { allowed, exceptions } = RULES_OF_KINDS[type];
  const project = await db.project.findUnique({ where: { id: projectId }, select: { namespaceId: true } });
  const [settings] = project ? await packageSettingsOf({ db }, [project.namespaceId]) : [];
  if (!settings) return once;
  const names = [{ name }, { name: version }];
  if (settings[allowed] || (await isException(settings, exceptions, names, `project ${projectId}`))) return undefined;
  const refusal = () =>
    new BadRequest('Duplicate package is not allowed').asExisting({ type: 'Package', name: `${name} ${version}` });
  return once ?? { what: 'file', refusal };
}

/** Throws the refusal for what is published once, and is there already. The caller has locked the version. */
export async function requireFirst(
  tx: Transaction,
  packageId: number,
  { type, version, fileName }: { type: PackageType; version: string; fileName: string },
  { what, refusal }: Once,
): Promise<void> {
  const where = { packageId, ...(what === 'file' && { fileName }) };
  const isSnapshot = type === 'maven' && version.endsWith('-SNAPSHOT');
  const isThere = isSnapshot
    ? await isBuilt(tx, packageId, fileName)
    : (await tx.packageFile.findFirst({ where, select: { id: true } })) !== null;
  if (isThere) throw refusal();
}

const isGoverned = (type: PackageType): type is keyof typeof RULES_OF_KINDS => Object.hasOwn(RULES_OF_KINDS, type);

/** Whether names can be published again all the same. Expressions that are invalid, or take too long, match none. */
async function isException(
  settings: PackageSettings,
  exceptions: (typeof RULES_OF_KINDS)[keyof typeof RULES_OF_KINDS]['exceptions'],
  names: readonly { name: string }[],
  caller: string,
): Promise<boolean> {
  const pattern = settings[exceptions];
  if (pattern === '') return false;
  try {
    return (await matchingWhole(names, pattern, 'regex', caller)).length > 0;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'BAD_REQUEST') return false;
    throw error;
  }
}

/** Whether a snapshot has a file of the name from any build: `app-1.0-20261129.173000-2.jar` and `…-3.jar` are the same one. */
async function isBuilt(tx: Transaction, packageId: number, fileName: string): Promise<boolean> {
  const found = await tx.$queryRaw<object[]>`
    SELECT 1 FROM package_files WHERE package_id = ${packageId}
      AND regexp_replace(file_name, '-\\d{8}\\.\\d{6}-\\d+', '') = regexp_replace(${fileName}, '-\\d{8}\\.\\d{6}-\\d+', '')
    LIMIT 1`;
  return found.length > 0;
}

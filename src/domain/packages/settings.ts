import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { type AuditPlace, audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { snakeCase } from '#src/base/text.ts';
import { findGroup } from '#src/domain/groups/find.ts';
import { MAX_NAME_LENGTH, type PackageType } from '#src/domain/packages/types.ts';
import { isPattern } from '#src/domain/repository/branches/match_whole.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** Whether packages can be published again, by their kinds, and the regular expressions of those that can all the same. */
export interface DuplicateRules {
  mavenDuplicatesAllowed: boolean;
  mavenDuplicateExceptionRegex: string;
  genericDuplicatesAllowed: boolean;
  genericDuplicateExceptionRegex: string;
  nugetDuplicatesAllowed: boolean;
  nugetDuplicateExceptionRegex: string;
  terraformModuleDuplicatesAllowed: boolean;
  terraformModuleDuplicateExceptionRegex: string;
}

/** What counts where no namespace says anything. */
const DEFAULTS: Readonly<DuplicateRules> = {
  ...{ mavenDuplicatesAllowed: true, mavenDuplicateExceptionRegex: '' },
  ...{ genericDuplicatesAllowed: true, genericDuplicateExceptionRegex: '' },
  ...{ nugetDuplicatesAllowed: false, nugetDuplicateExceptionRegex: '' },
  ...{ terraformModuleDuplicatesAllowed: false, terraformModuleDuplicateExceptionRegex: '' },
};

/** The settings of the kinds of packages that have them. */
export const RULES_OF_KINDS = {
  maven: { allowed: 'mavenDuplicatesAllowed', exceptions: 'mavenDuplicateExceptionRegex' },
  generic: { allowed: 'genericDuplicatesAllowed', exceptions: 'genericDuplicateExceptionRegex' },
  nuget: { allowed: 'nugetDuplicatesAllowed', exceptions: 'nugetDuplicateExceptionRegex' },
  terraform_module: {
    allowed: 'terraformModuleDuplicatesAllowed',
    exceptions: 'terraformModuleDuplicateExceptionRegex',
  },
} as const satisfies Partial<Record<PackageType, { allowed: keyof DuplicateRules; exceptions: keyof DuplicateRules }>>;

/** The settings that count in a namespace. */
export interface PackageSettings extends DuplicateRules {
  /** Whether they are not its own, but those of a group around it or the default. */
  isInherited: boolean;
}

/**
 * The settings that count in namespaces, in the order of the IDs: their own, else those of the nearest group around with some, else the
 * default. Takes two statements; whoever calls it has checked who may know.
 */
export async function packageSettingsOf(
  { db }: { db: Db | Transaction },
  ids: readonly number[],
): Promise<PackageSettings[]> {
  const nearest = await db.$queryRaw<{ id: number; settingsId: number }[]>`
    SELECT DISTINCT ON (n.id) n.id, s.id AS "settingsId"
    FROM namespaces n JOIN package_settings s ON s.namespace_id = ANY(n.lineage)
    WHERE n.id = ANY(${[...ids]}::int[])
    ORDER BY n.id, array_position(n.lineage, s.namespace_id) DESC`;
  const where = { id: { in: nearest.map(({ settingsId }) => settingsId) } };
  const rows = nearest.length === 0 ? [] : await db.packageSettings.findMany({ where });
  const known = new Map(rows.map((row) => [row.id, row]));
  const settingsIds = new Map(nearest.map(({ id, settingsId }) => [id, settingsId]));
  return ids.map((id) => {
    const found = known.get(settingsIds.get(id) ?? 0);
    if (!found) return { ...DEFAULTS, isInherited: true };
    const { id: _, namespaceId, ...rules } = found;
    return { ...rules, isInherited: namespaceId !== id };
  });
}

/** Changes to settings; null and undefined leave one as it is. */
export type PackageSettingsChanges = { [Name in keyof DuplicateRules]?: DuplicateRules[Name] | null | undefined };

/**
 * Changes the settings of a group or of the personal namespace of the actor, by its full path. What it had from others before, it has by
 * itself from then on. Returns the ID of the namespace. Throws NotFound, Forbidden, ValidationFailed.
 */
export async function updatePackageSettings(
  context: Context,
  path: string,
  changes: PackageSettingsChanges,
): Promise<{ id: number }> {
  const { id: namespaceId, place } = await requireNamespace(context, path);
  const data = await checked(changes, `namespace ${namespaceId}`);
  await context.db.$transaction(async (tx) => {
    const [known] = await packageSettingsOf({ db: tx }, [namespaceId]);
    const { isInherited: _, ...rules } = known as PackageSettings;
    const create = { namespaceId, ...rules };
    const { id } = await tx.packageSettings.upsert({
      where: { namespaceId },
      create,
      update: {},
      select: { id: true },
    });
    const before = await rowBefore(tx, 'PackageSettings', id);
    await tx.packageSettings.update({ where: { id }, data });
    const event = { action: 'package_settings_updated', place, target: { type: 'PackageSettings', id } } as const;
    await auditChanges(tx, context, event, before);
  });
  return { id: namespaceId };
}

/**
 * Removes the settings of a namespace itself, so that those around it or the default count. Returns the ID of the namespace. Throws
 * NotFound, also if it has none, and Forbidden.
 */
export async function deletePackageSettings(context: Context, path: string): Promise<{ id: number }> {
  const { id: namespaceId, place } = await requireNamespace(context, path);
  await context.db.$transaction(async (tx) => {
    const known = await tx.packageSettings.findUnique({ where: { namespaceId }, select: { id: true } });
    const { count } = known ? await tx.packageSettings.deleteMany({ where: { id: known.id } }) : { count: 0 };
    if (!known || count === 0) throw new NotFound('PackageSettings');
    const target = { type: 'PackageSettings', id: known.id } as const;
    await audit(tx, context, { action: 'package_settings_deleted', place, target });
  });
  return { id: namespaceId };
}

/** The namespace whose settings the actor may change. Throws Unauthenticated, NotFound, Forbidden. */
async function requireNamespace(context: Context, path: string): Promise<{ id: number; place: AuditPlace }> {
  const actor = requireActor(context);
  const fullPath = { equals: path, mode: 'insensitive' } as const;
  const owner = actor.admin ? { not: null } : actor.id;
  const isText = path.isWellFormed() && !path.includes('\0');
  const own = isText
    ? await context.db.namespace.findFirst({
        where: { kind: 'user', fullPath, ownerId: owner, deletedAt: null },
        select: { id: true, ownerId: true },
      })
    : null;
  if (own?.ownerId != null) return { id: own.id, place: { userId: own.ownerId } };
  const group = await findGroup(context, path);
  authorize(actor, 'admin_group_package', group);
  return { id: group.id, place: { groupId: group.id } };
}

/** Whether a text can be the exceptions of a kind. Throws Unavailable, LimitReached. */
export async function isExceptionPattern(text: string, caller: string): Promise<boolean> {
  return text.length <= MAX_NAME_LENGTH && (text === '' || (await isPattern(text, caller)));
}

/** The columns of what was given. Throws ValidationFailed. */
async function checked(changes: PackageSettingsChanges, caller: string): Promise<Partial<DuplicateRules>> {
  const wrong: Record<string, string[]> = {};
  for (const { exceptions } of Object.values(RULES_OF_KINDS)) {
    const text = changes[exceptions] ?? '';
    if (text.length > MAX_NAME_LENGTH)
      wrong[snakeCase(exceptions)] = [`is too long (maximum is ${MAX_NAME_LENGTH} characters)`];
    else if (!(await isExceptionPattern(text, caller)))
      wrong[snakeCase(exceptions)] = ['is an invalid regular expression'];
  }
  if (Object.keys(wrong).length > 0) throw new ValidationFailed(wrong);
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value != null));
}

import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import type { Visibility } from '#src/access/permissions/abilities.ts';
import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import { checkFixed, checkSettings } from '#src/domain/administration/settings/validate.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { currentSettings, forgetSettings, type Settings } from '#src/platform/settings/current.ts';

type Writable = Omit<Settings, 'id' | 'createdAt' | 'updatedAt' | 'restrictedVisibilityLevels'>;

/** Changes to the settings: unset means unchanged, null clears a setting that may be empty. */
export type SettingsChanges = { [Name in keyof Writable]?: Writable[Name] | null | undefined } & {
  restrictedVisibilityLevels?: readonly string[] | null | undefined;
  /** The only storage, as older clients name it. */
  repositoryStorage?: string | null | undefined;
  /** The lists of domains as clients of today name them; they win. */
  domainAllowlist?: readonly string[] | null | undefined;
  domainDenylist?: readonly string[] | null | undefined;
  domainDenylistEnabled?: boolean | null | undefined;
  /** What clients of today set but cannot be changed here. */
  adminMode?: boolean | null | undefined;
  deletionAdjournedPeriod?: number | null | undefined;
};

/** The settings, for administrators. Throws Unauthenticated, Forbidden. */
export async function readSettings(context: Context): Promise<Settings> {
  requireAdmin(context);
  return currentSettings(context.db);
}

/** Changes the settings of the server. Throws Unauthenticated, Forbidden, ValidationFailed. */
export async function updateSettings(context: Context, changes: SettingsChanges): Promise<Settings> {
  requireAdmin(context);
  const { db, repositories } = context;
  checkFixed(changes);
  await db.$transaction(async (tx) => {
    // One change at a time: settings that depend on others are checked against the current ones.
    await tx.$executeRaw`SELECT 1 FROM application_settings WHERE id = 1 FOR UPDATE`;
    const row = await tx.applicationSettings.findUniqueOrThrow({ where: { id: 1 } });
    const given = normalized(changes);
    checkSettings(given, row as unknown as Settings, repositories.storages);
    // Users who were prompted for 2FA before are prompted again.
    if (given.requireTwoFactorAuthentication && !row.requireTwoFactorAuthentication) {
      await tx.user.updateMany({ where: { twoFactorWantedAt: { not: null } }, data: { twoFactorWantedAt: null } });
    }
    const before = await rowBefore(tx, 'ApplicationSettings', 1);
    await tx.applicationSettings.update({ where: { id: 1 }, data: columns(given) });
    const target = { type: 'Settings', id: null } as const;
    await auditChanges(tx, context, { action: 'settings_updated', place: 'server', target }, before);
  });
  forgetSettings(db);
  return currentSettings(db);
}

/** Settings that may be null. */
const NULLABLE = new Set([
  'signInText',
  'frontPageTitle',
  'frontPageText',
  'homePageUrl',
  'restrictedVisibilityLevels',
  'domainWhitelist',
  'domainBlacklist',
  'afterSignOutPath',
  'enabledGitAccessProtocol',
  'codeideUrl',
  'diagramUrl',
  'defaultBranchName',
  'defaultCiConfigPath',
] as const);
/** Lists that count as null when empty. */
const NULL_WHEN_EMPTY = ['restrictedVisibilityLevels', 'domainWhitelist', 'domainBlacklist'] as const;
const TEXTS = [
  'signInText',
  'frontPageTitle',
  'frontPageText',
  'homePageUrl',
  'afterSignOutPath',
  'codeideUrl',
  'diagramUrl',
  'defaultBranchName',
  'defaultCiConfigPath',
] as const;

/** The values in the form in which they are stored; null where a setting is cleared. */
function normalized({ repositoryStorage, ...named }: SettingsChanges): Partial<Settings> {
  const changes = withOldNames(named);
  const given: Record<string, unknown> = {};
  if (repositoryStorage != null) given.repositoryStorages = [repositoryStorage];
  for (const [name, value] of Object.entries(changes)) {
    if (value !== undefined && (value !== null || NULLABLE.has(name as never))) given[name] = value;
  }
  for (const name of TEXTS) if (typeof given[name] === 'string' && given[name].trim() === '') given[name] = null;
  for (const name of ['domainWhitelist', 'domainBlacklist'] as const) {
    if (changes[name]) given[name] = domains(changes[name]);
  }
  if (changes.restrictedVisibilityLevels) {
    given.restrictedVisibilityLevels = [...new Set(changes.restrictedVisibilityLevels)] as Visibility[];
  }
  for (const name of NULL_WHEN_EMPTY) if ((given[name] as unknown[] | null)?.length === 0) given[name] = null;
  return given;
}

/** With the lists of domains under the names of their columns, and without what cannot be changed. */
function withOldNames({
  domainAllowlist,
  domainDenylist,
  domainDenylistEnabled,
  adminMode: _adminMode,
  deletionAdjournedPeriod: _deletionAdjournedPeriod,
  ...changes
}: Omit<SettingsChanges, 'repositoryStorage'>): Omit<SettingsChanges, 'repositoryStorage'> {
  return {
    ...changes,
    ...(domainAllowlist === undefined ? {} : { domainWhitelist: domainAllowlist && [...domainAllowlist] }),
    ...(domainDenylist === undefined ? {} : { domainBlacklist: domainDenylist && [...domainDenylist] }),
    ...(domainDenylistEnabled == null ? {} : { domainBlacklistEnabled: domainDenylistEnabled }),
  };
}

/** Domains with any separators: each text may itself be a list. */
function domains(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => text.split(/[\s,;]+/)).filter((text) => text !== ''))];
}

function columns(given: Partial<Settings>): Prisma.ApplicationSettingsUpdateInput {
  const json = NULL_WHEN_EMPTY.flatMap((name) => (given[name] === null ? [[name, Prisma.DbNull]] : []));
  return { ...given, ...Object.fromEntries(json) };
}

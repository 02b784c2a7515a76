import { VISIBILITIES } from '#src/access/permissions/abilities.ts';
import { parseDuration } from '#src/base/duration.ts';
import { snakeCase } from '#src/base/text.ts';
import { isBranchName } from '#src/platform/branch_name.ts';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';
import type { Settings } from '#src/platform/settings/current.ts';

/**
 * Rejects settings that are invalid by themselves or with the stored ones (behaviour.md 1.6). Throws ValidationFailed.
 *
 * @param storages the names of the configured storages
 */
export function checkSettings(given: Partial<Settings>, stored: Settings, storages: readonly string[]): void {
  const missing = REQUIREMENTS.flatMap(([name, on]) => {
    return given[on] && given[name] === undefined && stored[name] === null ? [[snakeCase(name), ['is missing']]] : [];
  });
  const errors: FieldErrors = {};
  for (const [name, on, message] of REQUIREMENTS) {
    if ((given[on] ?? stored[on]) && given[name] === null) errors[snakeCase(name)] = [message];
  }
  for (const [name, smallest] of Object.entries(MINIMUMS)) {
    const value = given[name as keyof typeof MINIMUMS];
    if (value === undefined || value >= smallest) continue;
    errors[snakeCase(name)] = [smallest > 0 ? 'must be greater than 0' : 'must be greater than or equal to 0'];
  }
  const { defaultBranchProtection, homePageUrl, afterSignOutPath, enabledGitAccessProtocol } = given;
  if (defaultBranchProtection !== undefined && ![0, 1, 2].includes(defaultBranchProtection)) {
    errors.default_branch_protection = ['is not included in the list'];
  }
  if (enabledGitAccessProtocol && !['ssh', 'http'].includes(enabledGitAccessProtocol)) {
    errors.enabled_git_access_protocol = ['is not included in the list'];
  }
  if (homePageUrl && !isUrl(homePageUrl)) errors.home_page_url = ['must be a valid URL'];
  if (afterSignOutPath && !/^\/(?![/\\])/.test(afterSignOutPath) && !isUrl(afterSignOutPath)) {
    errors.after_sign_out_path = ['must be a valid URL'];
  }
  Object.assign(errors, listErrors(given, storages), textErrors(given));
  if (missing.length > 0) {
    const fields = Object.fromEntries(missing);
    throw new ValidationFailed(fields, { ...errors, ...fields }, 'valuesMissing');
  }
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

/** Rejects other values of what is the same on every server. Throws ValidationFailed. */
export function checkFixed({
  adminMode,
  deletionAdjournedPeriod,
}: {
  adminMode?: boolean | null | undefined;
  deletionAdjournedPeriod?: number | null | undefined;
}): void {
  const errors: FieldErrors = {};
  if (adminMode) errors.admin_mode = ['can only be false'];
  if (deletionAdjournedPeriod) errors.deletion_adjourned_period = ['can only be 0'];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

/** The errors of settings about repositories, pipelines and tokens. */
function textErrors(given: Partial<Settings>): FieldErrors {
  const { defaultBranchName, defaultCiConfigPath, defaultArtifactsExpireIn, personalAccessTokenPrefix } = given;
  const errors: FieldErrors = {};
  if (defaultBranchName && !isBranchName(defaultBranchName)) errors.default_branch_name = ['is invalid'];
  if (defaultCiConfigPath && !isFilePath(defaultCiConfigPath)) errors.default_ci_config_path = ['is invalid'];
  if (defaultArtifactsExpireIn !== undefined && parseDuration(defaultArtifactsExpireIn) === null) {
    errors.default_artifacts_expire_in = ['is not a correct duration'];
  }
  if (personalAccessTokenPrefix !== undefined) {
    const prefix = personalAccessTokenPrefix;
    if (prefix.length > MAX_PREFIX_LENGTH) {
      errors.personal_access_token_prefix = [`is too long (maximum is ${MAX_PREFIX_LENGTH} characters)`];
    } else if (!/^[\w+=/@:.-]*$/.test(prefix) || OTHER_PREFIXES.some((other) => prefix.startsWith(other))) {
      errors.personal_access_token_prefix = ['is invalid'];
    }
  }
  for (const [name, most] of Object.entries(MOST_CHARACTERS)) {
    const text = given[name as keyof typeof MOST_CHARACTERS];
    if (text && [...text].length > most) errors[snakeCase(name)] = [`is too long (maximum is ${most} characters)`];
  }
  const unknown = given.importSources?.filter((name) => !IMPORT_SOURCES.includes(name)) ?? [];
  if (unknown.length > 0) errors.import_sources = unknown.map((name) => `'${name}' is not an import source`);
  return errors;
}

const MAX_PREFIX_LENGTH = 20;
/** Of the texts of the front page. */
const MOST_CHARACTERS = { frontPageTitle: 255, frontPageText: 65_536 } as const;
/** What tokens of other kinds begin with. */
const OTHER_PREFIXES = ['gldt-', 'glrt-', 'glcbt-', 'gloas-', 'glptt-'];
const IMPORT_SOURCES = ['git', 'gitlab_project', 'github', 'gitea', 'gitlab'];

/** Whether it is a path of a file in a repository. */
function isFilePath(path: string): boolean {
  return path.length <= 255 && !/\p{Cc}/u.test(path) && !path.split('/').some((part) => ['', '.', '..'].includes(part));
}

/** Settings that need a value while a switch is on, with the error for a missing value. */
const REQUIREMENTS = [
  ['codeideUrl', 'codeideEnabled', "can't be blank"],
  ['diagramUrl', 'diagramEnabled', "can't be blank"],
  ['domainBlacklist', 'domainBlacklistEnabled', 'Domain blacklist cannot be empty if Blacklist is enabled.'],
] as const;

/** The minimum of each number; where it is 1, the message mentions 0. */
const MINIMUMS = {
  defaultProjectsLimit: 0,
  deactivateDormantUsersPeriod: 1,
  maxAttachmentSize: 1,
  maxArtifactsSize: 1,
  maxPagesSize: 0,
  twoFactorGracePeriod: 0,
  throttleUnauthenticatedApiRequestsPerPeriod: 1,
  throttleUnauthenticatedApiPeriodInSeconds: 1,
  throttleUnauthenticatedRequestsPerPeriod: 1,
  throttleUnauthenticatedPeriodInSeconds: 1,
  throttleAuthenticatedApiRequestsPerPeriod: 1,
  throttleAuthenticatedApiPeriodInSeconds: 1,
  throttleAuthenticatedWebRequestsPerPeriod: 1,
  throttleAuthenticatedWebPeriodInSeconds: 1,
  throttleProtectedPathsRequestsPerPeriod: 1,
  throttleProtectedPathsPeriodInSeconds: 1,
  maxExportSize: 0,
  maxImportSize: 0,
  sessionExpireDelay: 0,
  containerRegistryTokenExpireDelay: 1,
  terminalMaxSessionTime: 0,
  pollingIntervalMultiplier: 0,
} as const;

function listErrors(
  { restrictedVisibilityLevels, repositoryStorages }: Partial<Settings>,
  storages: readonly string[],
): FieldErrors {
  const errors: FieldErrors = {};
  const unknownLevels = restrictedVisibilityLevels?.filter((level) => !VISIBILITIES.includes(level)) ?? [];
  if (unknownLevels.length > 0) {
    errors.restricted_visibility_levels = unknownLevels.map((level) => `'${level}' is not a valid visibility level`);
  }
  const unknownStorages = repositoryStorages?.filter((name) => !storages.includes(name)) ?? [];
  if (repositoryStorages?.length === 0) errors.repository_storages = ["can't be blank"];
  else if (unknownStorages.length > 0) errors.repository_storages = [`can't include: ${unknownStorages.join(', ')}`];
  return errors;
}

function isUrl(text: string): boolean {
  return /^https?:\/\/[^\s/]+\S*$/i.test(text) && URL.canParse(text);
}

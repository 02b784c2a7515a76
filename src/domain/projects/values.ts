import type { Feature, FeatureLevel } from '#src/access/permissions/features.ts';
import { MAX_ARTIFACTS_SIZE } from '#src/domain/groups/values.ts';
import { unknownPlaceholders } from '#src/domain/projects/message_placeholders.ts';
import { isBranchName } from '#src/platform/branch_name.ts';
import type { FieldErrors } from '#src/platform/errors.ts';
import type { Columns } from '#src/platform/records/model.ts';

/** The feature switches of a project. */
export const SWITCHES = [
  'issuesEnabled',
  'mergeRequestsEnabled',
  'wikiEnabled',
  'jobsEnabled',
  'snippetsEnabled',
  'containerRegistryEnabled',
  'featureFlagsEnabled',
  'repositoryEnabled',
  'sharedRunnersEnabled',
  'groupRunnersEnabled',
  'lfsEnabled',
  'publicJobs',
  'requestAccessEnabled',
  'onlyAllowMergeIfPipelineSucceeds',
  'onlyAllowMergeIfAllDiscussionsAreResolved',
  'removeSourceBranchAfterMerge',
  'autocloseReferencedIssues',
  'allowMergeOnSkippedPipeline',
  'ciSeparatedCaches',
  'serviceDeskEnabled',
] as const;
export type Switch = (typeof SWITCHES)[number];
export type Switches = { [Name in Switch]?: boolean | null | undefined };

type SettingColumns = Pick<
  Columns['Project'],
  | 'mergeMethod'
  | 'squashOption'
  | 'mergeCommitTemplate'
  | 'squashCommitTemplate'
  | 'issuesTemplate'
  | 'mergeRequestsTemplate'
  | 'ciConfigPath'
  | 'autoCancelPendingPipelines'
  | 'pagesAccess'
>;

/** Who can use the features of a project; this goes before their switches. */
export interface FeatureAccess {
  featureAccess?: { readonly [Name in Feature]?: FeatureLevel | null | undefined } | null | undefined;
}

/** Settings of a project that are no switches. */
export type ProjectSettings = { [Name in keyof SettingColumns]?: SettingColumns[Name] | null | undefined };

export interface ProjectTexts {
  name?: string | undefined;
  path?: string | undefined;
  description?: string | null | undefined;
  defaultBranch?: string | null | undefined;
  /** Seconds that a job may run. */
  buildTimeout?: number | null | undefined;
  /** Commits that runners fetch: 0 or null for all. */
  ciDefaultGitDepth?: number | null | undefined;
  /** Megabytes that the artifacts of a job may have; null for the limit of its groups and the server. */
  maxArtifactsSize?: number | null | undefined;
  tagList?: readonly string[] | null | undefined;
}

/** The given switches; null is ignored, as each is always on or off. */
export function givenSwitches(input: Switches): Partial<Pick<Columns['Project'], Switch>> {
  return Object.fromEntries(SWITCHES.flatMap((name) => (input[name] == null ? [] : [[name, input[name]]])));
}

const TEXT_SETTINGS = [
  'mergeCommitTemplate',
  'squashCommitTemplate',
  'issuesTemplate',
  'mergeRequestsTemplate',
  'ciConfigPath',
] as const;

/** The given settings that are no switches; an empty text counts as none. */
export function givenSettings(input: ProjectSettings): Partial<SettingColumns> {
  const { mergeMethod, squashOption, autoCancelPendingPipelines, pagesAccess } = input;
  const texts = TEXT_SETTINGS.flatMap((name) =>
    input[name] === undefined ? [] : [[name, input[name]?.trim() || null]],
  );
  return {
    ...(mergeMethod == null ? {} : { mergeMethod }),
    ...(pagesAccess == null ? {} : { pagesAccess }),
    ...(squashOption == null ? {} : { squashOption }),
    ...(autoCancelPendingPipelines == null ? {} : { autoCancelPendingPipelines }),
    ...Object.fromEntries(texts),
  };
}

/** Characters of the longest name and path. */
const MAX_NAME_LENGTH = 255;

/** Normalizes tags: trimmed, without duplicates, and storable in the database. */
export function tags(list: readonly string[] | null): string[] {
  return [...new Set((list ?? []).map((tag) => tag.trim().toWellFormed()).filter((tag) => tag !== ''))];
}

/** The errors of the given texts (behaviour.md 1.6). */
export function textErrors({
  name,
  path,
  description,
  defaultBranch,
  tagList,
  buildTimeout: timeout,
  ciDefaultGitDepth: depth,
  maxArtifactsSize,
  ciConfigPath,
  mergeCommitTemplate,
  squashCommitTemplate,
  issuesTemplate,
  mergeRequestsTemplate,
}: ProjectTexts & ProjectSettings): FieldErrors {
  const wrong: [string, string | null][] = [
    ['name', name === undefined ? null : nameError(name)],
    ['path', path === undefined ? null : pathError(path)],
    ['description', description && [...description].length > DESCRIPTION ? tooLong(DESCRIPTION) : null],
    ['default_branch', defaultBranch && !isBranchName(defaultBranch) ? 'is invalid' : null],
    [
      'build_timeout',
      timeout != null && (timeout < 60 || timeout > MAX_JOB_SECONDS) ? `must be from 60 to ${MAX_JOB_SECONDS}` : null,
    ],
    [
      'ci_default_git_depth',
      depth != null && (depth < 0 || depth > MAX_FETCH_DEPTH) ? `must be from 0 to ${MAX_FETCH_DEPTH}` : null,
    ],
    ['max_artifacts_size', artifactsError(maxArtifactsSize)],
    ['ci_config_path', ciConfigPath ? configPathError(ciConfigPath) : null],
    ['merge_commit_template', templateError(mergeCommitTemplate)],
    ['squash_commit_template', templateError(squashCommitTemplate)],
    ['issues_template', descriptionError(issuesTemplate)],
    ['merge_requests_template', descriptionError(mergeRequestsTemplate)],
    ['tag_list', tagList ? tagsError(tagList) : null],
  ];
  return Object.fromEntries(wrong.flatMap(([field, message]) => (message === null ? [] : [[field, [message]]])));
}

/** What is wrong with a limit of artifacts in megabytes. */
function artifactsError(size: number | null | undefined): string | null {
  return size != null && (size < 1 || size > MAX_ARTIFACTS_SIZE) ? `must be from 1 to ${MAX_ARTIFACTS_SIZE}` : null;
}

const DESCRIPTION = 2000;
/** Characters of what descriptions of issues and merge requests begin with. */
const MAX_DESCRIPTION_TEMPLATE = 65_536;
/** Seconds that a job may run at most: thirty days. */
const MAX_JOB_SECONDS = 30 * 86_400;
/** The greatest depth to which runners fetch by default. */
const MAX_FETCH_DEPTH = 1000;
const MAX_TAGS = 100;

/** Characters of the longest template of a message. */
const TEMPLATE = 500;

function templateError(template: string | null | undefined): string | null {
  if (template == null) return null;
  if ([...template].length > TEMPLATE) return tooLong(TEMPLATE);
  const unknown = unknownPlaceholders(template);
  return unknown.length > 0 ? `has unknown placeholders: ${unknown.join(', ')}` : null;
}

function descriptionError(template: string | null | undefined): string | null {
  return template != null && template.length > MAX_DESCRIPTION_TEMPLATE ? tooLong(MAX_DESCRIPTION_TEMPLATE) : null;
}

/** Files of the repository itself, without the files of other projects and servers. */
function configPathError(path: string): string | null {
  if (path.length > MAX_NAME_LENGTH) return tooLong(MAX_NAME_LENGTH);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no file of a repository is meant by them
  const isFile = /^[^/@:\0-\x1f][^@:\0-\x1f]*\.ya?ml$/.test(path) && !path.split('/').includes('..');
  return isFile ? null : 'must be the path of a file in the repository that ends in .yml or .yaml';
}

function tagsError(tags: readonly string[]): string | null {
  if (tags.length > MAX_TAGS) return `has too many tags (maximum is ${MAX_TAGS})`;
  return tags.some((tag) => tag.length > 255) ? tooLong(255) : null;
}

/** A letter, digit, emoji or `_`, then also dots, dashes and spaces; emoji may be joined and varied. */
const NAME =
  /^(?:[\p{L}\p{N}_]|\p{Extended_Pictographic})(?:[\p{L}\p{N}\p{M}_.\- ]|\p{Extended_Pictographic}|\u200d|\ufe0f)*$/u;

function nameError(name: string): string | null {
  if (name.trim() === '') return "can't be blank";
  if (name.length > MAX_NAME_LENGTH) return tooLong(MAX_NAME_LENGTH);
  if (NAME.test(name)) return null;
  return "can contain only letters, digits, emojis, '_', '.', dash, space. It must start with letter, digit, emoji or '_'.";
}

/** Names used by pages below the path of a namespace. */
const RESERVED = new Set(
  '- badges blame blob builds commits create create_dir edit files find_file logs_tree new preview raw refs tree update wikis'.split(
    ' ',
  ),
);

function pathError(path: string): string | null {
  if (path === '') return "can't be blank";
  if (path.length > MAX_NAME_LENGTH) return tooLong(MAX_NAME_LENGTH);
  if (!/^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/.test(path) || /\.(git|atom)$/i.test(path) || /^\.+$/.test(path)) {
    return "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'";
  }
  return RESERVED.has(path.toLowerCase()) ? `${path} is a reserved name` : null;
}

function tooLong(maximum: number): string {
  return `is too long (maximum is ${maximum} characters)`;
}

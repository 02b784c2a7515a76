/** The version of the format of archives that this server writes and reads (docs/project-archives.md). */
export const FORMAT = { format: 'gantry-project', version: 1 } as const;

/** Names of files of an archive. */
export const VERSION = 'version.json';
export const PROJECT = 'project.json';
export const AVATAR = 'avatar';
export const USERS = 'users';
export const REPOSITORY = 'project.bundle';
export const WIKI = 'wiki.bundle';
/** The directory of the repositories of snippets: `snippets/<id>.bundle`. */
export const SNIPPETS = 'snippets';
/** The file of the records of a kind. */
export const treeFile = (kind: string) => `tree/${kind}.ndjson`;

/** The name of an archive in those stores. */
export const ARCHIVE = 'project.tar.gz';

/** Bytes in a megabyte, in which the settings count. */
export const MEGABYTE = 1024 * 1024;

/** The settings of a project that an archive has as they are. */
export const SETTINGS = [
  'description',
  'visibility',
  'archived',
  'defaultBranch',
  'issuesEnabled',
  'mergeRequestsEnabled',
  'wikiEnabled',
  'jobsEnabled',
  'snippetsEnabled',
  'containerRegistryEnabled',
  'featureFlagsEnabled',
  'repositoryEnabled',
  'membersOnly',
  'sharedRunnersEnabled',
  'groupRunnersEnabled',
  'lfsEnabled',
  'publicJobs',
  'requestAccessEnabled',
  'pagesAccess',
  'ciSeparatedCaches',
  'onlyAllowMergeIfPipelineSucceeds',
  'onlyAllowMergeIfAllDiscussionsAreResolved',
  'mergeMethod',
  'squashOption',
  'mergeCommitTemplate',
  'squashCommitTemplate',
  'issuesTemplate',
  'mergeRequestsTemplate',
  'removeSourceBranchAfterMerge',
  'autocloseReferencedIssues',
  'allowMergeOnSkippedPipeline',
  'disableOverridingApproversPerMergeRequest',
  'mergeRequestsAuthorApproval',
  'mergeRequestsDisableCommittersApproval',
  'resetApprovalsOnPush',
  'autoCancelPendingPipelines',
  'ciConfigPath',
  'jobTokenScopeEnabled',
  'ciDefaultGitDepth',
  'buildTimeout',
  'tagList',
] as const;

import { builder } from '#schema/builder.ts';
import { ContainerExpirationPolicyInput } from '#schema/container_registry/policy.ts';
import { AutoCancel, FeatureAccess, MergeMethod, PagesAccess, SquashOption, Visibility } from '#schema/enums.ts';
import type { InputFields } from '#schema/inputs.ts';
import { idOf } from '#schema/node/plugin.ts';
import type { Switch } from '#src/domain/projects/values.ts';

/** The feature switches, with their defaults in new projects. */
const SWITCHES: Record<Switch, { description: string; defaultValue: boolean }> = {
  issuesEnabled: { description: 'Whether the project has issues.', defaultValue: true },
  mergeRequestsEnabled: { description: 'Whether the project has merge requests.', defaultValue: true },
  wikiEnabled: { description: 'Whether the project is to have a wiki.', defaultValue: true },
  jobsEnabled: { description: 'Whether the project has pipelines and jobs.', defaultValue: true },
  snippetsEnabled: { description: 'Whether the project has snippets.', defaultValue: true },
  containerRegistryEnabled: {
    description: 'Whether images can be pushed to the container registry of the project, and pulled.',
    defaultValue: true,
  },
  featureFlagsEnabled: { description: 'Whether the project has feature flags.', defaultValue: true },
  repositoryEnabled: {
    description: 'Whether the project has a repository; without one it has no merge requests and pipelines either.',
    defaultValue: true,
  },
  sharedRunnersEnabled: { description: 'Whether shared runners run its jobs.', defaultValue: true },
  groupRunnersEnabled: { description: 'Whether runners of its groups run its jobs.', defaultValue: true },
  lfsEnabled: { description: 'Whether large file storage (Git LFS) is to be on.', defaultValue: true },
  ciSeparatedCaches: {
    description: 'Whether jobs of protected branches and tags have caches of their own.',
    defaultValue: true,
  },
  serviceDeskEnabled: {
    description:
      'Whether mail from people without an account opens issues, at the address `serviceDeskAddress`, where the server receives mail.',
    defaultValue: false,
  },
  publicJobs: { description: 'Whether everyone who can see the project can see its jobs.', defaultValue: true },
  requestAccessEnabled: { description: 'Whether users can ask for access.', defaultValue: false },
  onlyAllowMergeIfPipelineSucceeds: {
    description: 'Whether merge requests can only be merged once their pipeline has succeeded.',
    defaultValue: false,
  },
  onlyAllowMergeIfAllDiscussionsAreResolved: {
    description: 'Whether merge requests can only be merged once all discussions are resolved.',
    defaultValue: false,
  },
  removeSourceBranchAfterMerge: {
    description: 'Whether forms of new merge requests propose to delete the source branch after the merge.',
    defaultValue: true,
  },
  autocloseReferencedIssues: {
    description:
      'Whether merging into the default branch, and pushing to it, closes the issues that are named for that.',
    defaultValue: true,
  },
  allowMergeOnSkippedPipeline: {
    description: 'Whether a skipped pipeline is enough where merge requests need one that has succeeded.',
    defaultValue: true,
  },
};

/** The switches that new projects have from the settings unless they are given. */
const BY_SETTING: readonly string[] = ['sharedRunnersEnabled'];

/** Makes the fields of the switches. */
export function switches<F>(field: (options: (typeof SWITCHES)[Switch], name: string) => F): Record<Switch, F> {
  return Object.fromEntries(Object.entries(SWITCHES).map(([name, options]) => [name, field(options, name)])) as never;
}

const FeatureAccessInput = builder.inputType('ProjectFeatureAccessInput', {
  description: 'Who can use the features of a project. What is left out stays as it is.',
  fields: (t) => ({
    issues: t.field({ type: FeatureAccess, description: 'Who can use issues.' }),
    mergeRequests: t.field({ type: FeatureAccess, description: 'Who can use merge requests.' }),
    repository: t.field({
      type: FeatureAccess,
      description: 'Who can use the repository. Merge requests and pipelines are not open to others than these.',
    }),
    wiki: t.field({ type: FeatureAccess, description: 'Who can use the wiki.' }),
    jobs: t.field({ type: FeatureAccess, description: 'Who can use pipelines and jobs.' }),
    snippets: t.field({ type: FeatureAccess, description: 'Who can use snippets.' }),
    containerRegistry: t.field({ type: FeatureAccess, description: 'Who can use the container registry.' }),
    featureFlags: t.field({
      type: FeatureAccess,
      description: 'Who can use feature flags. Their clients are refused, too, while they are switched off.',
    }),
  }),
});

export const texts = (t: InputFields) => ({
  name: t.string({ description: 'Display name. For a new project, derived from the path when left out.' }),
  path: t.string({
    description: 'Last part of the project’s URL. For a new project, derived from the name when left out.',
  }),
  description: t.string({ description: 'Description of the project; at most 2000 characters.' }),
  defaultBranch: t.string({ description: 'Name of the branch that is shown and cloned by default.' }),
  buildTimeout: t.int({
    description: 'How long a job can run, in seconds: 60 to 2592000 (30 days). 3600 in new projects.',
  }),
  ciDefaultGitDepth: t.int({
    description:
      'How many commits runners fetch unless a job says GIT_DEPTH: up to 1000; all for 0 and null. 20 in new projects.',
  }),
  ciConfigPath: t.string({
    description:
      'Path of the CI configuration in the repository, which ends in `.yml` or `.yaml`; null for that of the settings, which is `.gitlab-ci.yml` unless set.',
  }),
  autoCancelPendingPipelines: t.field({
    type: AutoCancel,
    description: 'Whether new pipelines cancel older ones of their branch; not at first.',
  }),
  mergeMethod: t.field({
    type: MergeMethod,
    description: 'How merge requests are merged; with merge commits at first.',
  }),
  squashOption: t.field({
    type: SquashOption,
    description: 'Whether the commits of merge requests become one; not unless they say so, at first.',
  }),
  mergeCommitTemplate: t.string({
    description:
      'Message of merge commits, up to 500 characters, with placeholders such as `%{title}`, `%{source_branch}`, `%{target_branch}`, `%{issues}`, `%{description}`, `%{reference}`, `%{url}`, `%{all_commits}`, `%{merged_by}`, `%{approved_by}`, `%{reviewed_by}` and `%{co_authored_by}`, of which unknown ones are refused; null for the usual one.',
  }),
  squashCommitTemplate: t.string({
    description:
      'Message of commits that others became, with the placeholders of `mergeCommitTemplate`; null for the title of the merge request.',
  }),
  issuesTemplate: t.string({
    description: 'What descriptions of new issues begin with, in Markdown, up to 65,536 characters; null for nothing.',
  }),
  mergeRequestsTemplate: t.string({
    description:
      'What descriptions of new merge requests begin with, in Markdown, up to 65,536 characters; null for nothing.',
  }),
  pagesAccess: t.field({
    type: PagesAccess,
    description: 'Who can visit the site of the project; everyone who can see the project, at first.',
  }),
  featureAccess: t.field({
    type: FeatureAccessInput,
    description: 'Who can use features; this counts before their switches.',
  }),
  containerExpirationPolicy: t.field({
    type: ContainerExpirationPolicyInput,
    description: 'Which tags of images of the project are deleted on a schedule; what is left out stays as it is.',
  }),
  tagList: t.stringList({ description: 'Tags that describe the project; at most 100.' }),
  avatar: t.field({
    type: 'Upload',
    description: 'A picture of the project: PNG, JPEG, GIF or WebP, at most 200 KB. Null removes it.',
  }),
});

const mirrored = (t: InputFields) => ({
  enabled: t.boolean({ description: 'Whether the project is updated from the repository that it mirrors.' }),
  userId: t.field({
    ...idOf('User'),
    description: 'ID of the user whose rights updates have, in place of the caller. For administrators.',
  }),
  triggersPipelines: t.boolean({ description: 'Whether updates start pipelines; they do not by default.' }),
  onlyProtectedBranches: t.boolean({ description: 'Whether protected branches alone are updated, and no tags.' }),
  overwritesDiverged: t.boolean({ description: 'Whether branches that have parted are replaced.' }),
});

const NewPullMirrorInput = builder.inputType('NewPullMirrorInput', {
  description: 'Whether and how a new project goes on mirroring the repository that it imports.',
  fields: mirrored,
});

export const ChangedPullMirrorInput = builder.inputType('ChangedPullMirrorInput', {
  description: 'Which repository a project mirrors, and how. A URL alone begins no mirror.',
  fields: (t) => ({
    url: t.string({
      description: 'URL that begins with `http://` or `https://`, with user name and password if they are needed.',
    }),
    ...mirrored(t),
  }),
});

export const newProjectFields = (t: InputFields) => ({
  ...texts(t),
  ...switches((options, name) =>
    BY_SETTING.includes(name)
      ? t.boolean({ description: `${options.description} By default, what the application settings say.` })
      : t.boolean({ ...options, required: true }),
  ),
  visibility: t.field({
    type: Visibility,
    description: 'Who can see the project. By default, what the application settings say, limited by its group.',
  }),
  initializeWithReadme: t.boolean({
    description: 'Whether the project gets a first commit with a `README.md` of its name and description.',
  }),
  importUrl: t.string({
    description:
      'URL of a repository to import in the background, over HTTP or HTTPS. It may contain a username and a password.',
  }),
  pullMirror: t.field({
    type: NewPullMirrorInput,
    description: 'Whether and how the project goes on mirroring the repository at `importUrl`.',
  }),
});

import { type Facts, form, page } from '#pages/engine/row.ts';
import { inPlace, PLACES } from '#pages/place.ts';
import {
  ImportArchivePageDocument,
  ImportProjectPageDocument,
  type ImportProjectPageQuery,
  ProjectImportPageDocument,
  type RemoteImportPart,
  SendArchiveImportDocument,
  SendProjectImportCancellationDocument,
  SendProjectImportDocument,
  SendProjectUpdateDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** Kinds of servers in words, the one that most come from first; others are called as the graph describes them. */
const SERVERS: Readonly<Record<string, string>> = {
  GITHUB: label('GitHub or GitHub Enterprise Server'),
  GITLAB: label('GitLab or another Gantry'),
  GITEA: label('Gitea or Forgejo'),
};

/** What can be taken besides the repository, in words. */
const PARTS: Readonly<Record<RemoteImportPart, string>> = {
  WIKI: label('Wiki'),
  ISSUES: label('Issues with comments'),
  MERGE_REQUESTS: label('Merge or pull requests with reviews'),
  RELEASES: label('Releases with files'),
  PROTECTED_BRANCHES: label('Protected branches'),
  MEMBERS: label('Members who have an account here'),
  ATTACHMENTS: label('Attached files'),
};

/** What is fetched or left out, in words. */
export const KINDS: Readonly<Record<string, string>> = {
  labels: label('Labels'),
  milestones: label('Milestones'),
  issues: label('Issues'),
  merge_requests: label('Merge requests'),
  merge_request_versions: label('Versions of merge requests'),
  comments: label('Comments'),
  issue_notes: label('Comments on issues'),
  merge_request_notes: label('Comments on merge requests'),
  discussions: label('Discussions'),
  issue_events: label('Events of issues'),
  merge_request_events: label('Events of merge requests'),
  issue_links: label('Linked issues'),
  snippets: label('Snippets'),
  snippet_notes: label('Comments on snippets'),
  commit_comments: label('Comments on commits'),
  approval_rules: label('Approval rules'),
  award_emoji: label('Reactions'),
  line_comments: label('Comments on lines'),
  reviews: label('Reviews'),
  events: label('Events'),
  releases: label('Releases'),
  protected_branches: label('Protected branches'),
  protected_tags: label('Protected tags'),
  members: label('Members'),
  boards: label('Boards'),
  badges: label('Badges'),
  webhooks: label('Webhooks'),
  variables: label('Variables'),
  deploy_keys: label('Deploy keys'),
  triggers: label('Pipeline triggers'),
  pipeline_schedules: label('Pipeline schedules'),
  pipelines: label('Pipelines'),
  environments: label('Environments'),
  packages: label('Packages'),
  container_repositories: label('Container images'),
  left_behind: label('What stays at the source'),
  users: label('Users'),
  notes: label('Comments'),
  files: label('Attached files'),
  uploads: label('Attached files'),
  picture: label('Picture'),
  lfs: label('Large files (Git LFS)'),
  wiki: label('Wiki'),
  repository: label('Repository'),
  importing: label('Filling the project'),
};

type Provider = NonNullable<NonNullable<ImportProjectPageQuery['providers']>['enumValues']>[number];

const place = ({ name }: Provider) => (Object.hasOwn(SERVERS, name) ? Object.keys(SERVERS).indexOf(name) : Infinity);

/** The value of a kind of server with what it is called. */
const choice = ({ name, description }: Provider): [string, string] => [
  name.toLowerCase(),
  SERVERS[name] ?? description?.replace(/\.$/, '') ?? name,
];

const newImport = page({
  path: '/projects/import',
  operation: ImportProjectPageDocument,
  view: 'explore/import_project',
  found: (data) => data.viewer && data,
  title: (_found, { t }) => t('Import a project'),
  show: ({ viewer, namespaces, providers }) => ({
    viewer,
    namespaces: namespaces.nodes,
    providers: (providers?.enumValues ?? []).toSorted((one, other) => place(one) - place(other)).map(choice),
    parts: Object.entries(PARTS).map(([name, words]): [string, string] => [name.toLowerCase(), words]),
  }),
  signIn: true,
});

const archive = page({
  path: '/projects/import/archive',
  operation: ImportArchivePageDocument,
  view: 'explore/import_archive',
  found: (data) => data.viewer && data,
  title: (_found, { t }) => t('Import an archive'),
  show: ({ viewer, namespaces }, { needed }) => ({
    viewer,
    namespaces: namespaces.nodes,
    largest: needed.largestArchive,
  }),
  needs: ['largestArchive'],
  signIn: true,
});

const progress = page({
  path: `${PLACES.project}/import`,
  operation: ProjectImportPageDocument,
  view: 'project/import',
  found: ({ project }) =>
    project?.import && project.import.status !== 'NONE' ? { project, imported: project.import } : null,
  title: ({ project }, { t }) => `${t('Import')} · ${project.fullPath}`,
  show: ({ project, imported }) => ({
    ...{ project, imported, kinds: KINDS },
    tab: 'code',
    isUnderWay: ['SCHEDULED', 'STARTED'].includes(imported.status),
    isUpdating: ['SCHEDULED', 'STARTED'].includes(imported.remote?.update?.status ?? ''),
    leftOut: [
      ...imported.failedRelations.map(({ relation, message }) => ({ kind: relation, name: null, message })),
      ...(imported.remote?.leftOut ?? []),
    ],
  }),
});

const toProgress = (_data: unknown, { given }: Facts) => inPlace(given, 'import');

/** Projects that are moved in from other servers: what is taken, and how far it is. */
export const projectImports = [
  newImport,
  form({
    path: newImport.path,
    operation: SendProjectImportDocument,
    required: ['provider', 'path', 'token', 'namespace'],
    says: label('The import has begun.'),
    // Without a ticked box nothing but the repository is taken.
    variables: (given) => ({ ...given, parts: given.parts ?? [] }),
    goTo: ({ importProjectFromServer: begun }) => `/${begun?.project.fullPath}/-/import`,
    again: newImport,
  }),
  archive,
  form({
    path: archive.path,
    operation: SendArchiveImportDocument,
    required: ['file', 'path', 'namespace'],
    says: label('The import has begun.'),
    takesArchive: true,
    // An empty field is no name.
    variables: (given) => ({ ...given, name: given.name || undefined }),
    goTo: ({ importProject: begun }) => `/${begun?.project.fullPath}/-/import`,
    again: archive,
  }),
  progress,
  form({
    path: `${PLACES.project}/import/update`,
    operation: SendProjectUpdateDocument,
    required: ['token'],
    says: label('The update has begun.'),
    goTo: toProgress,
    again: progress,
    from: ({ project = '' }) => `/${project}/-/import`,
  }),
  form({
    path: `${PLACES.project}/import/cancel`,
    operation: SendProjectImportCancellationDocument,
    says: label('The import was canceled.'),
    asks: (facts) => ({
      heading: facts.t('Cancel the import?'),
      says: [facts.t('What was fetched so far is deleted. The project stays empty, or as it was before the update.')],
      button: facts.t('Cancel import'),
      back: toProgress(null, facts),
    }),
    goTo: toProgress,
    again: progress,
    from: ({ project = '' }) => `/${project}/-/import`,
  }),
];

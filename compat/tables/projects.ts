import { constant, from, gid, name, names, object, objectOn, of, same, type } from '#compat/engine/entries.ts';
import { connection, empty, nodes } from '#compat/engine/pages.ts';
import type { CoreArgs, Row } from '#compat/engine/table.ts';
import { filterOf, given, issues, mergeRequests, numberOf } from '#compat/tables/arguments.ts';
import { milestones } from '#compat/tables/milestones.ts';
import { time } from '#compat/tables/values.ts';
import { workItems } from '#compat/tables/work_item_lists.ts';

const byIid: CoreArgs = { iid: ({ iid }) => numberOf(iid) };

const labels: CoreArgs = {
  includeAncestorGroups: ({ includeAncestorGroups }) => given(includeAncestorGroups),
  filter: ({ title, searchTerm }) => filterOf({ title, search: searchTerm }),
};

/** Arguments of lists of runners. */
export const runners: CoreArgs = {
  paused: ({ paused }) => given(paused),
  status: ({ status }) => given(status),
  tagList: ({ tagList }) => given(tagList),
  type: ({ type: kind }) => given(kind),
  filter: ({ search }) => (search ? { search } : undefined),
};

type('Project', 'Project', {
  ...names(
    'allowMergeOnSkippedPipeline',
    'archived',
    'avatarUrl',
    'description',
    'fullPath',
    'httpUrlToRepo',
    'name',
    'onlyAllowMergeIfAllDiscussionsAreResolved',
    'onlyAllowMergeIfPipelineSucceeds',
    'path',
    'removeSourceBranchAfterMerge',
    'sshUrlToRepo',
    'webUrl',
  ),
  id: gid('Project'),
  nameWithNamespace: name('fullName'),
  isForked: from<{ forkedFrom: Row | null }>('forkedFrom { databaseId }', ({ forkedFrom }) => forkedFrom !== null),
  mergeRequestsFfOnlyEnabled: of('mergeMethod', (method) => method === 'FAST_FORWARD'),
  squashReadOnly: of('squashOption', (option) => option === 'ALWAYS' || option === 'NEVER'),
  namespace: objectOn('namespace', {
    Group: 'Namespace/Group',
    PersonalNamespace: 'Namespace/PersonalNamespace',
  }),
  group: objectOn('namespace', { Group: 'Group' }),
  userPermissions: same('ProjectPermissions'),
  maxAccessLevel: same('AccessLevel/Project'),
  autocompleteUsers: nodes('users', 'AutocompletedUser', {
    search: ({ search }) => given(search),
    activePeople: () => true,
  }),
  branchRules: connection('branchProtectionRules', 'BranchRule'),
  containerRepositories: connection('containerRepositories', 'ContainerRepository', {
    filter: ({ name: search }) => (search ? { search } : undefined),
  }),
  issue: object('issue', 'Issue', byIid),
  issues: connection('issues', 'Issue', issues),
  labels: connection('labels', 'Label', labels),
  mergeRequest: object('mergeRequest', 'MergeRequest', byIid),
  mergeRequests: connection('mergeRequests', 'MergeRequest', mergeRequests),
  milestones: connection('milestones', 'Milestone', {
    ...milestones,
    includeAncestors: ({ includeAncestors }) => given(includeAncestors),
  }),
  pipeline: object('pipeline', 'Pipeline', byIid),
  pipelines: connection('pipelines', 'Pipeline', {
    ref: ({ ref }) => given(ref),
    sha: ({ sha }) => given(sha),
    updatedAfter: ({ updatedAfter }) => given(updatedAfter),
  }),
  projectMembers: connection('members', 'MemberInterface', { includeInherited: () => true }),
  repository: object('repository', 'Repository'),
  runners: connection('runners', 'CiRunner', runners),
  snippets: connection('snippets', 'Snippet'),
  workItems: connection('issues', 'WorkItem', workItems),
  // Gantry keeps no Terraform states.
  terraformState: constant(null),
  terraformStates: empty('TerraformState'),
  // Several at once are not paid for here.
  allowsMultipleMergeRequestAssignees: constant(true),
  allowsMultipleMergeRequestReviewers: constant(true),
  // Paid features, which editors ask for each project.
  duoFeaturesEnabled: constant(false),
  duoAgenticChatAvailable: constant(false),
  // There is no catalog of components; semantic-release’s plugin asks before each release.
  isCatalogResource: constant(false),
});

type('ProjectPermissions', 'Project', {
  adminOperations: name('viewerCanUpdate'),
  createMergeRequestIn: name('viewerCanCreateMergeRequestInto'),
  createSnippet: name('viewerCanCreateSnippet'),
  downloadCode: name('viewerCanReadRepository'),
  pushCode: name('viewerCanPush'),
  readMergeRequest: of<string[]>('viewerFeatures', (features) => features.includes('MERGE_REQUESTS')),
});

type('ContainerRepository', 'ContainerRepository', {
  ...names('location', 'name', 'path', 'tagsCount'),
  id: gid('ContainerRepository'),
  createdAt: time('createdAt'),
});

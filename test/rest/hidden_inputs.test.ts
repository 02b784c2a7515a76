import {
  type GraphQLInputObjectType,
  getNamedType,
  getOperationAST,
  isInputObjectType,
  Kind,
  type ObjectValueNode,
} from 'graphql';
import { expect, it } from 'vitest';
import type { Endpoint } from '#rest/engine/compile.ts';
import { withPath } from '#rest/engine/path_fields.ts';
import { schema } from '#schema/index.ts';
import { OWNER_REF } from '#schema/places/owner_ref.ts';
import { ENDPOINTS } from '../support/endpoints.ts';

interface Mutation {
  input: GraphQLInputObjectType;
  /** The paths to the fields of the input that a request, or the row, fills. */
  filled: string[];
}

/** The input of an endpoint that runs a mutation; null for others. */
function mutationOf({ document, takesInput, parameters, route }: Endpoint): Mutation | null {
  const operation = getOperationAST(document);
  const field = operation?.selectionSet.selections.find((one) => one.kind === Kind.FIELD);
  const value = field?.arguments?.find(({ name }) => name.value === 'input')?.value;
  const argument = schema.getMutationType()?.getFields()[field?.name.value ?? '']?.args[0];
  const input = argument && getNamedType(argument.type);
  if (operation?.operation !== 'mutation' || !value || !isInputObjectType(input)) return null;
  if (value.kind === Kind.OBJECT) return { input, filled: written(value) };
  const ofParameters = parameters.flatMap(({ fills: [, ...path] }) => (path.length > 0 ? [path.join('.')] : []));
  return takesInput ? { input, filled: [...ofParameters, ...Object.keys(route.preset ?? {})] } : null;
}

function written({ fields }: ObjectValueNode, above = ''): string[] {
  return fields.flatMap(({ name, value }) =>
    value.kind === Kind.OBJECT ? written(value, `${above}${name.value}.`) : [above + name.value],
  );
}

/** The fields that nothing fills: of an input within another one only where something is filled there. */
function unfilled(input: GraphQLInputObjectType, filled: readonly string[], above = ''): string[] {
  const found = Object.values(input.getFields()).flatMap(({ name, type }) => {
    const path = above + name;
    // The path of an endpoint says whether it is of a project or of a group.
    if (getNamedType(type).name === OWNER_REF) return [];
    if (filled.includes(path)) return [];
    const inner = getNamedType(type);
    const isBegun = filled.some((one) => one.startsWith(`${path}.`));
    return isBegun && isInputObjectType(inner) ? unfilled(inner, filled, `${path}.`) : [path];
  });
  // A reference has one of its fields.
  return input.isOneOf && found.length < Object.keys(input.getFields()).length ? [] : found;
}

const camelCase = (name: string) => name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());

it('hides these fields of inputs, and has all others as parameters', () => {
  const hidden: Record<string, string> = {};
  for (const [key, endpoint] of ENDPOINTS) {
    const mutation = mutationOf(endpoint);
    if (!mutation) continue;
    const byRule = withPath({ ...endpoint.route, hidden: [], preset: {} }, mutation.input).hidden?.map(camelCase) ?? [];
    const left = unfilled(mutation.input, mutation.filled).filter((name) => !byRule.includes(name));
    if (left.length > 0) hidden[key] = left.sort().join(' ');
  }
  expect(hidden).toEqual(HIDDEN);
});

it('writes out these inputs field by field, as they are not those of the schema', () => {
  const found = [...ENDPOINTS].filter(([, one]) => mutationOf(one) && !one.takesInput).map(([key]) => key);
  expect(found.sort()).toEqual(WRITTEN);
});

/** By endpoint; what its path rules out, as groups for what is in a project, is not listed. */
const HIDDEN: Record<string, string> = {
  'DELETE /groups/:id/custom_attributes/:key': 'userId',
  'DELETE /projects/:id/custom_attributes/:key': 'userId',
  'PUT /groups/:id/custom_attributes/:key': 'userId',
  'PUT /projects/:id/custom_attributes/:key': 'userId',
  'POST /groups/:id/wikis': 'message',
  // `optional_stages` says the same there.
  'POST /import/gitea': 'parts',
  'POST /import/github': 'parts',
  'PUT /groups/:id/wikis/:slug': 'message version',
  'DELETE /groups/:id/integrations/:slug': 'ofServer',
  'DELETE /projects/:id/integrations/:slug': 'ofServer',
  'POST /projects/:id/approval_rules': 'groupPaths',
  'POST /projects/:id/merge_requests/:merge_request_iid/approval_rules': 'groupPaths',
  'PUT /groups/:id/integrations/:slug': 'ofServer',
  'PUT /projects/:id/approval_rules/:approval_rule_id': 'groupPaths',
  'PUT /projects/:id/integrations/:slug': 'ofServer',
  'PUT /projects/:id/merge_requests/:merge_request_iid/approval_rules/:approval_rule_id': 'groupPaths',
  'DELETE /groups/:id/hooks/:hook_id/custom_headers/:key': 'ofServer',
  'DELETE /groups/:id/hooks/:hook_id/url_variables/:key': 'ofServer',
  'DELETE /hooks/:id/custom_headers/:key': 'group project',
  'DELETE /hooks/:id/url_variables/:key': 'group project',
  'DELETE /projects/:id/hooks/:hook_id/custom_headers/:key': 'ofServer',
  'DELETE /projects/:id/hooks/:hook_id/url_variables/:key': 'ofServer',
  'PUT /groups/:id/hooks/:hook_id': 'ofServer',
  'PUT /groups/:id/hooks/:hook_id/custom_headers/:key': 'ofServer',
  'PUT /groups/:id/hooks/:hook_id/url_variables/:key': 'ofServer',
  'PUT /hooks/:id':
    'confidentialIssuesEvents confidentialNoteEvents deploymentEvents featureFlagEvents group issuesEvents jobEvents mergeRequestsEvents noteEvents pipelineEvents project releasesEvents wikiPageEvents',
  'PUT /hooks/:id/custom_headers/:key': 'group project',
  'PUT /hooks/:id/url_variables/:key': 'group project',
  'PUT /projects/:id/hooks/:hook_id': 'ofServer',
  'PUT /projects/:id/hooks/:hook_id/custom_headers/:key': 'ofServer',
  'PUT /projects/:id/hooks/:hook_id/url_variables/:key': 'ofServer',
  'DELETE /admin/ci/variables/:key': 'filter group project',
  'DELETE /personal_access_tokens/:id': 'userId',
  'DELETE /projects/:id/issues/:issue_iid/links/:issue_link_id': 'otherIssueId',
  'DELETE /projects/:id/issues/:issue_iid/notes/:note_id': 'discussionId',
  'DELETE /groups/:id/share/:group_id': 'invitedGroup',
  'DELETE /projects/:id/job_token_scope/allowlist/:target_project_id': 'allowedGroup allowedGroupId allowedProject',
  'DELETE /projects/:id/job_token_scope/groups_allowlist/:target_group_id':
    'allowedGroup allowedProject allowedProjectId',
  'DELETE /projects/:id/merge_requests/:merge_request_iid/notes/:note_id': 'discussionId',
  'DELETE /projects/:id/snippets/:snippet_id/notes/:note_id': 'discussionId',
  'DELETE /projects/:id/uploads/:secret/:filename': 'id',
  'DELETE /projects/:id/uploads/:upload_id': 'fileName secret',
  'DELETE /snippets/:snippet_id': 'project',
  'PATCH /service_accounts/:id': 'group project',
  'POST /admin/ci/variables': 'environmentScope group isHidden project',
  'POST /groups/:id/boards': 'hideBacklogList hideClosedList',
  'POST /groups/:id/invitations': 'handOver',
  'POST /groups/:id/labels': 'priority',
  'POST /personal_access_tokens/self/rotate': 'group project',
  'POST /projects': 'featureFlagsEnabled repositoryEnabled',
  'POST /projects/:id/boards': 'hideBacklogList hideClosedList',
  'POST /projects/:id/invitations': 'handOver',
  'POST /projects/:id/issues': 'addChildIds afterId assigneeUsernames beforeId links parentId',
  'POST /projects/:id/issues/:issue_iid/discussions': 'commitSha discussionId internal lenientPosition position',
  'POST /projects/:id/issues/:issue_iid/discussions/:discussion_id/notes':
    'commitSha internal lenientPosition position startDiscussion',
  'POST /projects/:id/issues/:issue_iid/notes': 'commitSha discussionId lenientPosition position startDiscussion',
  'POST /projects/:id/job_token_scope/allowlist': 'allowedGroup',
  'POST /projects/:id/job_token_scope/groups_allowlist': 'allowedProject',
  'POST /projects/:id/merge_requests': 'assigneeUsernames draft reviewerUsernames',
  'POST /projects/:id/merge_requests/:merge_request_iid/discussions': 'discussionId internal',
  'POST /projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id/notes':
    'commitSha internal lenientPosition position startDiscussion',
  'POST /projects/:id/merge_requests/:merge_request_iid/draft_notes/bulk_publish': 'id',
  'POST /projects/:id/merge_requests/:merge_request_iid/notes':
    'commitSha discussionId lenientPosition position startDiscussion',
  'POST /projects/:id/pipeline_schedules/:pipeline_schedule_id/variables': 'isRaw',
  'POST /projects/:id/repository/commits/:commit_id/discussions': 'discussionId line lineType path',
  'POST /projects/:id/repository/commits/:commit_id/discussions/:discussion_id/notes':
    'line lineType path position startDiscussion',
  'POST /projects/:id/repository/commits/:sha/cherry_pick': 'startBranch',
  'POST /projects/:id/repository/commits/:sha/comments':
    'createdAt discussionId ignoreForbidden position startDiscussion',
  'POST /projects/:id/repository/commits/:sha/revert': 'startBranch',
  'POST /projects/:id/repository/files/:file_path': 'contentFile',
  'POST /projects/:id/repository/tags/:tag_name/release':
    'assets milestoneIds milestones name ref releasedAt tagMessage',
  'POST /projects/:id/snippets/:snippet_id/discussions': 'commitSha discussionId internal lenientPosition position',
  'POST /projects/:id/snippets/:snippet_id/discussions/:discussion_id/notes':
    'commitSha internal lenientPosition position startDiscussion',
  'POST /projects/:id/snippets/:snippet_id/notes':
    'commitSha discussionId internal lenientPosition position startDiscussion',
  'POST /projects/:id/wikis': 'message',
  'POST /projects/user/:user_id': 'featureFlagsEnabled repositoryEnabled',
  'POST /service_accounts': 'group project',
  'POST /snippets': 'project',
  'PUT /admin/ci/variables/:key': 'environmentScope filter group project',
  'PUT /application/settings': 'frontPageText frontPageTitle',
  'PUT /groups/:id/labels': 'priority',
  'PUT /groups/:id/labels/:label_id': 'priority',
  'PUT /projects/:id': 'featureFlagsEnabled repositoryEnabled',
  'PUT /projects/:id/issues/:issue_iid': 'addChildIds afterId assigneeUsernames beforeId parentId',
  'PUT /projects/:id/issues/:issue_iid/notes/:note_id': 'discussionId resolved',
  'PUT /projects/:id/merge_requests/:merge_request_iid': 'assigneeUsernames draft reviewerUsernames',
  'PUT /projects/:id/merge_requests/:merge_request_iid/notes/:note_id': 'discussionId resolved',
  'PUT /projects/:id/pipeline_schedules/:pipeline_schedule_id/variables/:key': 'isRaw',
  'PUT /projects/:id/repository/files/:file_path': 'contentFile',
  'PUT /projects/:id/repository/tags/:tag_name/release': 'milestoneIds milestones name releasedAt',
  'PUT /projects/:id/snippets/:snippet_id/notes/:note_id': 'discussionId resolved',
  'PUT /projects/:id/wikis/:slug': 'message version',
  'PUT /snippets/:snippet_id': 'project',
  'PUT /user/preferences': 'diffView firstPage theme',
};

const WRITTEN = [
  'DELETE /groups/:id/integrations/:slug',
  'DELETE /groups/:id/members/:user_id',
  'DELETE /personal_access_tokens/self',
  'DELETE /projects/:id/integrations/:slug',
  'DELETE /projects/:id/members/:user_id',
  'POST /projects/:id/integrations/:slug/trigger',
  'POST /projects/:id/ref/:ref/trigger/pipeline',
  'POST /projects/:id/repository/commits',
  'POST /projects/:id/trigger/pipeline',
  'POST /runners/reset_registration_token',
  'POST /snippets',
  'POST /users/:user_id/impersonation_tokens',
  'PUT /groups/:id/integrations/:slug',
  'PUT /projects/:id/integrations/:slug',
  'PUT /projects/:id/packages/npm/:package_name',
  'PUT /user/status',
];

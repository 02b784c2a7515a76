import type { GraphQLSchema } from 'graphql';
import type { Json } from '#rest/openapi/components.ts';
import { inRestWords } from '#rest/openapi/words.ts';

/** The resources of routes, in document order, with the schema type that describes each. */
const RESOURCES: Record<string, string> = {
  projects: 'Project',
  repository: 'Repository',
  files: 'RepositoryFile',
  commits: 'Commit',
  statuses: 'CommitStatus',
  branches: 'Branch',
  tags: 'Tag',
  issues: 'Issue',
  labels: 'Label',
  milestones: 'Milestone',
  snippets: 'Snippet',
  uploads: 'UploadedFile',
  pipelines: 'Pipeline',
  jobs: 'Job',
  triggers: 'Trigger',
  hooks: 'Webhook',
  variables: 'Variable',
  environments: 'Environment',
  deployments: 'Deployment',
  groups: 'Group',
  namespaces: 'Namespace',
  members: 'Member',
  access_requests: 'AccessRequest',
  events: 'Event',
  search: 'ServerSearch',
  users: 'User',
  keys: 'SshKey',
  deploy_keys: 'DeployKey',
  emails: 'Email',
  impersonation_tokens: 'PersonalAccessToken',
  settings: 'ApplicationSettings',
  bgjobs: 'JobMetrics',
  server: 'Version',
};

/** Path segments that differ from their resource's name. */
const OTHER_NAMES: Record<string, string> = {
  user: 'users',
  session: 'users',
  pipeline: 'pipelines',
  merged_branches: 'branches',
};

/** The resource of a route: the last one named in its path, as `members` of a group. */
export function tagOf(path: string): string {
  const named = path.split('/').map((part) => OTHER_NAMES[part] ?? part);
  // Events of hooks are not those of the feed.
  if (named.includes('hooks')) return 'hooks';
  return named.findLast((part) => Object.hasOwn(RESOURCES, part)) ?? 'server';
}

/** The tags with the schema's descriptions of their resources. */
export function tagObjects(schema: GraphQLSchema): Json[] {
  return Object.entries(RESOURCES).map(([name, type]) => {
    const description = schema.getType(type)?.description;
    if (!description) throw new Error(`The schema describes no type ${type}, for the tag ${name}`);
    return { name, description: inRestWords(description) };
  });
}

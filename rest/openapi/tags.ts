import type { GraphQLSchema } from 'graphql';
import type { Json } from '#rest/openapi/components.ts';
import { inRestWords } from '#rest/openapi/words.ts';

/** What routes are about, in the order of the document, with the type of the schema that describes it. */
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
  users: 'User',
  keys: 'SshKey',
  deploy_keys: 'DeployKey',
  emails: 'Email',
  impersonation_tokens: 'PersonalAccessToken',
  settings: 'ApplicationSettings',
  bgjobs: 'JobMetrics',
  server: 'Version',
};

/** Parts of paths that are called otherwise than their resource. */
const OTHER_NAMES: Record<string, string> = {
  user: 'users',
  session: 'users',
  pipeline: 'pipelines',
  merged_branches: 'branches',
};

/** The resource that a route is about: the last one that its path names, as `members` of a group. */
export function tagOf(path: string): string {
  const named = path.split('/').map((part) => OTHER_NAMES[part] ?? part);
  // Their events are not those of the feed.
  if (named.includes('hooks')) return 'hooks';
  return named.findLast((part) => Object.hasOwn(RESOURCES, part)) ?? 'server';
}

/** The tags with what the schema says of their resources. */
export function tagObjects(schema: GraphQLSchema): Json[] {
  return Object.entries(RESOURCES).map(([name, type]) => {
    const description = schema.getType(type)?.description;
    if (!description) throw new Error(`The schema describes no type ${type}, for the tag ${name}`);
    return { name, description: inRestWords(description) };
  });
}

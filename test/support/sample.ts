import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isObjectType,
  isRequiredArgument,
  parse,
} from 'graphql';
import { graphqlContext } from '#schema/context.ts';
import { executeWithin } from '#schema/execute.ts';
import { schema } from '#schema/index.ts';
import { bootstrapAdministrator } from '#src/domain/users/bootstrap.ts';
import { KNOWN_SECRETS } from '#src/entrances/seed/secrets.ts';
import { seed } from '#src/entrances/seed/seed.ts';
import { jobHandlers } from '#src/entrances/server/background_jobs.ts';
import { FOLLOWERS } from '#src/entrances/server/followers.ts';
import { SECRET, startWorld, type TestUser, type World } from './world.ts';

type Who = { actor: TestUser['actor'] | null };

/** A server with the sample data (docs/testing-clients.md), whose people ask. */
export async function startSample(): Promise<{ world: World; whoIs: (username: string) => Promise<Who> }> {
  const world = await startWorld();
  const { db, repositories, uploads, imports } = world;
  const given = { db, secret: SECRET, repositories, uploads, imports };
  const password = KNOWN_SECRETS.password('root');
  await bootstrapAdministrator(db, SECRET, { password, privateToken: KNOWN_SECRETS.privateToken('root') });
  const stores = { ...given, followers: FOLLOWERS, handlers: jobHandlers(given) };
  await seed(stores, { secrets: KNOWN_SECRETS, beside: false });
  await addOthers(world);
  const whoIs = async (username: string): Promise<Who> => {
    const user = await db.user.findFirstOrThrow({ where: { username } });
    const { id, admin, external, canCreateGroup, projectsLimit } = user;
    const rights = { admin, external, canCreateGroup, projectsLimit };
    return { actor: { id, username, ...rights, credential: 'private_token', scopes: ['api'] } };
  };
  return { world, whoIs };
}

/** Records that the sample data have none of, by administrators. */
async function addOthers(world: World): Promise<void> {
  const { post, put } = world.api(KNOWN_SECRETS.privateToken('root'));
  const add = async (path: string, body: object = {}) => {
    const { status, body: answer } = await post(path, body);
    if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const name = 'more';
  await add('/projects/1/hooks', { url: 'https://example.org/hook', push_events: true });
  await add('/groups/10/hooks', { url: 'https://example.org/hook' }).catch(() => {});
  await add('/projects/1/variables', { key: 'MORE', value: 'more' });
  await add('/groups/10/variables', { key: 'MORE', value: 'more' });
  await add('/projects/1/feature_flags_user_lists', { name, user_xids: '1' });
  const strategies = [{ name: 'gitlabUserList', user_list_id: 1, scopes: [{ environment_scope: '*' }] }];
  await add('/projects/1/feature_flags', { name: 'flag', description: name, strategies });
  await add('/projects/1/badges', { link_url: 'https://example.org', image_url: 'https://example.org/a.svg' });
  await add('/projects/1/deploy_tokens', { name, scopes: ['read_repository'] });
  const schedule = await add('/projects/1/pipeline_schedules', { description: name, ref: 'master', cron: '0 1 * * 5' });
  await add(`/projects/1/pipeline_schedules/${schedule.id}/variables`, { key: 'MORE', value: 'more' });
  await add('/projects/1/remote_mirrors', { url: 'https://user:password@example.org/mirror.git' });
  await add('/projects/1/wikis', { title: 'home', content: 'Home' });
  await add('/groups/orchard/wikis', { title: 'home', content: 'Home' });
  await add('/projects/1/issues/4/links', { target_project_id: 1, target_issue_iid: 8 });
  await add('/projects/1/issues/4/award_emoji', { name: 'apple' });
  await add('/projects/1/issues/4/todo');
  await add('/projects/1/issues/4/add_spent_time', { duration: '1h' });
  await add('/projects/1/repository/commits/master/comments', { note: name });
  await add('/projects/1/releases/v1.0.0/assets/links', { name, url: 'https://example.org/a.zip' });
  await add('/projects/1/protected_tags', { name: 'v*' });
  await add('/projects/1/invitations', { email: 'more@example.org', access_level: 10 });
  await add('/projects/1/boards', { name });
  await add('/projects/1/share', { group_id: 13, group_access: 10 });
  await add('/groups/10/share', { group_id: 13, group_access: 10 });
  await put('/projects/1/packages/generic/more/1.0.0/file.txt', 'text');
}

const ABOUT = { baseUrl: 'http://gantry.test', ssh: null, version: '1', revision: '1', avatars: true };

/** Executes documents as `/graphql` does, without its limits. */
export function executing(world: World, unexpected: (error: unknown) => void = () => {}) {
  return (document: DocumentNode, who: Who): Promise<ExecutionResult> => {
    const contextValue = graphqlContext({ ...world.as(who as TestUser) }, ABOUT);
    return executeWithin({ schema, document, contextValue }, unexpected);
  };
}

/** Arguments of the fields that need some, by `Type.field` or by the name of the field. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  'Query.project': 'ref: "orchard/apples"',
  'Query.group': 'ref: "orchard"',
  'Query.namespace': 'ref: "orchard"',
  'Query.user': 'username: "ada"',
  'Query.search': 'query: "apples", type: PROJECT',
  'Query.find': 'search: "apples"',
  'Query.emoji': 'search: "apple"',
  'Query.avatarUrl': 'email: "ada@example.org"',
  'Query.markdown': 'text: "**bold** #1"',
  'Query.ciLint': 'content: "a: {script: true}"',
  'Query.namespacePathUse': 'path: "orchard"',
  'Query.userStatus': 'idOrUsername: "ada"',
  'Query.fileTemplate': 'kind: GITIGNORE, name: "Node"',
  'Query.fileTemplates': 'kind: GITIGNORE',
  'Query.licenseTemplate': 'key: "mit"',
  'Project.issue': 'iid: 4',
  'Project.mergeRequest': 'iid: 1',
  'Project.mergeRef': 'iid: 1',
  'Repository.commitPreview': 'actions: [{ action: CREATE, filePath: "more.txt", content: "more" }]',
  'Project.mergeRequestPreview': 'sourceBranch: "feature/cider-press"',
  'Project.find': 'search: "apple"',
  'Group.find': 'search: "apple"',
  'Project.release': 'tag: "v1.0.0"',
  'Project.releaseLink': 'tag: "v1.0.0", id: 1',
  'Project.releaseLinks': 'tag: "v1.0.0"',
  'Project.template': 'kind: LICENSE, key: "mit"',
  'Project.templates': 'kind: LICENSE',
  'Project.latestPipeline': 'ref: "master"',
  'Project.latestSuccessfulJob': 'ref: "master", name: "test"',
  'Project.branchProtectionRule': 'name: "master"',
  'Project.tagProtectionRule': 'name: "v*"',
  'Project.label': 'ref: "bug"',
  'Group.label': 'ref: "bug"',
  'Project.member': 'userId: 3',
  'Group.member': 'userId: 2',
  'Repository.branch': 'name: "master"',
  'Repository.tag': 'name: "v1.0.0"',
  'Repository.commit': 'ref: "master"',
  'Repository.file': 'ref: "master", path: "README.md"',
  'Repository.tree': 'ref: "master"',
  'Repository.compare': 'from: "v1.0.0", to: "master"',
  'Repository.mergeBase': 'refs: ["v1.0.0", "master"]',
  'Repository.blob': 'sha: "4f1260ae4c85f7d3373c5707cb0fd3f806ddd678"',
  'Repository.changelog': 'version: "9.9.9"',
  'References.relative': 'group: "orchard"',
  'Wiki.page': 'slug: "home"',
  'GroupWiki.page': 'slug: "home"',
  'Snippet.commit': 'sha: "main"',
  'Project.integration': 'slug: "external-wiki"',
  'Group.integration': 'slug: "external-wiki"',
  'Query.serverIntegration': 'slug: "external-wiki"',
  'Job.traceLines': 'from: 1',
  'Job.traceMatches': 'text: "a"',
};

/** A value for each required argument that has no better one. */
const VALUES: Readonly<Record<string, string>> = {
  'ID!': '"1"',
  'String!': '"nothing"',
  'Int!': '1',
  '[ID!]!': '["1"]',
  '[String!]!': '["nothing"]',
  'GroupRef!': '"orchard"',
  'ProjectRef!': '"orchard/apples"',
  'NamespaceRef!': '"orchard"',
  'DescriptionKind!': 'ISSUE',
  'IssueFilter!': '{}',
};

export type Field = GraphQLField<unknown, unknown>;

/** How a document comes to a record: puts a selection there. */
export type Way = (selection: string) => string;

/** A field with its arguments, and a selection if its type has fields. */
export function asked(type: GraphQLObjectType, field: Field, selection = '__typename'): string {
  const given =
    ARGUMENTS[`${type.name}.${field.name}`] ??
    field.args
      .filter(isRequiredArgument)
      .map(({ name, type }) => `${name}: ${VALUES[String(type)] ?? 'null'}`)
      .join(', ');
  const args = given === '' ? '' : `(${given})`;
  return `${field.name}${args}${isCompositeType(getNamedType(field.type)) ? ` { ${selection} }` : ''}`;
}

/** How many ways to a type are gone: the first may lead to a list without records. */
const MOST_WAYS = 5;

/** The shortest way to a record of each type of the schema that the sample data, as they are told, have one of. */
export async function waysTo(tell: (document: DocumentNode) => Promise<ExecutionResult>): Promise<Map<string, Way>> {
  const query = schema.getQueryType() as GraphQLObjectType;
  const ways = new Map<string, Way[]>([[query.name, [(selection) => `{ ${selection} }`]]]);
  const left: [string, Way][] = [[query.name, (selection) => `{ ${selection} }`]];
  for (const [name, way] of left) {
    const type = schema.getType(name) as GraphQLObjectType;
    for (const field of Object.values(type.getFields())) {
      const target = getNamedType(field.type);
      const possible = isObjectType(target) ? [target] : isCompositeType(target) ? schema.getPossibleTypes(target) : [];
      const open = possible.filter(({ name }) => (ways.get(name)?.length ?? 0) < MOST_WAYS);
      if (open.length === 0) continue;
      const found = typenamesIn((await tell(parse(way(asked(type, field))))).data);
      for (const { name } of open) {
        if (!found.has(name)) continue;
        const own = target.name === name ? (text: string) => text : (text: string) => `... on ${name} { ${text} }`;
        const further: Way = (selection) => way(asked(type, field, own(selection)));
        ways.set(name, [...(ways.get(name) ?? []), further]);
        left.push([name, further]);
      }
    }
  }
  return new Map([...ways].map(([name, [first]]) => [name, first as Way]));
}

function typenamesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const one of value) typenamesIn(one, found);
  else if (typeof value === 'object' && value !== null) {
    const { __typename: name, ...rest } = value as Record<string, unknown>;
    if (typeof name === 'string') found.add(name);
    for (const one of Object.values(rest)) typenamesIn(one, found);
  }
  return found;
}

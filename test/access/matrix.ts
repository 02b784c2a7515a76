import { print } from 'graphql';
import { coerce } from '#rest/engine/coerce.ts';
import type { Endpoint } from '#rest/engine/compile.ts';
import { statusOf } from '#rest/engine/errors.ts';
import { fill } from '#schema/input_fields.ts';
import { FullPath } from '#schema/refs.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { type ErrorCode, HTTP_STATUS } from '#src/platform/errors.ts';
import { ENDPOINTS, withQuery } from '../support/endpoints.ts';
import { graphqlForm, sendForm } from '../support/upload.ts';
import type { TestUser, World } from '../support/world.ts';

export const ROLES = [
  'anonymous',
  'blocked',
  'external',
  'outsider',
  'guest',
  'reporter',
  'developer',
  'master',
  'owner',
  'admin',
] as const;
export type Role = (typeof ROLES)[number];
export const VISIBILITIES = ['private', 'internal', 'public'] as const;
export type Visibility = (typeof VISIBILITIES)[number];
export const ENTRANCES = ['REST', 'GraphQL'] as const;
export type Entrance = (typeof ENTRANCES)[number];

/** Every role with the entrance that it comes by: visitors, whom the two treat differently, by both. */
export function comers(entrance: Entrance): [Role, Entrance][] {
  return ROLES.flatMap((role) =>
    (role === 'anonymous' ? ENTRANCES : [entrance]).map((by) => [role, by] as [Role, Entrance]),
  );
}

/** The level that each role has in the place of a case; administrators pass every level. */
const LEVEL: Record<Role, number> = {
  anonymous: 0,
  blocked: 0,
  external: 0,
  outsider: 0,
  guest: 10,
  reporter: 20,
  developer: 30,
  master: 40,
  owner: 50,
  admin: 100,
};

/** Where a case plays: a group in which the roles are members, and a project in which they are. */
export interface Stage {
  visibility: Visibility;
  group: GroupRow;
  project: ProjectRow;
  /** Another project with the same members. */
  elsewhere: ProjectRow;
}

/** What a request is made of: parameters of the path, the query and the body by their names. */
export type Given = Record<string, unknown>;

/** Who may do what a route does. */
export interface Rule {
  /** The status for who may. */
  success: number;
  /** The lowest level that suffices; 0 for anybody who is signed in, 100 for administrators. */
  level: number;
  /**
   * Whom a visible place lets in besides: any signed-in user, or anonymous callers of a public one too; or, whatever the
   * place is, whoever has the token that the request carries.
   */
  open?: 'user' | 'anyone' | 'token';
  /** What visitors without an account get in a public place where public is public, if not what `open` says. */
  visitor?: number;
  /** Whether only REST asks for administrators: over GraphQL users do the same with what is theirs. */
  restOnly?: true;
  /** Only administrators may, and that is looked at before the place is looked for. */
  adminFirst?: true;
  /** The status for who sees the place and may not; 403 when absent. */
  refusal?: number;
  /** Statuses of single roles that follow no level, where they see the place. */
  roles?: Partial<Record<Role, number>>;
  /** As roles, in a private place. */
  inPrivate?: Partial<Record<Role, number>>;
  /** Makes what the request is about and tells its parameters; called anew after each success. */
  given?: (stage: Stage, who: TestUser | undefined) => Given | Promise<Given>;
}

/** The routes by method and path, with all that follows from their operations. */
export const endpoints = ENDPOINTS;

/** The status that a role is to get in a place that some may see. */
export function inPlace(
  { success, level, open, refusal = 403, roles, inPrivate, adminFirst }: Rule,
  role: Role,
  visibility: Visibility,
): number {
  if (open === 'token') return success;
  const special = (visibility === 'private' ? inPrivate?.[role] : undefined) ?? roles?.[role];
  if (role === 'anonymous' || role === 'blocked')
    return open === 'anyone' ? (visibility === 'public' ? success : 404) : 401;
  const openToAll = visibility === 'public' || (visibility === 'internal' && role !== 'external');
  if (adminFirst) return role === 'admin' ? success : refusal;
  if (LEVEL[role] === 0 && !openToAll) return 404;
  if (special !== undefined) return special;
  return LEVEL[role] >= level || (open !== undefined && openToAll) ? success : refusal;
}

/** The status that a role is to get on a route that belongs to no place. */
export function onServer({ success, level, open, refusal = 403, roles }: Rule, role: Role): number {
  const special = roles?.[role];
  if (special !== undefined) return special;
  if (role === 'anonymous' || role === 'blocked') return open === 'anyone' ? success : 401;
  return level === 0 || role === 'admin' ? success : refusal;
}

/**
 * The status that a visitor without an account is to get where public is public, which is in GraphQL, and in REST while the settings
 * open it: of a public place what any signed-in user reads.
 */
export function asVisitor(key: string, rule: Rule, visibility: Visibility): number {
  if (rule.visitor !== undefined && visibility === 'public') return rule.visitor;
  const isRead = key.startsWith('GET') && rule.open === 'user' && rule.visitor === undefined;
  return inPlace(isRead ? { ...rule, open: 'anyone' } : rule, 'anonymous', visibility);
}

/** Whether a status is the wanted one; to anonymous callers GraphQL may say that there is nothing instead of 401. */
export function agrees(entrance: Entrance, found: number, wanted: number): boolean {
  return found === wanted || (entrance === 'GraphQL' && wanted === 401 && found === 404);
}

/** The status that a role gets: the token of a user who is blocked is refused, also where everyone may. */
export function at(role: Role, wanted: number): number {
  return role === 'blocked' ? 401 : wanted;
}

/** Makes the request as somebody, through one of the entrances; the status as REST tells it. */
export async function knock(
  world: World,
  key: string,
  given: Given,
  entrance: Entrance,
  who: TestUser | undefined,
): Promise<number> {
  const endpoint = endpoints.get(key);
  if (!endpoint) throw new Error(`there is no route ${key}`);
  return entrance === 'REST' ? viaRest(world, endpoint, given, who) : viaGraphQL(world, endpoint, given, who);
}

async function viaRest(world: World, { route }: Endpoint, given: Given, who: TestUser | undefined): Promise<number> {
  const inPath = new Set<string>();
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
    inPath.add(name);
    return encodeURIComponent(String(given[name]));
  });
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !inPath.has(name)));
  if (route.file && rest[route.file]) {
    const form = new FormData();
    for (const [name, value] of Object.entries(rest)) form.append(name, value as string | File);
    return (await sendForm(world, `/api/v4${path}`, form, who)).status;
  }
  if (route.upload) {
    const { [route.upload]: file, ...query } = rest;
    const headers: Record<string, string> = who ? { 'PRIVATE-TOKEN': who.token } : {};
    const body = Buffer.from(await (file as File).arrayBuffer());
    const { status } = await world.send(
      route.method,
      `/api/v4${withQuery(path, new URLSearchParams(query as never))}`,
      { headers, body },
    );
    return status;
  }
  const method = route.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
  const api = world.api(who);
  const pairs = Object.entries(rest).flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((one) => [`${name}[]`, String(one)]) : [[name, String(value)]],
  );
  const query = new URLSearchParams(pairs);
  if (method === 'get') return (await api.get(withQuery(path, query))).status;
  return (await api[method](path, rest)).status;
}

/** A path that REST never takes for an ID, as clients of GraphQL write it. */
function asJson(value: unknown): unknown {
  return value instanceof FullPath ? value.path : value;
}

async function viaGraphQL(world: World, endpoint: Endpoint, given: Given, who: TestUser | undefined): Promise<number> {
  const { route, document, parameters, status } = endpoint;
  const fileOf = route.file ?? route.upload;
  const declared = document.definitions.flatMap((d) =>
    'variableDefinitions' in d ? (d.variableDefinitions ?? []) : [],
  );
  const names = new Set(
    declared.map((definition) => (definition as { variable: { name: { value: string } } }).variable.name.value),
  );
  const caller = { signedIn: who !== undefined, admin: who?.actor.admin ?? false };
  const variables: Record<string, unknown> = endpoint.takesInput ? { input: { ...endpoint.route.preset } } : {};
  for (const parameter of parameters) {
    const isFile = parameter.name === fileOf;
    // `configuration[url]` is the key `url` of what `configuration` holds.
    const value = given[parameter.name] ?? parameter.keys.reduce<unknown>((at, key) => (at as Given)?.[key], given);
    if (value !== undefined && !isFile) fill(variables, parameter.fills, asJson(coerce(value, parameter)));
  }
  for (const [name, derive] of Object.entries(route.derived ?? {})) variables[name] = derive(variables, caller, given);
  const engine = { signed_in: caller.signedIn, administrator: caller.admin, limit: 20, offset: 0 };
  for (const [name, value] of Object.entries(engine)) if (names.has(name)) variables[name] = value;
  const file = fileOf === undefined ? undefined : (given[fileOf] as File);
  const place = parameters.find(({ name }) => name === fileOf)?.fills.join('.') ?? '';
  const { body } = file
    ? await sendForm(world, '/graphql', graphqlForm(print(document), variables, place, file), who)
    : await world.graphql(print(document), variables, who);
  const error = body.errors?.[0];
  const code = error?.extensions?.code as ErrorCode | undefined;
  if (body.errors && (code === undefined || HTTP_STATUS[code] === undefined))
    throw new Error(JSON.stringify(body.errors));
  const { whenUnchanged } = route;
  if (
    code === undefined &&
    whenUnchanged &&
    whenUnchanged.at.split('.').reduce((found, key) => found?.[key], body.data) === false
  ) {
    return whenUnchanged.status;
  }
  if (code === undefined) return status;
  // For this reason, which GraphQL clients do not get, REST has a status of its own.
  if (error.message === 'You are not allowed to merge into this branch') return 401;
  return statusOf(code, route);
}

/**
 * Has the database count every row that is inserted, changed or deleted from now on: what a refusal must leave alone.
 * Returns the reader of that count, which waits first for what runs in the background.
 */
export async function watchChanges(world: World): Promise<() => Promise<number>> {
  const { db } = world;
  await db.$executeRaw`CREATE TABLE test_changes (n bigint NOT NULL)`;
  await db.$executeRaw`INSERT INTO test_changes VALUES (0)`;
  await db.$executeRaw`CREATE FUNCTION test_count() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN UPDATE test_changes SET n = n + 1; RETURN NULL; END'`;
  const tables = await db.$queryRaw<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
      AND table_name NOT IN ('_prisma_migrations', 'sign_in_failures', 'job_processes', 'job_totals', 'test_changes',
        'hook_deliveries', 'hook_events')`;
  for (const { name } of tables) {
    // Webhooks are told of what happened before, in a time of their own, and what comes of that is noted in their rows.
    const changed = name === 'hooks' ? 'UPDATE OF url' : 'UPDATE';
    await db.$executeRawUnsafe(
      `CREATE TRIGGER test_count AFTER INSERT OR ${changed} OR DELETE ON "${name}" FOR EACH ROW EXECUTE FUNCTION test_count()`,
    );
  }
  return async () => {
    await world.idle();
    const [row] = await db.$queryRaw<[{ n: bigint }]>`SELECT n FROM test_changes`;
    return Number(row.n);
  };
}

/** The people of the matrix: one for each role but anonymous. */
export async function people(world: World): Promise<Record<Role, TestUser | undefined>> {
  const found = {} as Record<Role, TestUser | undefined>;
  for (const role of ROLES) {
    const is = { admin: role === 'admin', external: role === 'external', blocked: role === 'blocked' };
    found[role] = role === 'anonymous' ? undefined : await world.user({ username: `the-${role}`, ...is });
  }
  return found;
}

/** The stage of one visibility: every level is a member of the project and of the group. */
export async function stage(
  world: World,
  users: Record<Role, TestUser | undefined>,
  visibility: Visibility,
): Promise<Stage> {
  const owner = users.owner as TestUser;
  const group = await world.group({ owner, visibility, requestAccessEnabled: true });
  const home = await world.group({ owner, visibility });
  const project = await world.project({
    owner,
    visibility,
    namespaceId: home.id,
    switches: { requestAccessEnabled: true },
  });
  const elsewhere = await world.project({ owner, visibility, namespaceId: home.id });
  for (const role of ['guest', 'reporter', 'developer', 'master'] as const) {
    for (const place of [group, project, elsewhere]) await world.member(place, users[role] as TestUser, role);
  }
  return { visibility, group, project, elsewhere };
}

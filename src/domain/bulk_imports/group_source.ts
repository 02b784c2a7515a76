import { MAX_GROUPS } from '#src/domain/group_archives/place.ts';
import { MAX_DEPTH } from '#src/domain/groups/create.ts';
import {
  type LeftOut,
  type Page,
  type RemoteAddress,
  SourceInvalid,
  type StagedRecord,
} from '#src/domain/remote_imports/base/source.ts';
import {
  type Given,
  idIn,
  isGiven,
  listOf,
  objectOf,
  textIn,
  titleIn,
} from '#src/domain/remote_imports/base/values.ts';
import { apiOf } from '#src/domain/remote_imports/gitlab/provider.ts';
import type { Staging } from '#src/domain/remote_imports/staging.ts';
import { type RemoteClient, RemoteRefused } from '#src/platform/outbound/remote_client.ts';

/** Where a group is, by its full path, and what opens it there. */
export type GroupAddress = RemoteAddress;

/** A group at its source. */
export interface RemoteGroup {
  id: number;
  parentId: number | null;
  fullPath: string;
  name: string;
  /** What its API answered. */
  given: Given;
}

/** Reads what the group is. Throws what RemoteClient throws, and SourceInvalid. */
export async function readGroup(client: RemoteClient, address: GroupAddress): Promise<RemoteGroup> {
  const { body } = await client.json(inApi(address, `/groups/${encodeURIComponent(address.path)}?with_projects=false`));
  return { ...groupOf(objectOf(body, 'a group')), parentId: null };
}

/** The address of a resource in the API of the server. */
export function inApi(address: Pick<GroupAddress, 'url'>, path: string): URL {
  return new URL(`${apiOf(address)}${path}`);
}

function groupOf(given: Given): Omit<RemoteGroup, 'parentId'> {
  const fullPath = textIn(given, 'full_path', 2_000) || textIn(given, 'path', 255);
  // It becomes a part of addresses that are asked.
  if (!/^[\w.-]+(?:\/[\w.-]+)*$/.test(fullPath) || fullPath.split('/').some((part) => /^\.+$/.test(part)))
    throw new SourceInvalid('The source answered with a group whose full_path is not a path.');
  return { id: idIn(given, 'id'), fullPath, name: titleIn(given, 'name'), given };
}

/** What phases need to know. */
export interface GroupContext {
  client: RemoteClient;
  address: GroupAddress;
  staging: Staging;
}

/** What is fetched page by page of a group and the groups in it. */
export interface GroupPhase {
  name: string;
  /** What asks for it: false leaves it where it is. */
  of: 'all' | 'projects' | 'members';
  page(context: GroupContext, cursor: string | null): Promise<Page>;
}

const PAGE_SIZE = 100;

/** Settings of a group by their names in the API. */
const SETTINGS = [
  'path',
  'name',
  'description',
  'visibility',
  'lfs_enabled',
  'request_access_enabled',
  'share_with_group_lock',
  'project_creation_level',
  'subgroup_creation_level',
  'prevent_sharing_groups_outside_hierarchy',
  'avatar_url',
] as const;

/** A group that was staged. */
export interface StagedGroup extends Given {
  id: number;
  parent_id: number | null;
  full_path: string;
  /** How many groups it is in, counting itself, from the one that is imported. */
  depth: number;
  settings: Given;
}

function stagedOf({ id, parentId, fullPath, given }: RemoteGroup, depth: number): StagedGroup {
  const settings = Object.fromEntries(SETTINGS.flatMap((key) => (given[key] == null ? [] : [[key, given[key]]])));
  return { id, parent_id: parentId, full_path: fullPath, depth, settings };
}

const groupsByContext = new WeakMap<GroupContext, Promise<StagedGroup[]>>();

/** The groups that were staged, outer ones first: they are read once, and `TREE` adds to them. */
export function stagedGroups(context: GroupContext): Promise<StagedGroup[]> {
  const found = groupsByContext.get(context) ?? readGroups(context);
  groupsByContext.set(context, found);
  return found;
}

async function readGroups({ staging }: GroupContext): Promise<StagedGroup[]> {
  const found: StagedGroup[] = [];
  for await (const { record } of staging.records(new Set(['groups']))) found.push(record as StagedGroup);
  return found;
}

/** Where a walk through lists of groups is: the place of the group among those that were staged, and a page. */
const at = (cursor: string): [number, number] => {
  const [group = 0, page = 1] = cursor.split(' ').map(Number);
  return [group, page];
};

const TREE: GroupPhase = {
  name: 'groups',
  of: 'all',
  async page(context, cursor) {
    const { client, address } = context;
    const groups = await stagedGroups(context);
    if (cursor === null) {
      const root = stagedOf(await readGroup(client, address), 1);
      groups.push(root);
      return { records: [{ kind: 'groups', record: root }], next: '0 1', seen: 1 };
    }
    const [place, page] = at(cursor);
    const parent = groups[place];
    if (parent === undefined) return { records: [], next: null, seen: 0 };
    const path = `/groups/${parent.id}/subgroups?all_available=true&per_page=${PAGE_SIZE}&page=${page}`;
    const { body, next } = await client.json(inApi(address, path));
    const known = idsOf(groups);
    const found: StagedGroup[] = [];
    for (const entry of listOf(body, 'groups')) {
      const group = groupOf(entry);
      // A source may say that groups are in each other.
      if (known.has(group.id)) continue;
      known.add(group.id);
      found.push(stagedOf({ ...group, parentId: parent.id }, parent.depth + 1));
    }
    groups.push(...found);
    if (groups.length > MAX_GROUPS) throw new SourceInvalid(`The group has more than ${MAX_GROUPS - 1} groups in it.`);
    if (found.some(({ depth }) => depth > MAX_DEPTH)) {
      throw new SourceInvalid(`The groups of the source are nested more than ${MAX_DEPTH} levels deep.`);
    }
    const following = next === null ? `${place + 1} 1` : `${place} ${page + 1}`;
    const isLast = next === null && place + 1 >= groups.length;
    const records = found.map((record) => ({ kind: 'groups', record }));
    return { records, seen: found.length, next: isLast ? null : following };
  },
};

const ids = new WeakMap<readonly StagedGroup[], Set<number>>();

/** The IDs of the groups of a walk. */
function idsOf(groups: readonly StagedGroup[]): Set<number> {
  const known = ids.get(groups) ?? new Set(groups.map(({ id }) => id));
  ids.set(groups, known);
  return known;
}

interface ListOfGroup {
  name: string;
  of: GroupPhase['of'];
  /** Address of the list below the group, with its parameters. */
  path: string;
  /** What is kept of an entry: a record as archives of GitLab have it; null for nothing. Throws SourceInvalid. */
  record(given: Given, group: StagedGroup, context: GroupContext): Given | null | Promise<Given | null>;
}

/** A phase that reads a list of each group; the cursors are the place of the group and the number of the page. */
function listOfGroups({ name, of, path, record }: ListOfGroup): GroupPhase {
  return {
    name,
    of,
    async page(context, cursor) {
      const groups = await stagedGroups(context);
      const [place, page] = at(cursor ?? '0 1');
      const group = groups[place];
      if (group === undefined) return { records: [], next: null, seen: 0 };
      const after = place + 1 < groups.length ? `${place + 1} 1` : null;
      const joined = path.includes('?') ? '&' : '?';
      const url = inApi(context.address, `/groups/${group.id}${path}${joined}per_page=${PAGE_SIZE}&page=${page}`);
      const answer = await orNone(() => context.client.json(url));
      if (answer === null) {
        const message = 'The source does not have them, or the token may not read them.';
        return { records: [], leftOut: [{ kind: name, name: group.full_path, message }], next: after, seen: 0 };
      }
      const entries = listOf(answer.body, name);
      const records: StagedRecord[] = [];
      const leftOut: LeftOut[] = [];
      for (const entry of entries) {
        try {
          const kept = await record(entry, group, context);
          if (kept !== null) records.push({ kind: name, record: { group: group.id, record: kept } });
        } catch (error) {
          if (!(error instanceof SourceInvalid)) throw error;
          leftOut.push({ kind: name, name: group.full_path, message: error.message });
        }
      }
      const next = answer.next === null || entries.length === 0 ? after : `${place} ${page + 1}`;
      return { records, leftOut, seen: entries.length, next };
    },
  };
}

/** What a request answers; null where the source does not have it, or does not give it to the token. */
export async function orNone<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RemoteRefused && [401, 403, 404, 410].includes(error.status ?? 0)) return null;
    throw error;
  }
}

const addresses = new WeakMap<RemoteClient, Map<number, string | null>>();

/** The public address of a user, which older servers do not tell with members; null for none. */
async function publicAddress({ client, address }: GroupContext, member: Given): Promise<string | null> {
  if ('public_email' in member) return textIn(member, 'public_email', 254) || null;
  const id = idIn(member, 'id');
  const known = addresses.get(client) ?? new Map<number, string | null>();
  addresses.set(client, known);
  const before = known.get(id);
  if (before !== undefined) return before;
  const answer = await orNone(() => client.json(inApi(address, `/users/${id}`)));
  const found = answer !== null && isGiven(answer.body) ? textIn(answer.body, 'public_email', 254) || null : null;
  known.set(id, found);
  return found;
}

/** Values of an entry whose names are those of archives. */
const only = (given: Given, ...keys: readonly string[]): Given =>
  Object.fromEntries(keys.flatMap((key) => (given[key] == null ? [] : [[key, given[key]]])));

/** What is fetched of a group and the groups in it, in this order: the tree first. */
export const GROUP_PHASES: readonly GroupPhase[] = [
  TREE,
  listOfGroups({
    name: 'members',
    of: 'members',
    path: '/members',
    async record(given, _group, context) {
      const user = { ...only(given, 'id', 'username', 'name'), public_email: await publicAddress(context, given) };
      return { ...only(given, 'access_level', 'expires_at'), user };
    },
  }),
  listOfGroups({
    name: 'labels',
    of: 'all',
    path: '/labels?include_ancestor_groups=false&only_group_labels=true',
    record: (given) => ({ ...only(given, 'color', 'description', 'archived'), title: titleIn(given, 'name') }),
  }),
  listOfGroups({
    name: 'milestones',
    of: 'all',
    path: '/milestones',
    record: (given, group) =>
      given.group_id != null && given.group_id !== group.id
        ? null
        : only(given, 'iid', 'title', 'description', 'state', 'start_date', 'due_date', 'created_at', 'updated_at'),
  }),
  listOfGroups({
    name: 'boards',
    of: 'all',
    path: '/boards',
    record: (given) => ({
      ...only(given, 'name', 'hide_backlog_list', 'hide_closed_list'),
      lists: (Array.isArray(given.lists) ? given.lists : []).filter(isGiven).map((list) => ({
        ...only(list, 'list_type', 'position'),
        ...(isGiven(list.label) && { label: { title: list.label.name ?? null } }),
      })),
    }),
  }),
  listOfGroups({
    name: 'badges',
    of: 'all',
    path: '/badges',
    record: (given) => only(given, 'name', 'link_url', 'image_url'),
  }),
  listOfGroups({ name: 'variables', of: 'all', path: '/variables', record: (given) => only(given, 'key') }),
  listOfGroups({ name: 'hooks', of: 'all', path: '/hooks', record: (given) => only(given, 'url') }),
  listOfGroups({
    name: 'projects',
    of: 'projects',
    path: '/projects?include_subgroups=false&with_shared=false&simple=true&order_by=id&sort=asc',
    record: (given, group) => {
      const path = titleIn(given, 'path');
      const fullPath = textIn(given, 'path_with_namespace', 2_000);
      // Projects that are shared with the group belong to another one.
      return fullPath === `${group.full_path}/${path}` ? { path, full_path: fullPath } : null;
    },
  }),
];

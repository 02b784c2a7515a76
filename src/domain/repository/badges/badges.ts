import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { projectListed } from '#src/access/permissions/visibility.ts';
import { findGroup, type GroupRow, type IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { findRevision } from '#src/domain/repository/revision.ts';
import { listTags } from '#src/domain/repository/tags/list.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { BadRequest, type FieldErrors, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const project = alias('Project', 'p');

/** The addresses of a badge, which may have placeholders. */
export interface BadgeUrls {
  linkUrl: string;
  imageUrl: string;
}

export interface BadgeValues extends BadgeUrls {
  name: string | null;
}

/** A stored badge, as it is shown of the project or group `of`. */
export interface BadgeRow extends BadgeValues {
  id: number;
  kind: 'project' | 'group';
  of: BadgePlace;
}

/** Where badges are shown. */
export type BadgePlace =
  | { readonly project: ProjectRow; readonly group?: undefined }
  | { readonly group: GroupRow; readonly project?: undefined };

/** Names the project or the group of a badge: exactly one of them. */
export interface BadgePlaceRef {
  project?: IdOrPath | null | undefined;
  group?: IdOrPath | null | undefined;
}

/**
 * The badges of a project, with those of its groups, or of a group itself, oldest first, for whoever sees it.
 *
 * @param name only those of exactly this name
 */
export async function listBadges(
  { db }: Context,
  of: BadgePlace,
  name: string | null,
  { limit, offset, order }: PageRequest,
): Promise<Page<BadgeRow>> {
  const where = sql`${shown(of)} ${name === null ? Prisma.empty : sql`AND b.name = ${name}`}`;
  const [found] = await db.$queryRaw<{ total: number }[]>`SELECT count(*)::int AS total FROM badges b WHERE ${where}`;
  const direction = order?.direction === 'desc' ? sql`DESC` : sql`ASC`;
  const rows = await db.$queryRaw<Omit<BadgeRow, 'of'>[]>`
    SELECT ${COLUMNS} FROM badges b WHERE ${where} ORDER BY b.id ${direction} LIMIT ${limit} OFFSET ${offset}`;
  return { nodes: rows.map((row) => ({ ...row, of })), offset, total: found?.total ?? 0 };
}

/** One of these badges. Throws NotFound. */
export async function findBadge({ db }: Context, of: BadgePlace, id: number): Promise<BadgeRow> {
  const [found] = await db.$queryRaw<Omit<BadgeRow, 'of'>[]>`
    SELECT ${COLUMNS} FROM badges b WHERE b.id = ${id} AND ${shown(of)}`;
  if (!found) throw new NotFound('Badge');
  return { ...found, of };
}

/**
 * The badges with these IDs, each as it is shown of its own project or group, where the actor can see that.
 *
 * @param placeOf finds the project or the group; null if the actor cannot see it
 */
export async function findBadgesByIds(
  { db }: Context,
  ids: readonly number[],
  placeOf: (owner: { projectId: number | null; groupId: number | null }) => Promise<BadgePlace | null>,
): Promise<BadgeRow[]> {
  const rows = await db.$queryRaw<(Omit<BadgeRow, 'of'> & { projectId: number | null; groupId: number | null })[]>`
    SELECT ${COLUMNS}, b.project_id AS "projectId", b.group_id AS "groupId" FROM badges b
    WHERE b.id = ANY(${[...ids]}::int[])`;
  const badges = rows.map(async ({ projectId, groupId, ...row }) => {
    const of = await placeOf({ projectId, groupId });
    return of ? [{ ...row, of }] : [];
  });
  return (await Promise.all(badges)).flat();
}

/** Creates a badge. For masters of the project and owners of the group. Throws Forbidden, NotFound, ValidationFailed. */
export async function createBadge(context: Context, ref: BadgePlaceRef, values: BadgeValues): Promise<BadgeRow> {
  const of = await administered(context, ref);
  check(values);
  const owner = of.project ? { projectId: of.project.id } : { groupId: of.group.id };
  const { name, linkUrl, imageUrl } = values;
  const { id } = await context.db.badge.create({ data: { ...owner, name, linkUrl, imageUrl }, select: { id: true } });
  return findBadge(context, of, id);
}

/** Changes a badge of the project or group itself: unset means unchanged. Throws as createBadge. */
export async function updateBadge(
  context: Context,
  ref: BadgePlaceRef,
  id: number,
  changes: Partial<BadgeValues>,
): Promise<BadgeRow> {
  const of = await administered(context, ref);
  const own = { id, ...ownerOf(of) };
  if ((await context.db.badge.count({ where: own })) === 0) throw new NotFound('Badge');
  check(changes);
  const { count } = await context.db.badge.updateMany({ where: own, data: changes });
  if (count === 0) throw new NotFound('Badge');
  return findBadge(context, of, id);
}

/** Deletes a badge of the project or group itself. Throws Forbidden, NotFound. */
export async function deleteBadge(context: Context, ref: BadgePlaceRef, id: number): Promise<{ id: number }> {
  const of = await administered(context, ref);
  const { count } = await context.db.badge.deleteMany({ where: { id, ...ownerOf(of) } });
  if (count === 0) throw new NotFound('Badge');
  return { id };
}

/** The addresses that a new badge would show. For those who can create it. Throws Forbidden, ValidationFailed. */
export async function tryBadge(context: Context, of: BadgePlace, urls: BadgeUrls, baseUrl: string): Promise<BadgeUrls> {
  authorizeBadges(context, of);
  check(urls);
  const facts = new BadgeFacts(context, of);
  return {
    linkUrl: await facts.rendered(urls.linkUrl, baseUrl),
    imageUrl: await facts.rendered(urls.imageUrl, baseUrl),
  };
}

/** What placeholders of badges stand for in a project, or in the oldest project of a group that the caller can see. */
export class BadgeFacts {
  readonly #context: Context;
  readonly #of: BadgePlace;
  #project: Promise<ProjectRow | null> | undefined;
  readonly #known = new Map<string, Promise<string | null>>();

  constructor(context: Context, of: BadgePlace) {
    this.#context = context;
    this.#of = of;
  }

  /**
   * An address with the values of its placeholders; those that have none stay as they are.
   *
   * @param baseUrl of this server
   */
  async rendered(url: string, baseUrl: string): Promise<string> {
    const names = new Set([...url.matchAll(PLACEHOLDER)].map(([, name = '']) => name));
    const values = new Map<string, string | null>();
    for (const name of names) values.set(name, await this.#valueOf(name, baseUrl));
    return url.replace(PLACEHOLDER, (whole, name: string) => {
      const value = values.get(name);
      return value == null ? whole : value.split('/').map(encodeURIComponent).join('/');
    });
  }

  #valueOf(name: string, baseUrl: string): Promise<string | null> {
    if (name === 'gitlab_server') return Promise.resolve(new URL(baseUrl).hostname);
    if (name === 'gitlab_pages_domain') return Promise.resolve(this.#context.sites?.host ?? null);
    const known = this.#known.get(name) ?? this.#find(name);
    this.#known.set(name, known);
    return known;
  }

  async #find(name: string): Promise<string | null> {
    this.#project ??= this.#of.project ? Promise.resolve(this.#of.project) : this.#oldest(this.#of.group);
    const found = await this.#project;
    if (!found) return null;
    const around = found.fullPath.slice(0, -found.path.length - 1);
    switch (name) {
      case 'project_path':
        return found.fullPath;
      case 'project_title':
        return found.name;
      case 'project_name':
        return found.path;
      case 'project_id':
        return String(found.id);
      case 'project_namespace':
        return around;
      case 'group_name':
        return found.ownerId === null ? around.slice(around.lastIndexOf('/') + 1) : null;
    }
    if (!can(this.#context.actor, 'read_repository', found)) return null;
    if (name === 'default_branch') return found.defaultBranch;
    if (name === 'commit_sha') return (await findRevision(this.#context, found))?.oid ?? null;
    const newest = await listTags(this.#context, found, FIRST, null, { orderBy: 'updated', sort: 'desc' });
    return newest.nodes[0]?.name ?? null;
  }

  async #oldest({ id }: GroupRow): Promise<ProjectRow | null> {
    const { db, actor } = this.#context;
    const [found] = await db.$queryRaw<{ id: number }[]>`
      SELECT p.id FROM projects p WHERE p.namespace_id IN (SELECT n.id FROM namespaces n WHERE n.lineage @> ARRAY[${id}]::int[])
        AND ${projectListed(actor, project)} ORDER BY p.id LIMIT 1`;
    return found ? findProject(this.#context, found.id) : null;
  }
}

const FIRST: PageRequest = { limit: 1, offset: 0, withTotal: false };
const PLACEHOLDER =
  /%\{(project_path|project_title|project_name|project_id|project_namespace|group_name|gitlab_server|gitlab_pages_domain|default_branch|commit_sha|latest_tag)\}/g;
const COLUMNS = sql`b.id, b.name, b.link_url AS "linkUrl", b.image_url AS "imageUrl",
  CASE WHEN b.project_id IS NULL THEN 'group' ELSE 'project' END AS kind`;

/** Which badges are shown of a project or group. */
function shown({ project: own, group }: BadgePlace): Prisma.Sql {
  if (group) return sql`b.group_id = ${group.id}`;
  return sql`(b.project_id = ${own.id} OR b.group_id = ANY((SELECT n.lineage FROM namespaces n WHERE n.id = ${own.namespaceId})::int[]))`;
}

function ownerOf({ project: own, group }: BadgePlace) {
  return group ? { groupId: group.id } : { projectId: own.id };
}

async function administered(context: Context, { project: own, group }: BadgePlaceRef): Promise<BadgePlace> {
  requireActor(context);
  if ((own == null) === (group == null)) throw new BadRequest('Name either a project or a group', 'project');
  const of =
    own == null ? { group: await findGroup(context, group ?? 0) } : { project: await findProject(context, own) };
  authorizeBadges(context, of);
  return of;
}

function authorizeBadges({ actor }: Context, { project: own, group }: BadgePlace): void {
  if (group) authorize(actor, 'admin_group_badge', group);
  else authorize(actor, 'admin_badge', own);
}

/** Characters of the longest name and address. */
const MAX_LENGTHS = { name: 255, link_url: 2048, image_url: 2048 };

/** Throws ValidationFailed. */
function check({ name, linkUrl, imageUrl }: Partial<BadgeValues>): void {
  const errors: FieldErrors = {};
  for (const [field, text] of Object.entries({ name, link_url: linkUrl, image_url: imageUrl })) {
    const longest = MAX_LENGTHS[field as keyof typeof MAX_LENGTHS];
    if (text == null) continue;
    if (text.length > longest) errors[field] = [`is too long (maximum is ${longest} characters)`];
    else if (field !== 'name' && !isHttp(text)) errors[field] = ['must be a valid URL'];
  }
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

/** Whether it is an address over HTTP or HTTPS, whatever its placeholders stand for. */
function isHttp(url: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(url) && URL.canParse(url.replace(/%\{\w+\}/g, 'x'));
}

import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, readerOf } from '#src/access/permissions/actor.ts';
import { hasFeature } from '#src/access/permissions/features.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { groupVisible } from '#src/access/permissions/visibility.ts';
import '#src/domain/tracking/labels/computed_fields.ts';
import { findGroupsByIds, type GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { ofProjectOrAncestorGroups } from '#src/domain/projects/groups_around.ts';
import type { Owner } from '#src/domain/projects/owner.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { all, containing, Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readRows } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const [label, subgroup] = [alias('Label', 'l'), alias('Namespace', 'dn')];
const BY_TITLE = order('Label', ['title', 'id']);

export interface LabelFilter {
  /** Matches anywhere in title or description, ignoring case. */
  search?: string | null | undefined;
  /** Only those that are archived, or only those that are not. */
  archived?: boolean | null | undefined;
  /** Whether the labels of the groups around are among them. */
  includeAncestorGroups: boolean;
}

export interface GroupLabelFilter extends LabelFilter {
  /** Whether the labels of the groups inside are among them. */
  includeDescendantGroups: boolean;
  /** Whether the labels of projects are not among them. */
  onlyGroupLabels: boolean;
}

/** The labels of each project by title, in one statement; Forbidden in place of those that the actor may not read. */
export async function listLabels<R>(
  context: Context,
  projects: readonly ProjectRow[],
  filter: LabelFilter,
  page: PageRequest,
  selection: Selection<'Label', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = readerOf(context);
  const isOf = (project: Prisma.Sql | number) =>
    all([
      filter.includeAncestorGroups ? ofProjectOrAncestorGroups(label, project) : sql`${label.projectId} = ${project}`,
      ...found(filter),
    ]);
  return forPermittedParents(
    projects,
    (project) => authorize(actor, 'read_label', project),
    (permitted) => {
      const parents = permitted.map((project) => ({ parent: project.id, ...placeOf(actor, project) }));
      return readInProjects(context, parents, isOf, page, selection);
    },
  );
}

/** The labels of each group by title, in one statement. The caller must have checked that the actor can see the groups. */
export async function listGroupLabels<R>(
  context: Context,
  groups: readonly GroupRow[],
  filter: GroupLabelFilter,
  page: PageRequest,
  selection: Selection<'Label', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const { includeAncestorGroups, includeDescendantGroups, onlyGroupLabels } = filter;
  const isOf = (group: Prisma.Sql | number) => {
    const inside = includeDescendantGroups ? sql`dn.lineage @> ARRAY[${group}]::int[]` : sql`dn.id = ${group}`;
    const ways = [
      includeAncestorGroups
        ? sql`${label.groupId} = ANY((SELECT an.lineage FROM namespaces an WHERE an.id = ${group})::int[])`
        : sql`${label.groupId} = ${group}`,
      ...(includeDescendantGroups
        ? [
            sql`${label.groupId} IN (SELECT dn.id FROM ${table(subgroup)} WHERE ${inside} AND ${groupVisible(actor, subgroup)})`,
          ]
        : []),
      ...(onlyGroupLabels
        ? []
        : [
            sql`${label.projectId} IN (SELECT dp.id FROM projects dp JOIN namespaces dn ON dn.id = dp.namespace_id
              WHERE ${inside} AND ${within(sql`dp.id`, 'planning')})`,
          ]),
    ];
    return all([sql`(${Prisma.join(ways, ' OR ')})`, ...found(filter)]);
  };
  return readInGroups(
    context,
    groups,
    groups.map(({ id }) => id),
    isOf,
    page,
    selection,
  );
}

function found({ search, archived }: LabelFilter): Prisma.Sql[] {
  const pattern = containing(search ?? '');
  return [
    ...(search?.trim() ? [sql`(${label.title} ILIKE ${pattern} OR ${label.description} ILIKE ${pattern})`] : []),
    ...(archived == null ? [] : [sql`${label.archived} = ${archived}`]),
  ];
}

/** A record with labels, and its project. The caller must have checked that the actor can see it. */
export interface Labelled {
  project: ProjectRow;
  id: number;
}

/** The labels of each issue, or of each merge request, by title, in one statement. */
export async function listLabelsOn<R>(
  context: Context,
  kind: 'Issue' | 'MergeRequest',
  subjects: readonly Labelled[],
  page: PageRequest,
  selection: Selection<'Label', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const parents = subjects.map(({ project, id }) => ({ parent: id, ...placeOf(actor, project) }));
  const isOn = (subject: Prisma.Sql | number) =>
    kind === 'Issue'
      ? sql`${label.id} IN (SELECT il.label_id FROM issue_labels il WHERE il.issue_id = ${subject})`
      : sql`${label.id} IN (SELECT ml.label_id FROM merge_request_labels ml WHERE ml.merge_request_id = ${subject})`;
  return readInProjects(context, parents, isOn, page, selection);
}

/**
 * The labels with these IDs that the actor may read, in no particular order.
 *
 * @param projectOf finds the projects that the actor can see, null for others
 */
export async function findLabelsByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'Label', R>,
  projectOf: ProjectOf,
): Promise<R[]> {
  const actor = readerOf(context);
  const where = sql`${label.id} = ANY(${[...ids]}::int[])`;
  const rows = await readRows(context.db, PLACE, { rows: label, where });
  // The counts of a label depend on the actor's access to its project.
  const projects = await Promise.all(rows.map(({ projectId }) => (projectId === null ? null : projectOf(projectId))));
  const parents = rows.flatMap(({ id }, index) => {
    const project = projects[index];
    return project && can(actor, 'read_label', project) ? [{ parent: id, ...placeOf(actor, project) }] : [];
  });
  const groupIds = [...new Set(rows.flatMap(({ groupId }) => groupId ?? []))];
  const groups = groupIds.length > 0 ? await findGroupsByIds(context, groupIds) : [];
  const seen = new Set(groups.map(({ id }) => id));
  const ofGroups = rows.flatMap(({ id, groupId }) => (groupId !== null && seen.has(groupId) ? [id] : []));
  const isIt = (id: Prisma.Sql | number) => sql`${label.id} = ${id}`;
  const pages = [
    ...(parents.length > 0 ? await readInProjects(context, parents, isIt, ONE, selection) : []),
    ...(ofGroups.length > 0 ? await readInGroups(context, groups, ofGroups, isIt, ONE, selection) : []),
  ];
  return pages.flatMap(({ nodes }) => nodes);
}

const PLACE = select('Label', { id: true, projectId: true, groupId: true });
const ONE = { limit: 1, offset: 0, withTotal: false };

type Parent = { parent: number; project: number; confidential: boolean; issues: boolean; mergeRequests: boolean };

function placeOf(actor: Actor | null, project: ProjectRow): Omit<Parent, 'parent'> {
  return {
    project: project.id,
    confidential: actor?.admin === true || can(actor, 'read_confidential_issue', project),
    issues: hasFeature(actor, 'issues', project),
    mergeRequests: hasFeature(actor, 'mergeRequests', project),
  };
}

/** The labels of each parent as a project has them. */
function readInProjects<R>(
  { db, actor }: Context,
  parents: readonly Parent[],
  isOf: (parent: Prisma.Sql | number) => Prisma.Sql,
  page: PageRequest,
  selection: Selection<'Label', R>,
): Promise<Page<R>[]> {
  const pageOf = ({ parent, project, confidential, issues, mergeRequests }: Asked<Parent>) => {
    const params = { actor, confidential, labelsOf: project, labelsCount: { issues, mergeRequests } };
    return pageOfRows(selection, { rows: label, where: isOf(parent), order: BY_TITLE, params }, page);
  };
  const types = {
    parent: 'int',
    project: 'int',
    confidential: 'boolean',
    issues: 'boolean',
    mergeRequests: 'boolean',
  } as const;
  return readPages<R>(db, page, perParent(parents, types, pageOf));
}

/** The labels of each parent as the groups have them: their counts are of all that the actor can see. */
function readInGroups<R>(
  context: Context,
  groups: readonly GroupRow[],
  parents: readonly number[],
  isOf: (parent: Prisma.Sql | number) => Prisma.Sql,
  page: PageRequest,
  selection: Selection<'Label', R>,
): Promise<Page<R>[]> {
  const actor = readerOf(context);
  const pageOf = ({ parent }: Asked<{ parent: number }>) =>
    pageOfRows(selection, { rows: label, where: isOf(parent), order: BY_TITLE, params: { actor } }, page);
  const topmost = [...new Set(groups.flatMap(({ lineage: [top] }) => top ?? []))];
  const places = seenPlaces(actor, sql`n.lineage && ${topmost}::int[]`);
  const asked = parents.map((parent) => ({ parent }));
  return readPages<R>(context.db, page, perParent(asked, { parent: 'int' }, pageOf, [places]));
}

/** Identifies a label: by ID, by title, or by text that is its ID or else its title (endpoints-beyond.md, Subscriptions). */
export interface LabelRef {
  id?: number | null | undefined;
  title?: string | null | undefined;
  idOrTitle?: string | null | undefined;
}

/**
 * The label of a project or group, and of the groups around it if these are included: of several with a title the closest one.
 * Throws NotFound.
 */
export async function findLabel<R>(
  context: Context,
  place: Owner,
  ref: LabelRef,
  selection: Selection<'Label', R>,
  { includeAncestorGroups = false }: { includeAncestorGroups?: boolean } = {},
): Promise<R> {
  const text = ref.idOrTitle ?? '';
  const id = ref.id ?? (/^\d{1,9}$/.test(text) ? Number(text) : 0);
  const title = ref.id != null ? null : (ref.title ?? text);
  const isIt =
    ref.title != null ? sql`${label.title} = ${title}` : sql`(${label.id} = ${id} OR ${label.title} = ${title})`;
  const isThere = includeAncestorGroups ? inOrAround(place) : own(place);
  const closest = sql`SELECT l.id FROM ${table(label)} LEFT JOIN namespaces gl ON gl.id = ${label.groupId}
    WHERE ${isThere} AND ${isIt}
    ORDER BY ${label.id} = ${id} DESC, ${label.groupId} IS NOT NULL, cardinality(gl.lineage) DESC LIMIT 1`;
  return one(context, place, sql`${label.id} = (${closest})`, selection);
}

/** The label of the project or group, or of a group around it, with that ID. Throws NotFound. */
export async function labelById<R>(
  context: Context,
  place: Owner,
  id: number,
  selection: Selection<'Label', R>,
): Promise<R> {
  return one(context, place, sql`${label.id} = ${id} AND ${inOrAround(place)}`, selection);
}

function own({ project, group }: Owner): Prisma.Sql {
  return project ? sql`${label.projectId} = ${project.id}` : sql`${label.groupId} = ${group.id}`;
}

function inOrAround({ project, group }: Owner): Prisma.Sql {
  return project ? ofProjectOrAncestorGroups(label, project.id) : sql`${label.groupId} = ANY(${group.lineage}::int[])`;
}

async function one<R>(
  context: Context,
  { project, group }: Owner,
  where: Prisma.Sql,
  selection: Selection<'Label', R>,
): Promise<R> {
  const actor = readerOf(context);
  const [page] = project
    ? await readInProjects(context, [{ parent: 0, ...placeOf(actor, project) }], () => where, ONE, selection)
    : await readInGroups(context, [group], [0], () => where, ONE, selection);
  const [label] = page?.nodes ?? [];
  if (label === undefined) throw new NotFound('Label');
  return label;
}

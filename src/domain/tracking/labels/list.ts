import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import '#src/domain/tracking/labels/computed_fields.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import { Prisma, queryJson, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, ofEach, ofPermitted } from '#src/platform/records/parents.ts';
import { pageOfRows, readRows } from '#src/platform/records/read.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const label = alias('Label', 'l');
const BY_TITLE = order('Label', ['title', 'id']);

/** The labels of each project by title, in one statement; Forbidden in place of those that the actor may not read. */
export async function listLabels<R>(
  context: Context,
  projects: readonly ProjectRow[],
  page: PageRequest,
  selection: Selection<'Label', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  return ofPermitted(
    projects,
    (project) => authorize(actor, 'read_label', project),
    (permitted) => {
      const parents = permitted.map((project) => ({ parent: project.id, ...placeOf(actor, project) }));
      return readLabels(context, parents, (project) => sql`${label.projectId} = ${project}`, page, selection);
    },
  );
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
  const actor = requireActor(context);
  const parents = subjects.map(({ project, id }) => ({ parent: id, ...placeOf(actor, project) }));
  const isOn = (subject: Prisma.Sql | number) =>
    kind === 'Issue'
      ? sql`${label.id} IN (SELECT il.label_id FROM issue_labels il WHERE il.issue_id = ${subject})`
      : sql`${label.id} IN (SELECT ml.label_id FROM merge_request_labels ml WHERE ml.merge_request_id = ${subject})`;
  return readLabels(context, parents, isOn, page, selection);
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
  const actor = requireActor(context);
  const where = sql`${label.id} = ANY(${[...ids]}::int[])`;
  const found = await readRows(context.db, PLACE, { rows: label, where });
  // The counts of a label depend on the actor's access to its project.
  const projects = await Promise.all(found.map(({ projectId }) => projectOf(projectId)));
  const parents = found.flatMap(({ id }, index) => {
    const project = projects[index];
    return project && can(actor, 'read_label', project) ? [{ parent: id, ...placeOf(actor, project) }] : [];
  });
  if (parents.length === 0) return [];
  const one = { limit: 1, offset: 0, withTotal: false };
  const pages = await readLabels(context, parents, (id) => sql`${label.id} = ${id}`, one, selection);
  return pages.flatMap(({ nodes }) => nodes);
}

const PLACE = select('Label', { id: true, projectId: true });

type Parent = { parent: number; project: number; confidential: boolean };

function placeOf(actor: Actor, project: ProjectRow): Omit<Parent, 'parent'> {
  return { project: project.id, confidential: seesAll(actor, project) };
}

function readLabels<R>(
  { db, actor }: Context,
  parents: readonly Parent[],
  isOf: (parent: Prisma.Sql | number) => Prisma.Sql,
  page: PageRequest,
  selection: Selection<'Label', R>,
): Promise<Page<R>[]> {
  const pageOf = ({ parent, project, confidential }: Asked<Parent>) => {
    const params = { actor, confidential, labelsOf: project };
    return pageOfRows(selection, { rows: label, where: isOf(parent), order: BY_TITLE, params }, page);
  };
  const types = { parent: 'int', project: 'int', confidential: 'boolean' } as const;
  return readPages<R>(db, page, ofEach(parents, types, pageOf));
}

/** Identifies a label: by ID, by title, or by text that is its ID or else its title (endpoints-beyond.md, Subscriptions). */
export interface LabelRef {
  id?: number | null | undefined;
  title?: string | null | undefined;
  idOrTitle?: string | null | undefined;
}

/** The label of the project. Throws NotFound. */
export async function findLabel<R>(
  context: Context,
  project: ProjectRow,
  ref: LabelRef,
  selection: Selection<'Label', R>,
): Promise<R> {
  if (ref.id != null) return labelById(context, project, ref.id, selection);
  if (ref.title != null) return one(context, project, sql`${label.title} = ${ref.title}`, selection);
  const text = ref.idOrTitle ?? '';
  const id = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  const isIt = sql`(${label.id} = ${id} OR ${label.title} = ${text})`;
  return one(context, project, sql`${isIt} ORDER BY ${label.id} = ${id} DESC LIMIT 1`, selection);
}

/** The label of the project with that ID. Throws NotFound. */
export async function labelById<R>(
  context: Context,
  project: ProjectRow,
  id: number,
  selection: Selection<'Label', R>,
): Promise<R> {
  return one(context, project, sql`${label.id} = ${id}`, selection);
}

async function one<R>(
  context: Context,
  project: ProjectRow,
  isIt: Prisma.Sql,
  selection: Selection<'Label', R>,
): Promise<R> {
  const actor = requireActor(context);
  const from = sql`SELECT l.* FROM ${table(label)} WHERE ${label.projectId} = ${project.id} AND ${isIt}`;
  const rows = rowsJson(selection, {
    from,
    order: ({ id }) => id,
    params: { actor, confidential: seesAll(actor, project) },
  });
  const [found] = await queryJson<R[]>(context.db, rows);
  if (!found) throw new NotFound('Label');
  return found;
}

function seesAll(actor: Actor, project: ProjectRow): boolean {
  return actor.admin || can(actor, 'read_confidential_issue', project);
}

import { authorize, can } from '#src/access/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/actor.ts';
import '#src/labels/own_values.ts';
import { Prisma, queryJson, readPages } from '#src/platform/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, ofEach, ofPermitted } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import { rowsJson } from '#src/platform/records/rows.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import type { ProjectRow } from '#src/projects/find.ts';

const { sql } = Prisma;
const label = alias('Label', 'l');
const BY_TITLE = order('Label', ['title', 'id']);

/** The labels of each project by title, in one statement; Forbidden in the place of those that the actor may not read. */
export async function listLabels<R>(
  context: Context,
  projects: readonly ProjectRow[],
  page: PageRequest,
  selection: Selection<'Label', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const pageOf = ({ project, confidential }: Asked<{ project: number; confidential: boolean }>) => {
    const where = sql`${label.projectId} = ${project}`;
    const given = { actor, confidential, labelsOf: project };
    return pageOfRows(selection, { rows: label, where, order: BY_TITLE, given }, page);
  };
  return ofPermitted(
    projects,
    (project) => authorize(actor, 'read_label', project),
    (permitted) => {
      const parents = permitted.map((project) => ({ project: project.id, confidential: seesAll(actor, project) }));
      const pages = ofEach(parents, { project: 'int', confidential: 'boolean' }, pageOf);
      return readPages<R>(context.db, page, pages);
    },
  );
}

/** Which label: by ID or by title, or by text that is its ID, else its title (endpoints-beyond.md, Subscriptions). */
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
    given: { actor, confidential: seesAll(actor, project) },
  });
  const [found] = await queryJson<R[]>(context.db, rows);
  if (!found) throw new NotFound('Label');
  return found;
}

function seesAll(actor: Actor, project: ProjectRow): boolean {
  return actor.admin || can(actor, 'read_confidential_issue', project);
}

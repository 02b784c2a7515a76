import { authorize, can, type ProjectAbility } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { Alias } from '#src/platform/records/alias.ts';
import type { Columns, ModelName } from '#src/platform/records/model.ts';
import type { Order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { byKey, pageOfRows, readRow, readRows } from '#src/platform/records/read.ts';
import { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;

/** The models whose records belong to a project. */
type OfProject = { [M in ModelName]: Columns[M] extends { id: number; projectId: number } ? M : never }[ModelName];

/** Records of a model that belong to projects. */
interface ProjectRecords<M extends OfProject> {
  /** The ability required to read them. */
  ability: ProjectAbility;
  rows: Alias<M>;
  /** Restricts which rows are included. */
  only?: Prisma.Sql;
  /** Order of lists: oldest first by default. */
  order?: Order<M>;
}

/** Finds a project that the actor can see, null for others; batched. */
export type ProjectOf = (id: number) => Promise<ProjectRow | null>;

/** Identifies a changed record of a project, for reading it back. */
export interface ChangedRecord {
  project: ProjectRow;
  id: number;
}

/** The readers of such records. */
interface Reading<M extends OfProject> {
  /**
   * A page of the matching records of each project, in one statement; Forbidden in place of those that the actor may not read.
   * Throws Unauthenticated.
   */
  list<R>(
    context: Context,
    projects: readonly ProjectRow[],
    page: PageRequest,
    selection: Selection<M, R>,
    conditions?: readonly Prisma.Sql[],
  ): Promise<(Page<R> | Error)[]>;
  /** The record of the project with that ID, or matching the condition. Throws NotFound, Forbidden, Unauthenticated. */
  find<R>(context: Context, project: ProjectRow, which: number | Prisma.Sql, selection: Selection<M, R>): Promise<R>;
  /**
   * The records with these IDs that the actor may read, in no particular order, in one statement. Throws Unauthenticated.
   *
   * @param projectOf finds the projects that the actor can see, null for others
   */
  findByIds<R>(
    context: Context,
    ids: readonly number[],
    selection: Selection<M, R>,
    projectOf: ProjectOf,
  ): Promise<(R & { id: number })[]>;
  /** Like `find`, for reading back what the actor was allowed to change. Throws NotFound. */
  changed<R>(context: Context, changed: ChangedRecord, selection: Selection<M, R>): Promise<R>;
}

/** Creates readers for the records of a model by project, with the fields selected. */
export function projectScoped<M extends OfProject>({ ability, rows, only, order }: ProjectRecords<M>): Reading<M> {
  const rowId: Prisma.Sql = Reflect.get(rows, 'id');
  const projectId: Prisma.Sql = Reflect.get(rows, 'projectId');
  const within = (project: number | Prisma.Sql, ...conditions: readonly Prisma.Sql[]) =>
    all([sql`${projectId} = ${project}`, ...(only ? [only] : []), ...conditions]);

  const changed: Reading<M>['changed'] = ({ db }, { project, id }, selection) =>
    one(db, within(project.id, sql`${rowId} = ${id}`), selection);

  async function one<R>(db: Context['db'], where: Prisma.Sql, selection: Selection<M, R>): Promise<R> {
    const found = await readRow(db, selection, { rows, where });
    if (!found) throw new NotFound(selection.model);
    return found;
  }

  return {
    changed,
    async find(context, project, which, selection) {
      authorize(readerOf(context), ability, project);
      const isIt = typeof which === 'number' ? sql`${rowId} = ${which}` : which;
      return one(context.db, within(project.id, isIt), selection);
    },
    async findByIds(context, ids, selection, projectOf) {
      const actor = readerOf(context);
      const keys = new Selection(selection.model, new Map(['id', 'projectId'].map((name) => [name, null])));
      const where = all([sql`${rowId} = ANY(${[...ids]}::int[])`, ...(only ? [only] : [])]);
      const found = (await readRows(context.db, selection.with(keys), { rows, where })) as KeyedOf<typeof selection>[];
      return ofSeenProjects(found, projectOf, (project) => can(actor, ability, project));
    },
    async list<R>(
      context: Context,
      projects: readonly ProjectRow[],
      page: PageRequest,
      selection: Selection<M, R>,
      conditions: readonly Prisma.Sql[] = [],
    ) {
      const actor = readerOf(context);
      const sorted = order ?? byKey(selection.model);
      const pageOf = ({ project }: Asked<{ project: number }>) =>
        pageOfRows(selection, { rows, where: within(project, ...conditions), order: sorted }, page);
      const read = (permitted: ProjectRow[]) => {
        const parents = permitted.map(({ id }) => ({ project: id }));
        return readPages<R>(context.db, page, perParent(parents, { project: 'int' }, pageOf));
      };
      return forPermittedParents(projects, (project) => authorize(actor, ability, project), read);
    },
  };
}

type KeyedOf<S extends { row: unknown }> = S['row'] & Keyed;

interface Keyed {
  id: number;
  projectId: number;
}

/** The records whose project the actor can see, and which they may read there. */
export async function ofSeenProjects<R extends Keyed>(
  records: readonly R[],
  projectOf: ProjectOf,
  mayRead: (project: ProjectRow, record: R) => boolean,
): Promise<R[]> {
  const projects = await Promise.all(records.map(({ projectId }) => projectOf(projectId)));
  return records.filter((record, index) => {
    const project = projects[index];
    return project != null && mayRead(project, record);
  });
}

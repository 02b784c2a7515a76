import { authorize, can, type ProjectAbility } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf } from '#src/access/permissions/actor.ts';
import { findGroupsByIds, type GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { OwnedRecord, Owner } from '#src/domain/projects/owner.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
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

interface Keys {
  id: number;
  projectId: number | null;
  groupId: number | null;
}

/** The models whose records belong to a project or to a group. */
type OfOwner = { [M in ModelName]: Columns[M] extends Keys ? M : never }[ModelName];

/** A condition on the records of one project or group, given its ID. */
type IsOf = (id: number | Prisma.Sql) => Prisma.Sql;

/** The readers of such records. Those of a group are read by all who can see the group. */
interface Reading<M extends OfOwner> {
  /**
   * A page of the records of each project, by default its own, in one statement; Forbidden in place of those that the actor may not
   * read. Throws Unauthenticated.
   */
  listOfProjects<R>(
    context: Context,
    projects: readonly ProjectRow[],
    page: PageRequest,
    selection: Selection<M, R>,
    isOf?: IsOf,
  ): Promise<(Page<R> | Error)[]>;
  /** Like listOfProjects, of groups. */
  listOfGroups<R>(
    context: Context,
    groups: readonly GroupRow[],
    page: PageRequest,
    selection: Selection<M, R>,
    isOf?: IsOf,
  ): Promise<Page<R>[]>;
  /** The record of the place with that ID, or matching the condition. Throws NotFound, Forbidden, Unauthenticated. */
  find<R>(context: Context, place: Owner, which: number | Prisma.Sql, selection: Selection<M, R>): Promise<R>;
  /**
   * The records with these IDs that the actor may read, in no particular order. Throws Unauthenticated.
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
  changed<R>(context: Context, changed: OwnedRecord, selection: Selection<M, R>): Promise<R>;
}

/** Creates readers for the records of a model by project and group, with the fields selected; in order of their keys by default. */
export function ownerScoped<M extends OfOwner>({
  ability,
  rows,
  order,
}: {
  ability: ProjectAbility;
  rows: Alias<M>;
  order?: Order<M>;
}): Reading<M> {
  const column = (name: keyof Keys): Prisma.Sql => Reflect.get(rows, name);
  const ofProject: IsOf = (project) => sql`${column('projectId')} = ${project}`;
  const ofGroup: IsOf = (group) => sql`${column('groupId')} = ${group}`;
  const isOf = ({ project, group }: Owner) => (project ? ofProject(project.id) : ofGroup(group.id));

  function pages<R>(
    { db }: Context,
    ids: readonly number[],
    page: PageRequest,
    selection: Selection<M, R>,
    where: IsOf,
  ): Promise<Page<R>[]> {
    const sorted = order ?? byKey(selection.model);
    const pageOf = ({ id }: Asked<{ id: number }>) =>
      pageOfRows(selection, { rows, where: where(id), order: sorted }, page);
    const parents = ids.map((id) => ({ id }));
    return readPages<R>(db, page, perParent(parents, { id: 'int' }, pageOf));
  }

  async function one<R>({ db }: Context, where: Prisma.Sql, selection: Selection<M, R>): Promise<R> {
    const found = await readRow(db, selection, { rows, where });
    if (!found) throw new NotFound(selection.model);
    return found;
  }

  return {
    async listOfProjects(context, projects, page, selection, where = ofProject) {
      const actor = readerOf(context);
      return forPermittedParents(
        projects,
        (project) => authorize(actor, ability, project),
        (permitted) =>
          pages(
            context,
            permitted.map(({ id }) => id),
            page,
            selection,
            where,
          ),
      );
    },
    async listOfGroups(context, groups, page, selection, where = ofGroup) {
      readerOf(context);
      const ids = groups.map(({ id }) => id);
      return pages(context, ids, page, selection, where);
    },
    async find(context, place, which, selection) {
      const actor = readerOf(context);
      if (place.project) authorize(actor, ability, place.project);
      const isIt = typeof which === 'number' ? sql`${column('id')} = ${which}` : which;
      return one(context, all([isOf(place), isIt]), selection);
    },
    async findByIds(context, ids, selection, projectOf) {
      const actor = readerOf(context);
      const keys = new Selection(selection.model, new Map(['id', 'projectId', 'groupId'].map((name) => [name, null])));
      const where = sql`${column('id')} = ANY(${[...ids]}::int[])`;
      const read = await readRows(context.db, selection.with(keys), { rows, where });
      const found = read as ((typeof read)[number] & Keys)[];
      const groupIds = [...new Set(found.flatMap(({ groupId }) => groupId ?? []))];
      const groups = groupIds.length > 0 ? await findGroupsByIds(context, groupIds) : [];
      const seen = new Set(groups.map(({ id }) => id));
      const projects = await Promise.all(
        found.map(({ projectId }) => (projectId === null ? null : projectOf(projectId))),
      );
      return found.filter(({ groupId }, index) => {
        const project = projects[index];
        return groupId === null ? project != null && can(actor, ability, project) : seen.has(groupId);
      });
    },
    changed: (context, { place, id }, selection) =>
      one(context, all([isOf(place), sql`${column('id')} = ${id}`]), selection),
  };
}

import { authorize, type ProjectAbility } from '#src/access/permissions/abilities.ts';
import { type Context, requireApiScope } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { type ChangedRecord, projectScoped } from '#src/domain/projects/project_scoped.ts';
import { all, containing, holds, Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { type Alias, alias } from '#src/platform/records/alias.ts';
import { type Order, order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readRow } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;

/** The readers of the protections of a kind, by name. */
function readersOf<M extends 'ProtectedBranch' | 'ProtectedTag'>(
  resource: string,
  ability: ProjectAbility,
  rows: Alias<M>,
  byName: Order<M>,
) {
  const [id, projectId, named] = ['id', 'projectId', 'name'].map((column): Prisma.Sql => Reflect.get(rows, column));
  const missing = () => new NotFound(resource);

  /** A page of the protections of each project, in one statement; Forbidden or Unauthenticated in place of unreadable ones. */
  async function list<R>(
    context: Context,
    projects: readonly ProjectRow[],
    search: string | null | undefined,
    page: PageRequest,
    selection: Selection<M, R>,
  ): Promise<(Page<R> | Error)[]> {
    const found = search?.trim() ? [holds(named ?? sql``, containing(search.trim()))] : [];
    const pageOf = ({ project }: Asked<{ project: number }>) =>
      pageOfRows(selection, { rows, where: all([sql`${projectId} = ${project}`, ...found]), order: byName }, page);
    const read = (permitted: ProjectRow[]) => {
      const parents = permitted.map((project) => ({ project: project.id }));
      return readPages<R>(context.db, page, perParent(parents, { project: 'int' }, pageOf));
    };
    const check = (project: ProjectRow) => {
      requireApiScope(context.actor);
      authorize(context.actor, ability, project);
    };
    return forPermittedParents(projects, check, read);
  }

  /** The protection with exactly this name. Throws NotFound, Forbidden, Unauthenticated. */
  async function find<R>(context: Context, project: ProjectRow, name: string, selection: Selection<M, R>): Promise<R> {
    requireApiScope(context.actor);
    authorize(context.actor, ability, project);
    // Names that the database cannot compare match nothing.
    const where = sql`${projectId} = ${project.id} AND ${named} = ${name.replaceAll('\0', ' ')}`;
    const found = name.includes('\0') ? null : await readRow(context.db, selection, { rows, where });
    if (!found) throw missing();
    return found;
  }

  /** One that was changed. Throws NotFound. */
  async function changed<R>({ db }: Context, record: ChangedRecord, selection: Selection<M, R>): Promise<R> {
    const found = await readRow(db, selection, { rows, where: sql`${id} = ${record.id}` });
    if (!found) throw missing();
    return found;
  }

  const scoped = projectScoped({ ability, rows });

  /** Those with these IDs that the actor may read, in one statement. Throws Unauthenticated. */
  const findByIds: typeof scoped.findByIds = async (context, ...rest) => {
    requireApiScope(context.actor);
    return scoped.findByIds(context, ...rest);
  };

  return { list, find, findByIds, changed };
}

/** The protections of branches, for those who can read the repository. */
export const branchProtectionRules = readersOf(
  'BranchProtectionRule',
  'read_repository',
  alias('ProtectedBranch', 'pb'),
  order('ProtectedBranch', ['name']),
);

/** The protections of tags, for masters. */
export const tagProtectionRules = readersOf(
  'TagProtectionRule',
  'admin_protected_tag',
  alias('ProtectedTag', 'pt'),
  order('ProtectedTag', ['name']),
);

import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import { columnsOf, type VariablePlace } from '#src/domain/ci/variables/place.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound, WrongState } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import type { Columns } from '#src/platform/records/model.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows, readPage, readRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import { decrypt } from '#src/platform/secrets.ts';

const { sql } = Prisma;
const variable = alias('Variable', 'v');
const IN_ORDER = { rows: variable, order: order('Variable', ['id']) };
const ofServer = sql`${variable.projectId} IS NULL AND ${variable.namespaceId} IS NULL`;

/** The variables of each project in order of creation, for its masters; Forbidden in place of those of others. */
export function listProjectVariables<R>(
  context: Context,
  projects: readonly ProjectRow[],
  page: PageRequest,
  selection: Selection<'Variable', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const pageOf = ({ project }: Asked<{ project: number }>) =>
    pageOfRows(selection, { ...IN_ORDER, where: sql`${variable.projectId} = ${project}` }, page);
  return forPermittedParents(
    projects,
    (project) => authorize(actor, 'admin_variable', project),
    (permitted) => {
      const parents = permitted.map(({ id }) => ({ project: id }));
      return readPages<R>(context.db, page, perParent(parents, { project: 'int' }, pageOf));
    },
  );
}

/** The variables of each group in order of creation, for its owners; Forbidden in place of those of others. */
export function listGroupVariables<R>(
  context: Context,
  groups: readonly GroupRow[],
  page: PageRequest,
  selection: Selection<'Variable', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const pageOf = ({ group }: Asked<{ group: number }>) =>
    pageOfRows(selection, { ...IN_ORDER, where: sql`${variable.namespaceId} = ${group}` }, page);
  return forPermittedParents(
    groups,
    (group) => authorize(actor, 'admin_group_variable', group),
    (permitted) => {
      const parents = permitted.map(({ id }) => ({ group: id }));
      return readPages<R>(context.db, page, perParent(parents, { group: 'int' }, pageOf));
    },
  );
}

/** The variables of the server in order of creation, for administrators. Throws Forbidden. */
export async function listServerVariables<R>(
  context: Context,
  page: PageRequest,
  selection: Selection<'Variable', R>,
): Promise<Page<R>> {
  requireAdmin(context);
  return readPage(context.db, selection, { ...IN_ORDER, where: ofServer }, page);
}

/** Names a variable of a place: there may be several of a key, for different environments. */
export interface VariableName {
  key: string;
  environmentScope?: string | null | undefined;
}

/** One variable of a place that the actor administers. Throws NotFound, and Conflict if there are several of the key. */
export async function findVariable<R>(
  { db }: Context,
  place: VariablePlace,
  { key, environmentScope }: VariableName,
  selection: Selection<'Variable', R>,
): Promise<R> {
  const where = all([
    within(place),
    // Keys that the database cannot compare match nothing.
    sql`${variable.key} = ${key.replaceAll('\0', ' ')}`,
    ...(environmentScope == null
      ? []
      : [sql`${variable.environmentScope} = ${environmentScope.replaceAll('\0', ' ')}`]),
  ]);
  const [found, another] = await readRows(db, selection, { rows: variable, where });
  if (!found) throw new NotFound(resourceOf(place));
  if (another) throw new WrongState(SEVERAL);
  return found;
}

const SEVERAL = "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'";

function within(place: VariablePlace): Prisma.Sql {
  const { projectId, namespaceId } = columnsOf(place);
  if (projectId !== null) return sql`${variable.projectId} = ${projectId}`;
  return namespaceId === null ? ofServer : sql`${variable.namespaceId} = ${namespaceId}`;
}

/** The name of such variables in messages. */
export function resourceOf(place: VariablePlace): string {
  if (place === 'server') return 'InstanceVariable';
  return place.project ? 'Variable' : 'GroupVariable';
}

/** The value that jobs get; null if it is hidden. */
export function variableValue(
  { secret }: Context,
  { valueEncrypted, hidden }: Pick<Columns['Variable'], 'valueEncrypted' | 'hidden'>,
): string | null {
  return hidden ? null : decrypt(Buffer.from(valueEncrypted, 'base64'), secret);
}

import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { containing, holds, Prisma } from '#src/platform/database/db.ts';
import { BadRequest } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const flag = alias('FeatureFlag', 'ff');
const userList = alias('FeatureFlagUserList', 'fl');

const flags = projectScoped({
  ability: 'read_feature_flag',
  rows: flag,
  order: order('FeatureFlag', ['name']),
});
const userLists = projectScoped({
  ability: 'read_feature_flag',
  rows: userList,
});

/** Flags and user lists by ID, and those that were changed. */
export const { findByIds: findFlagsByIds, changed: changedFlag } = flags;
export const { findByIds: findUserListsByIds, changed: changedUserList } = userLists;

/** The flags of each project by name; only those that are on, or off, if that is asked for. */
export function listFlags<R>(
  context: Context,
  projects: readonly ProjectRow[],
  isActive: boolean | null,
  page: PageRequest,
  selection: Selection<'FeatureFlag', R>,
): Promise<(Page<R> | Error)[]> {
  const conditions = isActive === null ? [] : [sql`${flag.active} = ${isActive}`];
  return flags.list(context, projects, page, selection, conditions);
}

/** Names a flag of a project by one of these. */
export interface FlagName {
  id?: number | null | undefined;
  iid?: number | null | undefined;
  name?: string | null | undefined;
}

/** A flag of a project. Throws NotFound, Forbidden, Unauthenticated, and BadRequest for one that is named in no way or in several. */
export function findFlag<R>(
  context: Context,
  project: ProjectRow,
  { id, iid, name }: FlagName,
  selection: Selection<'FeatureFlag', R>,
): Promise<R> {
  const [which, ...others] = [
    ...(id == null ? [] : [sql`${flag.id} = ${id}`]),
    ...(iid == null ? [] : [sql`${flag.iid} = ${iid}`]),
    // Names that the database cannot compare match nothing.
    ...(name == null ? [] : [sql`${flag.name} = ${name.replaceAll('\0', ' ')}`]),
  ];
  if (!which || others.length > 0) throw new BadRequest('Name the feature flag either by name or by iid', 'name');
  return flags.find(context, project, which, selection);
}

/** The user lists of each project, oldest first; only those with a text in their names, if that is asked for. */
export function listUserLists<R>(
  context: Context,
  projects: readonly ProjectRow[],
  search: string | null | undefined,
  page: PageRequest,
  selection: Selection<'FeatureFlagUserList', R>,
): Promise<(Page<R> | Error)[]> {
  const wanted = search?.trim() ?? '';
  const conditions = wanted === '' ? [] : [holds(userList.name, containing(wanted))];
  return userLists.list(context, projects, page, selection, conditions);
}

/** Names a user list of a project by one of these. */
export interface UserListName {
  id?: number | null | undefined;
  iid?: number | null | undefined;
}

/** The user list of a project with this ID or this number. Throws NotFound, Forbidden, Unauthenticated. */
export function findUserList<R>(
  context: Context,
  project: ProjectRow,
  { id, iid }: UserListName,
  selection: Selection<'FeatureFlagUserList', R>,
): Promise<R> {
  return userLists.find(context, project, id ?? sql`${userList.iid} = ${iid ?? 0}`, selection);
}

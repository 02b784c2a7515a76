import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectScoped } from '#src/domain/projects/project_scoped.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { BadRequest } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/ci/computed_fields.ts';

const { sql } = Prisma;
const environment = alias('Environment', 'e');

const environments = projectScoped({ ability: 'read_environment', rows: environment });

/** An environment of a project. */
export const { find: findEnvironment, findByIds: findEnvironmentsByIds } = environments;

/** Which environments are listed. */
export interface EnvironmentFilter {
  name?: string | null | undefined;
  /** A part of the name, in any case; instead of the name. */
  search?: string | null | undefined;
  state?: 'available' | 'stopping' | 'stopped' | null | undefined;
}

/** Characters of the shortest part of a name that is searched for. */
const MIN_SEARCH_LENGTH = 3;

/** The environments of each project, oldest first. Throws BadRequest for a search of less than three characters. */
export async function listEnvironments<R>(
  context: Context,
  projects: readonly ProjectRow[],
  { name, search, state }: EnvironmentFilter,
  page: PageRequest,
  selection: Selection<'Environment', R>,
): Promise<(Page<R> | Error)[]> {
  if (search && search.length < MIN_SEARCH_LENGTH) {
    throw new BadRequest(`Search query is less than ${MIN_SEARCH_LENGTH} characters`, 'search');
  }
  const { name: column } = environment;
  return environments.list(context, projects, page, selection, [
    ...(name ? [sql`${column} = ${name}`] : []),
    ...(search ? [sql`position(lower(${search}) IN lower(${column})) > 0`] : []),
    ...(state ? [sql`${environment.state} = ${state}::environment_state`] : []),
  ]);
}

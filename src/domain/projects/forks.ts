import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { listProjectsOf, type ProjectList } from '#src/domain/projects/list.ts';
import { Prisma } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { Selection } from '#src/platform/records/selection.ts';

const { sql } = Prisma;

/** The direct forks of each project that the actor can see, in one statement; also for anonymous callers. */
export function listForks<R>(
  context: Context,
  projects: readonly ProjectRow[],
  list: ProjectList,
  page: PageRequest,
  selection: Selection<'Project', R>,
): Promise<Page<R>[]> {
  const parents = projects.map(({ id }) => ({ source: id }));
  return listProjectsOf(
    context,
    parents,
    { source: 'int' },
    ({ forkedFromId }, { source }) => [sql`${forkedFromId} = ${source}`],
    list,
    page,
    selection,
  );
}

import { type Context, requireApiScope } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { userMatches } from '#src/domain/users/matching.ts';
import { activityVisible } from '#src/domain/users/private_profile.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const [star, user] = [alias('ProjectStar', 'st'), alias('User', 'su')];

/** The stars of each project, latest first, in one statement, without those of users with a private profile; also for anonymous callers. */
export function listStarrers<R>(
  context: Context,
  projects: readonly ProjectRow[],
  search: string | null | undefined,
  page: PageRequest,
  selection: Selection<'ProjectStar', R>,
): Promise<Page<R>[]> {
  const { db, actor } = context;
  requireApiScope(actor);
  const wanted = search?.trim();
  const matching = wanted
    ? [sql`${star.userId} IN (SELECT su.id FROM users su WHERE ${userMatches(user, actor, wanted)})`]
    : [];
  matching.push(activityVisible(actor, sql`${star.userId}`));
  const sorted = order('ProjectStar', ['createdAt', 'userId'], 'desc');
  const pageOf = ({ project }: Asked<{ project: number }>) =>
    pageOfRows(
      selection,
      { rows: star, where: all([sql`${star.projectId} = ${project}`, ...matching]), order: sorted },
      page,
    );
  return readPages(
    db,
    page,
    perParent(
      projects.map(({ id }) => ({ project: id })),
      { project: 'int' },
      pageOf,
    ),
  );
}

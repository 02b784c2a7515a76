import type { Context } from '#src/access/permissions/actor.ts';
import type { Source } from '#src/domain/members/source.ts';
import { Prisma, readPages } from '#src/platform/database/db.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { Alias } from '#src/platform/records/alias.ts';
import { type Asked, perParent } from '#src/platform/records/parents.ts';
import { type OrderedRows, pageOfRows } from '#src/platform/records/read.ts';
import type { Selection } from '#src/platform/records/selection.ts';

/** Models whose records belong to either a project or a group. */
type OfSource = 'Member' | 'AccessRequest' | 'PersonalAccessToken';

/** A page of the records of each project, or of each group, in one statement. */
export function listOfSources<M extends OfSource, R>(
  { db }: Pick<Context, 'db'>,
  sources: readonly Source[],
  { rows, where, order }: OrderedRows<M>,
  page: PageRequest,
  selection: Selection<M, R>,
): Promise<Page<R>[]> {
  const { projectId, namespaceId }: Pick<Alias<OfSource>, 'projectId' | 'namespaceId'> = rows;
  const column = sources[0]?.kind === 'project' ? projectId : namespaceId;
  const pageOf = ({ source }: Asked<{ source: number }>) =>
    pageOfRows(selection, { rows, where: Prisma.sql`${column} = ${source} AND ${where}`, order }, page);
  const parents = sources.map(({ record }) => ({ source: record.id }));
  return readPages(db, page, perParent(parents, { source: 'int' }, pageOf));
}

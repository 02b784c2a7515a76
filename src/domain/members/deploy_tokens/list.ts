import { isActiveDeployToken } from '#src/access/credentials/tokens/deploy_token.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import { passes, type Source, type SourceOf } from '#src/domain/members/source.ts';
import { all, Prisma, readPages } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { type Asked, forPermittedParents, perParent } from '#src/platform/records/parents.ts';
import { byKey, pageOfRows, readPage, readPermitted, readRow } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const token = alias('DeployToken', 'd');

/** Which deploy tokens are listed. */
export interface DeployTokenFilter {
  /** Only those that still work; false does not filter. */
  active: boolean;
}

/** All deploy tokens, in order of creation, for administrators. Throws Forbidden. */
export async function listAllDeployTokens<R>(
  context: Context,
  filter: DeployTokenFilter,
  page: PageRequest,
  selection: Selection<'DeployToken', R>,
): Promise<Page<R>> {
  requireAdmin(context);
  return readPage(context.db, selection, { rows: token, where: matching(filter), order: byKey('DeployToken') }, page);
}

/** The deploy tokens of projects, or of groups, for those who administer them, in one statement; Forbidden in place of others'. */
export async function listDeployTokens<R>(
  context: Context,
  sources: readonly Source[],
  filter: DeployTokenFilter,
  page: PageRequest,
  selection: Selection<'DeployToken', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const column = sources[0]?.kind === 'project' ? token.projectId : token.groupId;
  const pageOf = ({ source }: Asked<{ source: number }>) => {
    const where = sql`${column} = ${source} AND ${matching(filter)}`;
    return pageOfRows(selection, { rows: token, where, order: byKey('DeployToken') }, page);
  };
  return forPermittedParents(
    sources,
    (source) => authorizeDeployTokens(actor, source),
    (permitted) => {
      const parents = permitted.map(({ record }) => ({ source: record.id }));
      return readPages<R>(context.db, page, perParent(parents, { source: 'int' }, pageOf));
    },
  );
}

/** A deploy token of a project or group, for those who administer it. Throws Forbidden, NotFound. */
export async function findDeployToken<R>(
  context: Context,
  source: Source,
  id: number,
  selection: Selection<'DeployToken', R>,
): Promise<R> {
  authorizeDeployTokens(requireActor(context), source);
  const own = source.kind === 'project' ? token.projectId : token.groupId;
  const where = sql`${token.id} = ${id} AND ${own} = ${source.record.id}`;
  const found = await readRow(context.db, selection, { rows: token, where });
  if (!found) throw new NotFound('Deploy Token');
  return found;
}

const OF_SOURCE = select('DeployToken', { id: true, projectId: true, groupId: true });

/**
 * The deploy tokens with these IDs that the actor administers, in one statement.
 *
 * @param sourceOf finds the project or group if the actor can see it, null for others
 */
export function findDeployTokensByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'DeployToken', R>,
  sourceOf: SourceOf,
): Promise<(R & { id: number })[]> {
  const actor = requireActor(context);
  return readPermitted(context.db, selection, { rows: token, ids, keys: OF_SOURCE }, async (place) => {
    if (actor.admin) return true;
    const source = await sourceOf(place);
    return source !== null && passes(authorizeDeployTokens, actor, source);
  });
}

/** Throws Forbidden unless the actor administers the deploy tokens. */
export function authorizeDeployTokens(actor: Actor | null, { kind, record }: Source): void {
  authorize(actor, kind === 'project' ? 'admin_deploy_token' : 'admin_group_deploy_token', record);
}

function matching({ active }: DeployTokenFilter): Prisma.Sql {
  return all([sql`TRUE`, ...(active ? [isActiveDeployToken(token)] : [])]);
}

import {
  currentToken,
  matchingTokens,
  type TokenFilter,
  type TokenOrder,
  tokenOrder,
} from '#src/access/credentials/tokens/list.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor, requireTokenHolder } from '#src/access/permissions/actor.ts';
import { listOfSources } from '#src/domain/members/below.ts';
import { type Source, sourceAt } from '#src/domain/members/source.ts';
import type { OwnerRef } from '#src/domain/projects/owner.ts';
import { all, Prisma } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { forPermittedParents } from '#src/platform/records/parents.ts';
import { readRow } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

const { sql } = Prisma;
const token = alias('PersonalAccessToken', 't');

/** The access tokens of projects, or of groups, for those who administer them, in one statement; Forbidden in place of others'. */
export async function listAccessTokens<R>(
  context: Context,
  sources: readonly Source[],
  { filter, order }: { filter: TokenFilter; order: TokenOrder },
  page: PageRequest,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const list = { rows: token, where: all([sql`TRUE`, ...matchingTokens(filter)]), order: tokenOrder(order) };
  return forPermittedParents(
    sources,
    (source) => authorizeAccessTokens(actor, source),
    (permitted) => listOfSources(context, permitted, list, page, selection),
  );
}

/** An access token of a project or group, for those who administer it. Throws Forbidden, NotFound. */
export async function findAccessToken<R>(
  context: Context,
  source: Source,
  id: number,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<R> {
  authorizeAccessTokens(requireActor(context), source);
  return accessTokenOf(context, source, id, selection);
}

/**
 * The personal access token that the request was made with; where a project or group is named, only if it is an access token of that.
 * Throws Unauthenticated, BadRequest for other credentials, NotFound.
 */
export async function currentTokenIn<R>(
  context: Context,
  place: OwnerRef,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<R> {
  if (place.project == null && place.group == null) return currentToken(context, selection);
  const source = await sourceAt(context, place);
  return accessTokenOf(context, source, requireTokenHolder(context).tokenId, selection);
}

/** An access token of a project or group. Throws NotFound. */
export async function accessTokenOf<R>(
  { db }: Pick<Context, 'db'>,
  { kind, record }: Source,
  id: number,
  selection: Selection<'PersonalAccessToken', R>,
): Promise<R> {
  const own = kind === 'project' ? token.projectId : token.namespaceId;
  const where = sql`${token.id} = ${id} AND ${own} = ${record.id}`;
  const found = await readRow(db, selection, { rows: token, where });
  if (!found) throw new NotFound('Access Token');
  return found;
}

/** Throws Forbidden unless the actor administers the access tokens. */
export function authorizeAccessTokens(actor: Actor, { kind, record }: Source): void {
  authorize(actor, kind === 'project' ? 'admin_access_token' : 'admin_group_access_token', record);
}

/** What commands read of a token that they change. */
export const CHANGEABLE = select('PersonalAccessToken', { id: true, userId: true, accessLevel: true });

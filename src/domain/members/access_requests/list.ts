import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { listOfSources } from '#src/domain/members/below.ts';
import { authorizeRequests, ofSource, passes, type Source, type SourceOf } from '#src/domain/members/source.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { alias } from '#src/platform/records/alias.ts';
import { order } from '#src/platform/records/order.ts';
import { forPermittedParents } from '#src/platform/records/parents.ts';
import { readPermitted, readRow } from '#src/platform/records/read.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';
import '#src/domain/users/computed_fields.ts';

const { sql } = Prisma;
const request = alias('AccessRequest', 'r');

/** Identifies a new request for access, for reading it back. */
export interface MadeRequest {
  source: Source;
  userId: number;
}

/**
 * The open access requests of projects, or of groups, oldest first, in one statement. For those who may decide on them: Forbidden
 * in place of the others.
 */
export async function listAccessRequests<R>(
  context: Context,
  sources: readonly Source[],
  page: PageRequest,
  selection: Selection<'AccessRequest', R>,
): Promise<(Page<R> | Error)[]> {
  const actor = requireActor(context);
  const list = { rows: request, where: sql`TRUE`, order: order('AccessRequest', ['id']) };
  return forPermittedParents(
    sources,
    (source) => authorizeRequests(actor, source),
    (permitted) => listOfSources(context, permitted, list, page, selection),
  );
}

/** The access request of a user, without permission checks. Throws NotFound. */
export async function readAccessRequest<R>(
  { db }: Pick<Context, 'db'>,
  { source, userId }: MadeRequest,
  selection: Selection<'AccessRequest', R>,
): Promise<R> {
  const where = sql`${ofSource(source, 'r')} AND ${request.userId} = ${userId}`;
  const found = await readRow(db, selection, { rows: request, where });
  if (!found) throw new NotFound('AccessRequest');
  return found;
}

/** What commands read of a request. */
export const REQUEST = select('AccessRequest', { id: true, userId: true });

const OF_SOURCE = select('AccessRequest', { id: true, projectId: true, namespaceId: true });

/**
 * The open access requests with these IDs, for those who may decide on them, in one statement.
 *
 * @param sourceOf finds the project or group if the actor can see it, null for others
 */
export function findAccessRequestsByIds<R>(
  context: Context,
  ids: readonly number[],
  selection: Selection<'AccessRequest', R>,
  sourceOf: SourceOf,
): Promise<(R & { id: number })[]> {
  const actor = requireActor(context);
  const list = { rows: request, ids, keys: OF_SOURCE };
  return readPermitted(context.db, selection, list, async ({ projectId, namespaceId }) => {
    const source = await sourceOf({ projectId, groupId: namespaceId });
    return source !== null && passes(authorizeRequests, actor, source);
  });
}

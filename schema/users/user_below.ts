import type { GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';
import { loaderAt } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findUsersByIds } from '#src/domain/users/find.ts';
import { select } from '#src/platform/records/selection.ts';

const ID = select('User', { id: true });

/** The user with that ID for a record, in one statement for all records of a list; null without one. */
export async function userBelow(context: GraphQLContext, info: GraphQLResolveInfo, id: number | null) {
  if (id === null) return null;
  const selection = selectionAt(info, 'User').with(ID);
  const load = async (ids: readonly number[]) => {
    const users = new Map((await findUsersByIds(context, ids, selection)).map((user) => [user.id, user]));
    return ids.map((one) => users.get(one) ?? null);
  };
  return loaderAt(context, info, selection, load).load(id);
}

import type { GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';
import { loaderAt } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { usersByAddresses } from '#src/domain/users/by_address.ts';

/** The user who has confirmed an e-mail address, batched for the records of a list; null if there is none. */
export function userByAddress(context: GraphQLContext, info: GraphQLResolveInfo, address: string) {
  const selection = selectionAt(info, 'User');
  const load = (addresses: readonly string[]) => usersByAddresses(context, addresses, selection);
  return loaderAt(context, info, selection, load).load(address);
}

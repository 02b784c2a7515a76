import type { GraphQLResolveInfo } from 'graphql';
import { loadPage, type PageArgs } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { loadBelow } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import type { Known } from '#schema/records/types.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { ModelName } from '#src/platform/records/model.ts';
import type { Selection } from '#src/platform/records/selection.ts';

/** The records of a model below each of the parents. */
type Lists<M extends ModelName, Parent> = (
  context: GraphQLContext,
  parents: readonly Parent[],
  page: PageRequest,
  selection: Selection<M, Known<M>>,
) => Promise<(Page<Known<M>> | Error)[]>;

/** The requested page of a list below a record, with the selection of the document (loadBelow). */
export function pageBelow<M extends ModelName, Parent>(
  model: M,
  parent: Parent,
  args: PageArgs,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
  lists: Lists<M, Parent>,
): Promise<Page<Known<M>>> {
  const selection = selectionAt(info, model);
  return loadPage(args, info, (page) =>
    loadBelow(context, info, { page, selection }, parent, (parents) => lists(context, parents, page, selection)),
  );
}

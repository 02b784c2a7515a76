import DataLoader from 'dataloader';
import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { ModelName } from '#src/platform/records/model.ts';
import { onlyOne } from '#src/platform/records/parents.ts';
import type { Selection } from '#src/platform/records/selection.ts';

/** What is read of the list of each parent. */
interface Below<T> {
  page: PageRequest;
  selection: Selection<ModelName, T>;
}

type Pages<Parent, T> = (parents: readonly Parent[]) => Promise<(Page<T> | Error)[]>;

/**
 * A page of a list below a record. Lists below the records of a list are read together, by one statement for a level, however
 * many records there are; what stands alone is read at once.
 *
 * @param pages reads them, and gives an error in the place of what is refused
 */
export async function loadBelow<Parent, T>(
  context: Pick<GraphQLContext, 'loaders'>,
  info: Pick<GraphQLResolveInfo, 'fieldNodes' | 'path'>,
  { page, selection }: Below<T>,
  parent: Parent,
  pages: Pages<Parent, T>,
): Promise<Page<T>> {
  if (isBelowList(info.path)) {
    const key = JSON.stringify(page);
    return loaderAt(context, info, selection, pages, { key, cache: false }).load(parent);
  }
  return onlyOne(await pages([parent]));
}

/**
 * The loader of a field of an operation, for what is read of it at one time. The same field has the same arguments wherever it
 * stands; what is selected differs where a fragment that holds the field is spread beside other fields.
 */
export function loaderAt<Key, T>(
  { loaders }: Pick<GraphQLContext, 'loaders'>,
  { fieldNodes }: Pick<GraphQLResolveInfo, 'fieldNodes'>,
  selection: Selection<ModelName>,
  load: (keys: readonly Key[]) => Promise<(T | Error)[]>,
  { key = '', cache = true }: { key?: string; cache?: boolean } = {},
): DataLoader<Key, T> {
  const [field] = fieldNodes as [FieldNode];
  const ofField = loaders.ofField(field);
  const name = `${key} ${selection.key}`;
  const made = () => new DataLoader(load, { cache, maxBatchSize: MOST }) as DataLoader<unknown, unknown>;
  const loader = ofField.get(name) ?? made();
  ofField.set(name, loader);
  return loader as DataLoader<Key, T>;
}

/** Parents of one statement. */
const MOST = 100;

function isBelowList(path: GraphQLResolveInfo['path']): boolean {
  for (let at: GraphQLResolveInfo['path'] | undefined = path; at; at = at.prev) {
    if (typeof at.key === 'number') return true;
  }
  return false;
}

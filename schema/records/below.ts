import DataLoader from 'dataloader';
import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type { GraphQLContext } from '#schema/context.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import type { ModelName } from '#src/platform/records/model.ts';
import { onlyOne } from '#src/platform/records/parents.ts';
import type { Selection } from '#src/platform/records/selection.ts';

/** What is read from the list of each parent. */
interface Below<T> {
  page: PageRequest;
  selection: Selection<ModelName, T>;
}

type Pages<Parent, T> = (parents: readonly Parent[]) => Promise<(Page<T> | Error)[]>;

/**
 * Loads a page of a list below a record. Lists below the records of a list are read together, with one statement per level
 * however many records there are; single ones are read immediately.
 *
 * @param pages reads them, and returns an error in place of a page that is refused
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
 * The loader for one use of a field in an operation. The same field node always has the same arguments; the selection differs if
 * its fragment is spread next to other fields.
 */
export function loaderAt<Key, T>(
  { loaders }: Pick<GraphQLContext, 'loaders'>,
  { fieldNodes }: Pick<GraphQLResolveInfo, 'fieldNodes'>,
  selection: Pick<Selection<ModelName>, 'key'>,
  load: (keys: readonly Key[]) => Promise<(T | Error)[]>,
  { key = '', cache = true }: { key?: string; cache?: boolean } = {},
): DataLoader<Key, T> {
  const [field] = fieldNodes as [FieldNode];
  const ofField = loaders.ofField(field);
  const name = `${key} ${selection.key}`;
  // Loaders do not pass on what is thrown before there is a promise, as to visitors that they have to sign in.
  const made = () =>
    new DataLoader(async (keys: readonly Key[]) => load(keys), { cache, maxBatchSize: BATCH_SIZE }) as DataLoader<
      unknown,
      unknown
    >;
  const loader = ofField.get(name) ?? made();
  ofField.set(name, loader);
  return loader as DataLoader<Key, T>;
}

/** Parents per statement. */
const BATCH_SIZE = 100;

function isBelowList(path: GraphQLResolveInfo['path']): boolean {
  for (let at: GraphQLResolveInfo['path'] | undefined = path; at; at = at.prev) {
    if (typeof at.key === 'number') return true;
  }
  return false;
}

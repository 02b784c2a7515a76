import type { GraphQLContext } from '#schema/context.ts';

/** A text of a record as HTML, rendered with those of the other records of a list; empty without a text. */
export function htmlOf(
  { loaders }: Pick<GraphQLContext, 'loaders'>,
  text: string | null,
  projectId: number | null,
  flavour: 'gfm' | 'line' = 'gfm',
): Promise<string> | string {
  return text === null || text.trim() === '' ? '' : loaders.html.load({ text, projectId, flavour });
}

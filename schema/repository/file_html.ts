import type { GraphQLContext } from '#schema/context.ts';
import type { FileRow } from '#src/domain/repository/file.ts';
import { flavourOf } from '#src/domain/repository/file_text.ts';
import { MAX_NOTEBOOK_LENGTH, MAX_RENDERED_LENGTH } from '#src/domain/tracking/markdown/render.ts';

/** What makes how a file is rendered, besides its text. */
export type RenderedPlace = Pick<FileRow, 'path' | 'ref' | 'projectId'>;

/** The flavour of a file that is shown as HTML, by its name, if so many bytes or characters are rendered; null for others. */
export function renderedFlavour(path: string, size: number): ReturnType<typeof flavourOf> {
  const flavour = flavourOf(path);
  const largest = flavour === 'notebook' ? MAX_NOTEBOOK_LENGTH : MAX_RENDERED_LENGTH;
  return size > largest ? null : flavour;
}

/** A text as HTML, as it is shown in a file at this path; null where the name of the file says that it is shown as lines, and for no notebook. */
export async function fileHtml(
  { loaders }: Pick<GraphQLContext, 'loaders'>,
  { path, ref, projectId }: RenderedPlace,
  text: string,
): Promise<string | null> {
  const flavour = renderedFlavour(path, text.length);
  if (flavour === null) return null;
  const at = { ref, directory: path.split('/').slice(0, -1).join('/') };
  const html = await loaders.html.load({ text, projectId, flavour, at });
  return flavour === 'notebook' && html === '' ? null : html;
}

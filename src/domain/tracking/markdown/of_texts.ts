import { callerOf } from '#src/access/permissions/caller.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { isProse, MAX_RENDERED_LENGTH, type Rendering, renderMarkdown } from '#src/domain/tracking/markdown/render.ts';
import { type Looking, resolveLinks } from '#src/domain/tracking/markdown/resolve.ts';

/** A text in Markdown. */
export interface TextToRender {
  text: string;
  /** The project that it is in, if any. */
  projectId: number | null;
  flavour: Rendering['flavour'];
  /** The ref and directory of the file that has the text, if it is in one. */
  at?: Rendering['at'];
  /** The page of a wiki that has the text, if one does: path of the wiki, from the root of the server, and directory of the page. */
  wiki?: { path: string; directory: string };
}

/**
 * The sanitised HTML of texts, with links to what the actor may read. However many there are, they take at most three statements
 * beside that for their projects, and none if they are plain words.
 *
 * @param findProject finds the projects that the actor can see, null for others
 * @param images whether images are shown, rather than their texts
 * @throws RateLimited, Unavailable if too many texts wait; ThreadLate if the machine is busy
 */
export async function htmlOfTexts(
  context: Looking,
  baseUrl: string,
  texts: readonly TextToRender[],
  findProject: (id: number) => Promise<ProjectRow | null>,
  { images = true }: { images?: boolean } = {},
): Promise<string[]> {
  const caller = callerOf(context.actor, context.clientAddress);
  const placed = await Promise.all(
    texts.map(async ({ text, projectId, flavour, at, wiki }) => {
      // Nothing in the others depends on where they are, or who reads them.
      const mayRefer =
        flavour !== 'commonmark' && flavour !== 'notebook' && text.length <= MAX_RENDERED_LENGTH && !isProse(text);
      const project = mayRefer && projectId !== null ? await findProject(projectId) : null;
      return { text, flavour, project, mayRefer, at, wiki };
    }),
  );
  const links = await resolveLinks(
    context,
    baseUrl,
    placed.map(({ text, project, mayRefer }) => ({ text: mayRefer ? text : '', project })),
  );
  const rendered: string[] = [];
  for (const [index, { text, flavour, project, at, wiki: page }] of placed.entries()) {
    const home = project && { url: `${baseUrl}/${project.fullPath}`, defaultBranch: project.defaultBranch };
    const wiki = page && { url: `${baseUrl}${page.path}`, directory: page.directory };
    const how = { text, flavour, links: links[index] ?? new Map(), baseUrl, project: home, at, wiki, images };
    rendered.push(await renderMarkdown(caller, how));
  }
  return rendered;
}

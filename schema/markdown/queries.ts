import { builder } from '#schema/builder.ts';
import { requireActor } from '#src/access/permissions/actor.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { findOwner } from '#src/domain/projects/owner.ts';
import { authorizeWiki, wikiPath } from '#src/domain/repository/wiki_place.ts';

const RenderedMarkdown = builder.objectRef<{ html: string }>('RenderedMarkdown').implement({
  description: 'A text in Markdown, rendered.',
  fields: (t) => ({
    html: t.exposeString('html', { description: 'The text as sanitised HTML; empty for a blank text.' }),
  }),
});

builder.queryFields((t) => ({
  markdown: t.field({
    type: RenderedMarkdown,
    description:
      'Renders a text in Markdown. Text that is too long, or takes too long to render, is shown as it is written. For signed-in callers.',
    args: {
      text: t.arg.string({
        required: true,
        description: 'What is rendered; more than 131,072 characters are shown as they are written.',
      }),
      gfm: t.arg.boolean({
        required: true,
        defaultValue: false,
        description:
          'Whether the text is rendered as descriptions and comments are: with references such as `#1`, `!1`, `@user`, `~label` and `%milestone`, emoji, task lists, footnotes, highlighted code, and relative links. Otherwise it is CommonMark with tables.',
      }),
      project: t.arg({
        type: 'ProjectRef',
        description:
          'The project that references and relative links in the text are about: full path, global ID or numeric ID.',
      }),
      group: t.arg({
        type: 'GroupRef',
        description: 'The group whose wiki has the text, with `wikiPage`: full path, global ID or numeric ID.',
      }),
      wikiPage: t.arg.string({
        description:
          'Slug of the page of the wiki of the project or group that the text is of: relative links lead to its pages and files.',
      }),
    },
    resolve: async (_root, { text, gfm, project, group, wikiPage }, context) => {
      requireActor(context);
      const found = project == null ? null : await findProject(context, project);
      if (found) context.loaders.noteProject(found);
      const owner = wikiPage == null ? null : await findOwner(context, { project: found?.id, group });
      if (owner) authorizeWiki(context.actor, 'read', owner);
      const wiki = owner && { path: wikiPath(owner), directory: (wikiPage ?? '').split('/').slice(0, -1).join('/') };
      const flavour = gfm ? 'gfm' : 'commonmark';
      const placed = { text, projectId: found?.id ?? null, flavour, ...(wiki && { wiki }) } as const;
      return { html: await context.loaders.html.load(placed) };
    },
  }),
}));

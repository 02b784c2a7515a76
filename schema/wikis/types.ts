import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { pagePath } from '#src/domain/namespaces/address.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import {
  contentOf,
  findWikiPage,
  listWikiPages,
  titleOf,
  type WikiPageRow,
} from '#src/domain/repository/wikis/pages.ts';
import { sshUrl } from '#src/platform/config/ssh_address.ts';

export const WikiFormat = builder.enumType('WikiFormat', {
  description: 'The markup that a page of a wiki is written in.',
  values: {
    MARKDOWN: { value: 'markdown', description: 'The page is written in Markdown.' },
    RDOC: { value: 'rdoc', description: 'The page is written in RDoc.' },
    ASCIIDOC: { value: 'asciidoc', description: 'The page is written in AsciiDoc.' },
    ORG: { value: 'org', description: 'The page is written in Org mode.' },
  } as const,
});

export const WikiPage = builder.objectRef<WikiPageRow>('WikiPage').implement({
  description: 'A page of the wiki of a project: a file in the repository of the wiki.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the page, which its slug makes.',
      resolve: ({ project, name }) => toGlobalId('WikiPage', [project.id, name]),
    }),
    slug: t.string({
      description: 'The name of the page in addresses: its path without the ending.',
      resolve: ({ name }) => name.toWellFormed(),
    }),
    title: t.string({ description: 'The title of the page, which its slug is made of.', resolve: titleOf }),
    format: t.expose('format', { type: WikiFormat, description: 'The markup that the page is written in.' }),
    version: t.exposeString('commit', {
      description: 'Full hash of the commit of the wiki that the page was read at.',
    }),
    path: t.string({
      description: 'Path of the file in the repository of the wiki.',
      resolve: ({ path }) => path.toWellFormed(),
    }),
    content: t.string({
      description: 'The text of the page. Fails with CONTENT_TOO_LARGE above 5 MB.',
      resolve: (page, _args, context) => contentOf(context, page),
    }),
    body: t.string({
      nullable: true,
      description: 'The text of the page, or what it looks like.',
      args: {
        rendered: t.arg.boolean({
          required: true,
          defaultValue: false,
          description: 'Whether a page in Markdown is sanitised HTML; other pages are their text.',
        }),
      },
      resolve: async (page, { rendered }, context) => {
        const text = await contentOf(context, page);
        if (!rendered || page.format !== 'markdown') return text;
        return context.loaders.html.load({ text, projectId: page.project.id, flavour: 'gfm' });
      },
    }),
    encoding: t.string({ description: 'Encoding of the text: always `UTF-8`.', resolve: () => 'UTF-8' }),
    webUrl: t.string({
      description: 'URL of the page for people.',
      resolve: ({ project, name }, _args, { baseUrl }) =>
        baseUrl + pagePath(project.fullPath, 'wikis', name.split('/').map(encodeURIComponent).join('/')),
    }),
    project: t.field({
      type: Project,
      description: 'The project whose wiki has the page.',
      resolve: ({ project }, _args, context, info) => requireProject(context, info, project.id),
    }),
  }),
});

const WikiPageConnection = connectionOf('WikiPage', WikiPage);

const Wiki = builder.objectRef<ProjectRow>('Wiki').implement({
  description: 'The wiki of a project: pages in a git repository of its own.',
  fields: (t) => ({
    pages: t.field({
      type: WikiPageConnection,
      description: 'The pages of the wiki, by slug.',
      args: pageArgs,
      resolve: (project, args, context, info) => loadPage(args, info, (page) => listWikiPages(context, project, page)),
    }),
    page: t.field({
      type: WikiPage,
      nullable: true,
      description: 'A page of the wiki by its slug.',
      args: {
        slug: t.arg.string({ required: true, description: 'The slug of the page, such as `home`.' }),
        version: t.arg.string({ description: 'Full hash of a commit of the wiki; the latest when left out.' }),
      },
      resolve: (project, { slug, version }, context) => findWikiPage(context, project, slug, version),
    }),
    httpUrlToRepo: t.string({
      description: 'URL from which git clones the wiki over HTTP.',
      resolve: ({ fullPath }, _args, { baseUrl }) => `${baseUrl}/${fullPath}.wiki.git`,
    }),
    sshUrlToRepo: t.string({
      description:
        'Address from which git clones the wiki over SSH; empty where the server has not got its port for SSH.',
      resolve: ({ fullPath }, _args, { baseUrl, ssh }) => sshUrl(`${fullPath}.wiki`, baseUrl, ssh),
    }),
  }),
});

builder.objectFields(Project, (t) => ({
  wiki: t.field({
    type: Wiki,
    nullable: true,
    description: 'The wiki of the project; FORBIDDEN where it is switched off or the caller may not read it.',
    resolve: (project, _args, { actor }) => {
      authorize(actor, 'read_wiki', project);
      return project;
    },
  }),
}));

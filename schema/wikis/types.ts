import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { FeatureAccess } from '#schema/enums.ts';
import { Group } from '#schema/groups/types.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { requireProject } from '#schema/projects/project_of.ts';
import { Project } from '#schema/projects/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findGroup } from '#src/domain/groups/find.ts';
import type { Owner } from '#src/domain/projects/owner.ts';
import { authorizeWiki, canWiki, ownerPath, wikiPath } from '#src/domain/repository/wiki_place.ts';
import { findWikiFile, type WikiFileRow } from '#src/domain/repository/wikis/attachments.ts';
import { followWikiPage } from '#src/domain/repository/wikis/history.ts';
import {
  contentOf,
  findSidebar,
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

/** A page of the wiki of one kind of owner, whose field `ownerField` makes. */
function wikiPage(name: 'WikiPage' | 'GroupWikiPage', owner: 'project' | 'group') {
  return builder.objectRef<WikiPageRow>(name).implement({
    description: `A page of the wiki of a ${owner}: a file in the repository of the wiki.`,
    interfaces: [Node],
    fields: (t) => ({
      id: t.id({
        description: 'Global ID of the page, which its slug makes.',
        resolve: (page) => toGlobalId(name, [idOf(page), page.name]),
      }),
      slug: t.string({
        description: 'The name of the page in addresses: its path without the ending.',
        resolve: ({ name: slug }) => slug.toWellFormed(),
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
          return context.loaders.html.load({ text, projectId: page.owner.project?.id ?? null, flavour: 'gfm' });
        },
      }),
      encoding: t.string({ description: 'Encoding of the text: always `UTF-8`.', resolve: () => 'UTF-8' }),
      webUrl: t.string({
        description: 'URL of the page for people.',
        resolve: ({ owner, name: slug }, _args, { baseUrl }) =>
          `${baseUrl}${wikiPath(owner)}/${slug.toWellFormed().split('/').map(encodeURIComponent).join('/')}`,
      }),
    }),
  });
}

function idOf({ owner: { project, group } }: WikiPageRow): number {
  return (project ?? group).id;
}

export const WikiPage = wikiPage('WikiPage', 'project');
export const GroupWikiPage = wikiPage('GroupWikiPage', 'group');

builder.objectField(WikiPage, 'project', (t) =>
  t.field({
    type: Project,
    description: 'The project whose wiki has the page.',
    resolve: (page, _args, context, info) => requireProject(context, info, idOf(page)),
  }),
);

builder.objectField(GroupWikiPage, 'group', (t) =>
  t.field({
    type: Group,
    description: 'The group whose wiki has the page.',
    resolve: (page, _args, context, info) => findGroup(context, idOf(page), selectionAt(info, 'Namespace')),
  }),
);

const WikiFile = builder.objectRef<WikiFileRow>('WikiFile').implement({
  description: 'A file in the repository of a wiki, such as one that is attached to its pages.',
  fields: (t) => ({
    path: t.string({
      description: 'Path of the file in the repository of the wiki.',
      resolve: ({ path }) => path.toWellFormed(),
    }),
    sha: t.expose('oid', { type: 'Sha', description: 'Hash of the content.' }),
    size: t.expose('size', { type: 'Long', description: 'Size of the content, in bytes.' }),
  }),
});

/** The wiki of one kind of owner, with its pages. */
function wiki(name: 'Wiki' | 'GroupWiki', owner: 'project' | 'group', Page: typeof WikiPage) {
  const Pages = connectionOf(owner === 'project' ? 'WikiPage' : 'GroupWikiPage', Page);
  return builder.objectRef<Owner>(name).implement({
    description: `The wiki of a ${owner}: pages in a git repository of its own.`,
    fields: (t) => ({
      pages: t.field({
        type: Pages,
        description: 'The pages of the wiki, by slug.',
        args: pageArgs,
        resolve: (place, args, context, info) => loadPage(args, info, (page) => listWikiPages(context, place, page)),
      }),
      page: t.field({
        type: Page,
        nullable: true,
        description: 'A page of the wiki by its slug.',
        args: {
          slug: t.arg.string({ required: true, description: 'The slug of the page, such as `home`.' }),
          version: t.arg.string({ description: 'Full hash of a commit of the wiki; the latest when left out.' }),
          followRenames: t.arg.boolean({
            required: true,
            defaultValue: false,
            description: 'Whether a slug that a page had before it was renamed finds the page, too.',
          }),
        },
        resolve: (place, { slug, version, followRenames }, context) =>
          (followRenames ? followWikiPage : findWikiPage)(context, place, slug, version),
      }),
      sidebar: t.field({
        type: Page,
        nullable: true,
        description: 'The page that stands beside all others, whose slug is `_sidebar`; null where there is none.',
        resolve: (place, _args, context) => findSidebar(context, place),
      }),
      file: t.field({
        type: WikiFile,
        nullable: true,
        description: 'A file in the repository of the wiki, as it is now.',
        args: {
          path: t.arg.string({ required: true, description: 'Path of the file, such as `uploads/0a1b…/picture.png`.' }),
        },
        resolve: (place, { path }, context) => findWikiFile(context, place, path),
      }),
      viewerCanUpdate: t.boolean({
        description: 'Whether the caller can write, rename and delete pages of the wiki.',
        resolve: (place, _args, { actor }) => actor !== null && canWiki(actor, 'write', place),
      }),
      httpUrlToRepo: t.string({
        description: 'URL from which git clones the wiki over HTTP.',
        resolve: (place, _args, { baseUrl }) => `${baseUrl}/${ownerPath(place)}.wiki.git`,
      }),
      sshUrlToRepo: t.string({
        description:
          'Address from which git clones the wiki over SSH; empty where the server has not got its port for SSH.',
        resolve: (place, _args, { baseUrl, ssh }) => sshUrl(`${ownerPath(place)}.wiki`, baseUrl, ssh),
      }),
    }),
  });
}

export const Wiki = wiki('Wiki', 'project', WikiPage);
export const GroupWiki = wiki('GroupWiki', 'group', GroupWikiPage);

builder.objectFields(Project, (t) => ({
  wiki: t.field({
    type: Wiki,
    nullable: true,
    description: 'The wiki of the project; FORBIDDEN where it is switched off or the caller may not read it.',
    resolve: (project, _args, { actor }) => {
      const owner = { project, group: null };
      authorizeWiki(actor, 'read', owner);
      return owner;
    },
  }),
}));

builder.objectFields(Group, (t) => ({
  wiki: t.field({
    type: GroupWiki,
    nullable: true,
    description: 'The wiki of the group; FORBIDDEN where it is switched off or the caller may not read it.',
    resolve: (group, _args, { actor }) => {
      const owner = { project: null, group };
      authorizeWiki(actor, 'read', owner);
      return owner;
    },
  }),
  wikiAccessLevel: t.field({
    type: FeatureAccess,
    description: 'Who can use the wiki of the group.',
    resolve: ({ wikiAccessLevel }) => wikiAccessLevel,
  }),
}));

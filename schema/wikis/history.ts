import { builder } from '#schema/builder.ts';
import { FileDiffConnection } from '#schema/commits/diff.ts';
import { connectionOf, loadCountedPage, pageArgs } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { User } from '#schema/users/types.ts';
import { userByAddress } from '#schema/users/user_by_address.ts';
import { GroupWikiPage, WikiPage } from '#schema/wikis/types.ts';
import { diffPage } from '#src/domain/repository/commits/diff.ts';
import { titleOf } from '#src/domain/repository/find_commit.ts';
import { wikiPath } from '#src/domain/repository/wiki_place.ts';
import { diffWikiPage, listWikiPageCommits, type WikiCommitRow } from '#src/domain/repository/wikis/history.ts';
import { contentOf, SIDEBAR, type WikiPageRow } from '#src/domain/repository/wikis/pages.ts';
import { type Heading, headingsOf } from '#src/domain/tracking/markdown/headings.ts';
import { MAX_RENDERED_LENGTH } from '#src/domain/tracking/markdown/render.ts';

const WikiCommit = builder.objectRef<WikiCommitRow>('WikiCommit').implement({
  description: 'A commit that changed a page of a wiki.',
  fields: (t) => ({
    sha: t.expose('oid', { type: 'Sha', description: 'Hash of the commit, in full: 40 hexadecimal digits.' }),
    slug: t.string({
      description: 'The slug that the page had after the commit.',
      resolve: ({ slug }) => slug.toWellFormed(),
    }),
    title: t.string({ description: 'The first line of its message.', resolve: titleOf }),
    message: t.string({
      description: 'The whole message of the commit.',
      resolve: ({ message }) => message.toWellFormed(),
    }),
    authorName: t.string({
      description: 'Name of the author, as recorded in the commit.',
      resolve: ({ author }) => author.name.toWellFormed(),
    }),
    authorUser: t.field({
      type: User,
      nullable: true,
      description:
        'The user with the author’s confirmed e-mail address; null if there is none, and for anonymous callers.',
      resolve: ({ author }, _args, context, info) => userByAddress(context, info, author.email.toWellFormed()),
    }),
    authoredDate: t.field({
      type: 'CommitDateTime',
      description: 'When the change was authored, as recorded in the commit.',
      resolve: ({ author }) => author,
    }),
    committedDate: t.field({
      type: 'CommitDateTime',
      description: 'When the change was committed, as recorded in the commit.',
      resolve: ({ committer }) => committer,
    }),
  }),
});

const WikiCommitConnection = connectionOf('WikiCommit', WikiCommit);

const WikiHeading = builder.objectRef<Heading>('WikiHeading').implement({
  description: 'A heading of a page of a wiki.',
  fields: (t) => ({
    level: t.exposeInt('level', { description: 'From 1 for the largest to 6.' }),
    text: t.exposeString('text', { description: 'What the heading says, without markup.' }),
    anchor: t.exposeString('anchor', { description: 'The ID of the heading in `html`.' }),
  }),
});

/** A page in Markdown as HTML; null for others, and those that are too long. */
async function htmlOf(page: WikiPageRow, context: GraphQLContext): Promise<string | null> {
  if (page.format !== 'markdown') return null;
  const text = await contentOf(context, page);
  if (text.length > MAX_RENDERED_LENGTH) return null;
  const wiki = { path: wikiPath(page.owner), directory: page.name.split('/').slice(0, -1).join('/') };
  return context.loaders.html.load({ text, projectId: page.owner.project?.id ?? null, flavour: 'gfm', wiki });
}

for (const Page of [WikiPage, GroupWikiPage]) {
  builder.objectFields(Page, (t) => ({
    html: t.field({
      type: 'HTML',
      nullable: true,
      description:
        'A page in Markdown as sanitised HTML, with links to what the caller can see; relative links, and those such as `[[Title]]`, lead to pages and files of the wiki. Null for other pages, and those of more than 131,072 characters.',
      resolve: (page, _args, context) => htmlOf(page, context),
    }),
    headings: t.field({
      type: [WikiHeading],
      description: 'The headings of `html` in their order, for a table of contents: at most 200.',
      resolve: async (page, _args, context) => headingsOf((await htmlOf(page, context)) ?? ''),
    }),
    isSidebar: t.boolean({
      description: 'Whether the page is the one that stands beside all others.',
      resolve: ({ name }) => name === SIDEBAR,
    }),
    commits: t.field({
      type: WikiCommitConnection,
      description: 'The commits that changed the page, newest first, through its renames.',
      args: pageArgs,
      resolve: (page, args, context, info) =>
        loadCountedPage(args, info, (wanted) => listWikiPageCommits(context, page, wanted)),
    }),
    fileDiffs: t.field({
      type: FileDiffConnection,
      description: 'What changed in the page from one commit of the wiki to another, whatever its name was.',
      args: {
        ...pageArgs,
        fromVersion: t.arg.string({
          description: 'Full hash of a commit; what is before `toVersion` when left out.',
        }),
        toVersion: t.arg.string({ description: 'Full hash of a commit; the `version` of the page when left out.' }),
      },
      resolve: (page, { fromVersion: from, toVersion: to, ...args }, context, info) =>
        loadCountedPage(args, info, async (wanted) =>
          diffPage(await diffWikiPage(context, page, { from, to }), wanted),
        ),
    }),
  }));
}

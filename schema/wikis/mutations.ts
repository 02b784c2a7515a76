import { builder } from '#schema/builder.ts';
import { projectField } from '#schema/inputs.ts';
import { mutation, type Payload } from '#schema/mutation.ts';
import { fromProject } from '#schema/places/parents.ts';
import { WikiFormat, WikiPage } from '#schema/wikis/types.ts';
import type { WikiPageRow } from '#src/domain/repository/wikis/pages.ts';
import {
  createWikiPage,
  deleteWikiPage,
  updateWikiPage,
  uploadWikiAttachment,
  type WikiAttachment,
} from '#src/domain/repository/wikis/write.ts';

const MESSAGE = 'Message of the commit; it names the page when left out.';

const pagePayload: Payload<{ wikiPage: WikiPageRow }> = {
  description: 'The page as it is after the change.',
  fields: (t) => ({ wikiPage: t.expose('wikiPage', { type: WikiPage, description: 'The page that was written.' }) }),
};

const AttachmentLink = builder.objectRef<WikiAttachment>('WikiAttachmentLink').implement({
  description: 'How pages of a wiki refer to a file in it.',
  fields: (t) => ({
    url: t.exposeString('filePath', { description: 'Path of the file in the repository of the wiki.' }),
    markdown: t.exposeString('markdown', { description: 'Markdown that shows the file, or links to it.' }),
  }),
});

const Attachment = builder.objectRef<WikiAttachment>('WikiAttachment').implement({
  description: 'A file that was committed to a wiki for its pages.',
  fields: (t) => ({
    fileName: t.exposeString('fileName', { description: 'Name of the file as it was stored.' }),
    filePath: t.exposeString('filePath', { description: 'Path of the file in the repository of the wiki.' }),
    branch: t.exposeString('branch', { description: 'The branch that the file was committed to.' }),
    link: t.field({
      type: AttachmentLink,
      description: 'How to refer to the file in pages.',
      resolve: (attachment) => attachment,
    }),
  }),
});

mutation('createWikiPage', {
  description: 'Commits a new page to the wiki of a project. For developers.',
  input: {
    description: 'A new page of a wiki.',
    argument: 'Says what the page is.',
    fields: (t) => ({
      project: projectField(t, 'of the wiki'),
      title: t.string({
        required: true,
        description: 'Title of the page; slashes in it are directories. The slug has dashes for blanks.',
      }),
      content: t.string({ required: true, description: 'The text of the page: at most 5 MB.' }),
      format: t.field({ type: WikiFormat, description: 'The markup of the page; Markdown when left out.' }),
      message: t.string({ description: MESSAGE }),
    }),
  },
  resolve: async ({ project, ...page }, context) => ({ wikiPage: await createWikiPage(context, project, page) }),
  payload: pagePayload,
});

mutation('updateWikiPage', {
  description: 'Commits changes of a page of a wiki. For developers.',
  input: {
    description: 'Changes of a page of a wiki.',
    argument: 'Names the page and its changes.',
    fields: (t) => ({
      project: projectField(t, 'of the wiki'),
      slug: t.string({ required: true, description: 'Slug of the page as it is.' }),
      title: t.string({ description: 'The new title, by which the page moves.' }),
      content: t.string({ description: 'The new text of the page.' }),
      format: t.field({ type: WikiFormat, description: 'The new markup of the page.' }),
      message: t.string({ description: MESSAGE }),
    }),
  },
  resolve: async ({ project, slug, ...changes }, context) => ({
    wikiPage: await updateWikiPage(context, project, slug, changes),
  }),
  payload: pagePayload,
});

mutation('deleteWikiPage', {
  description: 'Commits the removal of a page of a wiki. For developers.',
  input: {
    description: 'Which page of a wiki to delete.',
    argument: 'Names the page to delete.',
    fields: (t) => ({
      project: projectField(t, 'of the wiki'),
      slug: t.string({ required: true, description: 'Slug of the page to delete.' }),
    }),
  },
  resolve: async ({ project, slug }, context) => {
    await deleteWikiPage(context, project, slug);
    return { slug };
  },
  payload: {
    from: fromProject,
    description: 'The page that was deleted.',
    fields: (t) => ({ deletedWikiPageSlug: t.exposeString('slug', { description: 'The slug that the page had.' }) }),
  },
});

mutation('uploadWikiAttachment', {
  description: 'Commits a file to a wiki, for its pages to show. For developers.',
  input: {
    description: 'A file to attach to a wiki.',
    argument: 'Names the wiki, and the file.',
    fields: (t) => ({
      project: projectField(t, 'of the wiki'),
      file: t.field({
        type: 'Upload',
        required: true,
        description: 'The file itself, sent as described in the GraphQL multipart request specification.',
      }),
    }),
  },
  resolve: async ({ project, file }, context) => ({ attachment: await uploadWikiAttachment(context, project, file) }),
  payload: {
    description: 'The file that was attached.',
    fields: (t) => ({
      attachment: t.expose('attachment', { type: Attachment, description: 'Where the file is, and how to show it.' }),
    }),
  },
});

import { builder } from '#schema/builder.ts';
import { groupField, type InputFields, projectField } from '#schema/inputs.ts';
import { mutation, type Payload } from '#schema/mutation.ts';
import { fromGroup, fromProject } from '#schema/places/parents.ts';
import { GroupWikiPage, WikiFormat, WikiPage } from '#schema/wikis/types.ts';
import type { WikiPageRow } from '#src/domain/repository/wikis/pages.ts';
import {
  createWikiPage,
  deleteWikiPage,
  updateWikiPage,
  uploadWikiAttachment,
  type WikiAttachment,
} from '#src/domain/repository/wikis/write.ts';

const MESSAGE = 'Message of the commit; it names the page when left out.';

const payloadOf = (type: typeof WikiPage): Payload<{ wikiPage: WikiPageRow }> => ({
  description: 'The page as it is after the change.',
  fields: (t) => ({ wikiPage: t.expose('wikiPage', { type, description: 'The page that was written.' }) }),
});

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

const attachmentPayload: Payload<{ attachment: WikiAttachment }> = {
  description: 'The file that was attached.',
  fields: (t) => ({
    attachment: t.expose('attachment', { type: Attachment, description: 'Where the file is, and how to show it.' }),
  }),
};

/** The fields of inputs beside the project or group, which both kinds have. */
const newPage = (t: InputFields) => ({
  title: t.string({
    required: true,
    description: 'Title of the page; slashes in it are directories. The slug has dashes for blanks.',
  }),
  content: t.string({ required: true, description: 'The text of the page: at most 5 MB.' }),
  format: t.field({ type: WikiFormat, description: 'The markup of the page; Markdown when left out.' }),
  message: t.string({ description: MESSAGE }),
});

const changesOfPage = (t: InputFields) => ({
  slug: t.string({ required: true, description: 'Slug of the page as it is.' }),
  title: t.string({ description: 'The new title, by which the page moves.' }),
  content: t.string({ description: 'The new text of the page.' }),
  format: t.field({ type: WikiFormat, description: 'The new markup of the page.' }),
  message: t.string({ description: MESSAGE }),
  version: t.string({
    description:
      'Full hash of the commit of the wiki at which the page was read: fails with VALIDATION_FAILED if the page has changed since.',
  }),
});

const doomedPage = (t: InputFields) => ({
  slug: t.string({ required: true, description: 'Slug of the page to delete.' }),
});

const attachedFile = (t: InputFields) => ({
  file: t.field({
    type: 'Upload',
    required: true,
    description: 'The file itself, sent as described in the GraphQL multipart request specification.',
  }),
});

const ofProject = (t: InputFields) => ({ project: projectField(t, 'of the wiki') });
const ofGroup = (t: InputFields) => ({ group: groupField(t, 'of the wiki') });

const created = { description: 'A new page of a wiki.', argument: 'Says what the page is.' };
const updated = { description: 'Changes of a page of a wiki.', argument: 'Names the page and its changes.' };
const deleted = { description: 'Which page of a wiki to delete.', argument: 'Names the page to delete.' };
const attached = { description: 'A file to attach to a wiki.', argument: 'Names the wiki, and the file.' };

mutation('createWikiPage', {
  description: 'Commits a new page to the wiki of a project. For developers.',
  input: { ...created, fields: (t) => ({ ...ofProject(t), ...newPage(t) }) },
  resolve: async ({ project, ...page }, context) => ({ wikiPage: await createWikiPage(context, { project }, page) }),
  payload: payloadOf(WikiPage),
});

mutation('updateWikiPage', {
  description: 'Commits changes of a page of the wiki of a project. For developers.',
  input: { ...updated, fields: (t) => ({ ...ofProject(t), ...changesOfPage(t) }) },
  resolve: async ({ project, slug, ...changes }, context) => ({
    wikiPage: await updateWikiPage(context, { project }, slug, changes),
  }),
  payload: payloadOf(WikiPage),
});

mutation('deleteWikiPage', {
  description: 'Commits the removal of a page of the wiki of a project. For developers.',
  input: { ...deleted, fields: (t) => ({ ...ofProject(t), ...doomedPage(t) }) },
  resolve: async ({ project, slug }, context) => {
    await deleteWikiPage(context, { project }, slug);
    return { slug };
  },
  payload: {
    from: fromProject,
    description: 'The page that was deleted.',
    fields: (t) => ({ deletedWikiPageSlug: t.exposeString('slug', { description: 'The slug that the page had.' }) }),
  },
});

mutation('uploadWikiAttachment', {
  description: 'Commits a file to the wiki of a project, for its pages to show. For developers.',
  input: { ...attached, fields: (t) => ({ ...ofProject(t), ...attachedFile(t) }) },
  resolve: async ({ project, file }, context) => ({
    attachment: await uploadWikiAttachment(context, { project }, file),
  }),
  payload: attachmentPayload,
});

mutation('createGroupWikiPage', {
  description: 'Commits a new page to the wiki of a group. For developers.',
  input: { ...created, fields: (t) => ({ ...ofGroup(t), ...newPage(t) }) },
  resolve: async ({ group, ...page }, context) => ({ wikiPage: await createWikiPage(context, { group }, page) }),
  payload: payloadOf(GroupWikiPage),
});

mutation('updateGroupWikiPage', {
  description: 'Commits changes of a page of the wiki of a group. For developers.',
  input: { ...updated, fields: (t) => ({ ...ofGroup(t), ...changesOfPage(t) }) },
  resolve: async ({ group, slug, ...changes }, context) => ({
    wikiPage: await updateWikiPage(context, { group }, slug, changes),
  }),
  payload: payloadOf(GroupWikiPage),
});

mutation('deleteGroupWikiPage', {
  description: 'Commits the removal of a page of the wiki of a group. For developers.',
  input: { ...deleted, fields: (t) => ({ ...ofGroup(t), ...doomedPage(t) }) },
  resolve: async ({ group, slug }, context) => {
    await deleteWikiPage(context, { group }, slug);
    return { slug };
  },
  payload: {
    from: fromGroup,
    description: 'The page that was deleted.',
    fields: (t) => ({
      deletedGroupWikiPageSlug: t.exposeString('slug', { description: 'The slug that the page had.' }),
    }),
  },
});

mutation('uploadGroupWikiAttachment', {
  description: 'Commits a file to the wiki of a group, for its pages to show. For developers.',
  input: { ...attached, fields: (t) => ({ ...ofGroup(t), ...attachedFile(t) }) },
  resolve: async ({ group, file }, context) => ({
    attachment: await uploadWikiAttachment(context, { group }, file),
  }),
  payload: attachmentPayload,
});

import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import { OF_WIKIS } from '#rest/v4/unsupported.ts';
import * as operations from '#src/generated/operations.ts';

const precheck = 'read_wiki';
const pages = '/projects/:id/wikis';
const page = `${pages}/:slug`;
const slashes = ['slug'];
const constants = { wiki_page_meta_id: null };

export const wikis: Route[] = [
  {
    method: 'GET',
    path: pages,
    operation: operations.ProjectWikiPagesDocument,
    result: 'project.wiki.pages',
    precheck,
    constants,
  },
  {
    method: 'POST',
    path: pages,
    unsupported: OF_WIKIS,
    ...mutation('CreateWikiPage', 'createWikiPage.wikiPage', '...WikiPageRecord'),
    required: ['title', 'content'],
    hidden: ['message'],
    precheck,
    contents: true,
    constants,
  },
  {
    method: 'POST',
    path: `${pages}/attachments`,
    operation: operations.UploadWikiAttachmentDocument,
    result: 'uploadWikiAttachment.attachment',
    precheck,
    file: 'file',
  },
  {
    method: 'GET',
    path: page,
    operation: operations.ProjectWikiPageDocument,
    result: 'project.wiki.page',
    precheck,
    slashes,
    constants,
  },
  {
    method: 'PUT',
    path: page,
    unsupported: OF_WIKIS,
    ...mutation('UpdateWikiPage', 'updateWikiPage.wikiPage', '...WikiPageRecord'),
    hidden: ['message'],
    precheck,
    slashes,
    contents: true,
    atLeastOne: ['content', 'title', 'format'],
    constants,
  },
  {
    method: 'DELETE',
    path: page,
    ...mutation('DeleteWikiPage', 'deleteWikiPage', 'deletedWikiPageSlug'),
    status: 204,
    precheck,
    slashes,
  },
];

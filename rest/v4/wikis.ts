import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import { OF_WIKIS } from '#rest/v4/unsupported.ts';
import * as operations from '#src/generated/operations.ts';

const slashes = ['slug'];
const constants = { wiki_page_meta_id: null };

/** What the routes of projects and groups differ by. */
interface Wikis {
  /** The field of the graph. */
  owner: 'project' | 'group';
  /** In the names of mutations and fragments. */
  infix: '' | 'Group';
  list: Route['operation'];
  one: Route['operation'];
  upload: Route['operation'];
  /** What is checked before anything is read of the request. */
  before: Pick<Route, 'precheck'>;
}

function routesOf({ owner, infix, list, one, upload, before }: Wikis): Route[] {
  const pages = `/${owner}s/:id/wikis`;
  const page = `${pages}/:slug`;
  const record = `...${infix}WikiPageRecord`;
  const change = (act: string) =>
    mutation(`${act}${infix}WikiPage`, `${act.toLowerCase()}${infix}WikiPage.wikiPage`, record);
  return [
    { method: 'GET', path: pages, operation: list, result: `${owner}.wiki.pages`, ...before, constants },
    {
      method: 'POST',
      path: pages,
      unsupported: OF_WIKIS,
      ...change('Create'),
      required: ['title', 'content'],
      hidden: ['message'],
      ...before,
      contents: true,
      constants,
    },
    {
      method: 'POST',
      path: `${pages}/attachments`,
      operation: upload,
      result: `upload${infix}WikiAttachment.attachment`,
      ...before,
      file: 'file',
    },
    { method: 'GET', path: page, operation: one, result: `${owner}.wiki.page`, ...before, slashes, constants },
    {
      method: 'PUT',
      path: page,
      unsupported: OF_WIKIS,
      ...change('Update'),
      hidden: ['message', 'version'],
      ...before,
      slashes,
      contents: true,
      atLeastOne: ['content', 'title', 'format'],
      constants,
    },
    {
      method: 'DELETE',
      path: page,
      ...mutation(`Delete${infix}WikiPage`, `delete${infix}WikiPage`, `deleted${infix}WikiPageSlug`),
      status: 204,
      ...before,
      slashes,
    },
  ];
}

export const wikis: Route[] = [
  ...routesOf({
    owner: 'project',
    infix: '',
    list: operations.ProjectWikiPagesDocument,
    one: operations.ProjectWikiPageDocument,
    upload: operations.UploadWikiAttachmentDocument,
    before: { precheck: 'read_wiki' },
  }),
  ...routesOf({
    owner: 'group',
    infix: 'Group',
    list: operations.GroupWikiPagesDocument,
    one: operations.GroupWikiPageDocument,
    upload: operations.UploadGroupWikiAttachmentDocument,
    before: { precheck: 'read_group_wiki' },
  }),
];

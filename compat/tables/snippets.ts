import { from, name, names, object, type } from '#compat/engine/entries.ts';
import { gidOf } from '#compat/engine/global_id.ts';
import { listed } from '#compat/engine/pages.ts';
import type { Row } from '#compat/engine/table.ts';
import { time } from '#compat/tables/values.ts';

type('Snippet', 'Snippet', {
  ...names('description', 'title', 'webUrl', 'httpUrlToRepo', 'sshUrlToRepo'),
  id: from<{ databaseId: number; project: Row | null }>(
    'databaseId project { databaseId }',
    ({ databaseId, project }) => gidOf(project ? 'ProjectSnippet' : 'PersonalSnippet', databaseId),
  ),
  createdAt: time('createdAt'),
  author: object('author', 'UserCore'),
  blobs: listed('files', 'SnippetBlob'),
});

type('SnippetBlob', 'SnippetFile', {
  name: from<{ name: string }>('name', ({ name: path }) => path.split('/').at(-1)),
  path: name('name'),
  rawPath: from<{ url: string }>('url', ({ url }) => pathOf(url)),
  rawPlainData: name('content'),
});

/** A URL of this server without its origin. */
export function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/]+/, '');
}

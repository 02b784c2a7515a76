import { mutation } from '#rest/engine/mutation.ts';
import type { Check, Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const auth = 'optional';
// For a single snippet, the message is that of a failed look-up (behaviour.md 1.3).
const notFound = { Snippet: '404 Not found' };

/** A new snippet has files, or a file name and a text; that of a project has a visibility. */
const needs =
  (...names: readonly string[]): Check =>
  (given) => {
    const needed = given.files == null ? names : names.filter((name) => name === 'visibility');
    return needed.filter((name) => given[name] == null).map((name) => `${name} is missing`);
  };

export const snippets: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/snippets',
    operation: operations.ProjectSnippetsDocument,
    result: 'project.snippets',
  },
  {
    method: 'GET',
    path: '/projects/:id/snippets/:snippet_id',
    operation: operations.ProjectSnippetDocument,
    result: 'project.snippet',
    auth,
    notFound,
  },
  {
    method: 'POST',
    path: '/projects/:id/snippets',
    ...mutation('CreateProjectSnippet', 'createSnippet.snippet', '...SnippetRecord'),
    names: { content: 'code' },
    required: ['title'],
    check: needs('file_name', 'code', 'visibility'),
    description: 'Creates a snippet in a project. For its reporters.',
    contents: true,
    aliases: { content: 'code' },
  },
  {
    method: 'PUT',
    path: '/projects/:id/snippets/:snippet_id',
    ...mutation('UpdateProjectSnippet', 'updateSnippet.snippet', '...SnippetRecord'),
    names: { content: 'code' },
    contents: true,
    atLeastOne: ['title', 'file_name', 'code', 'visibility', 'description', 'files'],
    aliases: { content: 'code' },
  },
  {
    method: 'DELETE',
    path: '/projects/:id/snippets/:snippet_id',
    ...mutation('DeleteProjectSnippet', 'deleteSnippet.snippet', '...SnippetRecord'),
  },
  {
    method: 'GET',
    path: '/projects/:id/snippets/:snippet_id/raw',
    operation: operations.RawProjectSnippetDocument,
    description: 'The text of a snippet of the project.',
    result: 'project.snippet',
    auth,
    raw: 'snippet',
  },
  {
    method: 'GET',
    path: '/projects/:id/snippets/:snippet_id/files/:ref/:file_path/raw',
    operation: operations.RawProjectSnippetFileDocument,
    description: 'The text of a file of a snippet of the project.',
    result: 'project.snippet',
    auth,
    raw: 'snippet',
  },
  {
    method: 'GET',
    path: '/snippets/:snippet_id/files/:ref/:file_path/raw',
    operation: operations.RawPersonalSnippetFileDocument,
    description: 'The text of a file of a personal snippet.',
    result: 'snippet',
    auth,
    raw: 'snippet',
  },
  { method: 'GET', path: '/snippets', operation: operations.OwnSnippetsDocument, result: 'ownSnippets' },
  { method: 'GET', path: '/snippets/public', operation: operations.PublicSnippetsDocument, result: 'publicSnippets' },
  {
    method: 'GET',
    path: '/snippets/:snippet_id',
    operation: operations.PersonalSnippetDocument,
    result: 'snippet',
    auth,
    notFound,
  },
  {
    method: 'GET',
    path: '/snippets/:snippet_id/raw',
    operation: operations.RawPersonalSnippetDocument,
    description: 'The text of a personal snippet.',
    result: 'snippet',
    auth,
    raw: 'snippet',
  },
  {
    method: 'POST',
    path: '/snippets',
    operation: operations.CreatePersonalSnippetDocument,
    description: 'Creates a personal snippet.',
    check: needs('file_name', 'content'),
    result: 'createSnippet.snippet',
    contents: true,
    aliases: { code: 'content' },
  },
  {
    method: 'PUT',
    path: '/snippets/:snippet_id',
    ...mutation('UpdatePersonalSnippet', 'updateSnippet.snippet', '...PersonalSnippetRecord'),
    hidden: ['project'],
    contents: true,
    atLeastOne: ['title', 'file_name', 'content', 'visibility', 'description', 'files'],
    aliases: { code: 'content' },
  },
  {
    method: 'DELETE',
    path: '/snippets/:snippet_id',
    ...mutation('DeletePersonalSnippet', 'deleteSnippet.snippet', '...PersonalSnippetRecord'),
    hidden: ['project'],
    status: 204,
  },
];

import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';

const path = '/projects/:id/repository/files/:file_path';
const slashes = ['file_path'];
const content = { contents: 'files', verbatim: ['content'] } as const;

/** No ability is checked up front: validation comes first here (behaviour.md 3). */
export const filesWrite: Route[] = [
  {
    method: 'POST',
    path,
    ...mutation('CreateFile', 'createFile', '...FileResult'),
    names: { path: 'file_path', message: 'commit_message' },
    hidden: ['content_file'],
    required: ['branch', 'commit_message', 'content'],
    slashes,
    ...content,
  },
  {
    method: 'PUT',
    path,
    ...mutation('UpdateFile', 'updateFile', '...FileResult'),
    names: { path: 'file_path', message: 'commit_message' },
    hidden: ['content_file'],
    required: ['branch', 'commit_message', 'content'],
    slashes,
    ...content,
  },
  {
    method: 'DELETE',
    path,
    ...mutation('DeleteFile', 'deleteFile', '...FileResult'),
    names: { path: 'file_path', message: 'commit_message' },
    slashes,
  },
];

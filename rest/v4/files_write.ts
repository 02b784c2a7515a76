import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const path = '/projects/:id/repository/files/:file_path';
const slashes = ['file_path'];
const content = { contents: 'files', verbatim: ['content'] } as const;

/** No ability is checked up front: validation comes first here (behaviour.md 3). */
export const filesWrite: Route[] = [
  {
    method: 'POST',
    path,
    operation: operations.CreateFileDocument,
    names: { path: 'file_path', message: 'commit_message' },
    hidden: ['content_file'],
    required: ['branch', 'commit_message', 'content'],
    result: 'createFile',
    slashes,
    ...content,
  },
  {
    method: 'PUT',
    path,
    operation: operations.UpdateFileDocument,
    names: { path: 'file_path', message: 'commit_message' },
    hidden: ['content_file'],
    required: ['branch', 'commit_message', 'content'],
    result: 'updateFile',
    slashes,
    ...content,
  },
  {
    method: 'DELETE',
    path,
    operation: operations.DeleteFileDocument,
    names: { path: 'file_path', message: 'commit_message' },
    result: 'deleteFile',
    slashes,
  },
];

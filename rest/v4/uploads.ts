import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

export const uploads: Route[] = [
  {
    method: 'POST',
    path: '/projects/:id/uploads',
    operation: operations.UploadFileDocument,
    result: 'uploadFile.upload',
    file: 'file',
  },
  {
    method: 'GET',
    path: '/projects/:id/uploads',
    operation: operations.ProjectUploadsDocument,
    result: 'project.uploads',
  },
  {
    method: 'GET',
    path: '/projects/:id/uploads/:upload_id',
    operation: operations.ProjectUploadDocument,
    result: 'project.upload',
    numeric: ['upload_id'],
    raw: 'upload',
    description: 'Sends a file that was attached to a project. For masters of the project.',
  },
  {
    method: 'DELETE',
    path: '/projects/:id/uploads/:upload_id',
    ...mutation('DeleteUpload', 'deleteUpload', 'deletedUploadId'),
    hidden: ['file_name', 'secret'],
    numeric: ['upload_id'],
    status: 204,
  },
  {
    method: 'GET',
    path: '/projects/:id/uploads/:secret/:filename',
    operation: operations.ProjectUploadAtDocument,
    result: 'project.uploadAt',
    auth: 'optional',
    raw: 'upload',
    description: 'Sends a file that was attached to a project, for whoever sees the project.',
  },
  {
    method: 'DELETE',
    path: '/projects/:id/uploads/:secret/:filename',
    ...mutation('DeleteUploadAt', 'deleteUpload', 'deletedUploadId'),
    names: { file_name: 'filename' },
    hidden: ['id'],
    status: 204,
  },
];

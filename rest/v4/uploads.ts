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
];

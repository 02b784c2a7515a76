import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const passUnknownEnum = ['access_level'];

export const accessRequests: Route[] = [
  {
    method: 'GET',
    path: '/groups/:id/access_requests',
    operation: operations.GroupAccessRequestsDocument,
    result: 'group.accessRequests',
  },
  {
    method: 'POST',
    path: '/groups/:id/access_requests',
    operation: operations.RequestGroupAccessDocument,
    result: 'requestGroupAccess.accessRequest',
  },
  {
    method: 'PUT',
    path: '/groups/:id/access_requests/:user_id/approve',
    operation: operations.ApproveGroupAccessRequestDocument,
    result: 'approveGroupAccessRequest.member',
    passUnknownEnum,
    status: 201,
  },
  {
    method: 'DELETE',
    path: '/groups/:id/access_requests/:user_id',
    operation: operations.DenyGroupAccessRequestDocument,
    result: 'denyGroupAccessRequest',
    status: 204,
  },
  {
    method: 'GET',
    path: '/projects/:id/access_requests',
    operation: operations.ProjectAccessRequestsDocument,
    result: 'project.accessRequests',
  },
  {
    method: 'POST',
    path: '/projects/:id/access_requests',
    operation: operations.RequestProjectAccessDocument,
    result: 'requestProjectAccess.accessRequest',
  },
  {
    method: 'PUT',
    path: '/projects/:id/access_requests/:user_id/approve',
    operation: operations.ApproveProjectAccessRequestDocument,
    result: 'approveProjectAccessRequest.member',
    passUnknownEnum,
    status: 201,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/access_requests/:user_id',
    operation: operations.DenyProjectAccessRequestDocument,
    result: 'denyProjectAccessRequest',
    status: 204,
  },
];

import { mutation } from '#rest/engine/mutation.ts';
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
    ...mutation('RequestGroupAccess', 'requestGroupAccess.accessRequest', '...AccessRequestRecord'),
  },
  {
    method: 'PUT',
    path: '/groups/:id/access_requests/:user_id/approve',
    ...mutation('ApproveGroupAccessRequest', 'approveGroupAccessRequest.member', '...MemberRecord'),
    passUnknownEnum,
    status: 201,
  },
  {
    method: 'DELETE',
    path: '/groups/:id/access_requests/:user_id',
    ...mutation('DenyGroupAccessRequest', 'denyGroupAccessRequest', 'deniedUserId'),
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
    ...mutation('RequestProjectAccess', 'requestProjectAccess.accessRequest', '...AccessRequestRecord'),
  },
  {
    method: 'PUT',
    path: '/projects/:id/access_requests/:user_id/approve',
    ...mutation('ApproveProjectAccessRequest', 'approveProjectAccessRequest.member', '...MemberRecord'),
    passUnknownEnum,
    status: 201,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/access_requests/:user_id',
    ...mutation('DenyProjectAccessRequest', 'denyProjectAccessRequest', 'deniedUserId'),
    status: 204,
  },
];

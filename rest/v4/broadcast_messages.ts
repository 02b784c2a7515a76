import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const precheck = 'administrate';

/** Messages on pages (people-and-projects.md, Server): everyone reads them, as pages show them to everyone. */
export const broadcastMessages: Route[] = [
  {
    method: 'GET',
    path: '/broadcast_messages',
    operation: operations.BroadcastMessagesDocument,
    result: 'broadcastMessages',
    auth: 'optional',
  },
  {
    method: 'GET',
    path: '/broadcast_messages/:id',
    operation: operations.BroadcastMessageDocument,
    result: 'broadcastMessage',
    auth: 'optional',
  },
  {
    method: 'POST',
    path: '/broadcast_messages',
    ...mutation('CreateBroadcastMessage', 'createBroadcastMessage.broadcastMessage', '...BroadcastRecord'),
    precheck,
  },
  {
    method: 'PUT',
    path: '/broadcast_messages/:id',
    ...mutation('UpdateBroadcastMessage', 'updateBroadcastMessage.broadcastMessage', '...BroadcastRecord'),
    precheck,
  },
  {
    method: 'DELETE',
    path: '/broadcast_messages/:id',
    ...mutation('DeleteBroadcastMessage', 'deleteBroadcastMessage', 'deletedBroadcastMessageId'),
    status: 204,
    precheck,
  },
];

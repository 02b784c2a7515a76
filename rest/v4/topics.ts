import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

/** What every topic record has besides: there is one organization. */
const constants = { organization_id: 1 };

export const topics: Route[] = [
  {
    method: 'GET',
    path: '/topics',
    operation: operations.TopicsDocument,
    result: 'topics',
    auth: 'optional',
    constants,
  },
  {
    method: 'GET',
    path: '/topics/:id',
    operation: operations.TopicDocument,
    result: 'topic',
    auth: 'optional',
    constants,
  },
  {
    method: 'POST',
    path: '/topics',
    operation: operations.CreateTopicDocument,
    result: 'createTopic.topic',
    precheck: 'administrate',
    file: 'avatar',
    constants,
  },
  {
    method: 'PUT',
    path: '/topics/:id',
    operation: operations.UpdateTopicDocument,
    result: 'updateTopic.topic',
    precheck: 'administrate',
    file: 'avatar',
    constants,
  },
  {
    method: 'DELETE',
    path: '/topics/:id',
    operation: operations.DeleteTopicDocument,
    result: 'deleteTopic',
    precheck: 'administrate',
    status: 204,
  },
];

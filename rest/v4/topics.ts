import { mutation } from '#rest/engine/mutation.ts';
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
    ...mutation('CreateTopic', 'createTopic.topic', '...TopicRecord'),
    precheck: 'administrate',
    file: 'avatar',
    constants,
  },
  {
    method: 'POST',
    path: '/topics/merge',
    ...mutation('MergeTopics', 'mergeTopics.topic', '...TopicRecord'),
    precheck: 'administrate',
    constants,
  },
  {
    method: 'PUT',
    path: '/topics/:id',
    ...mutation('UpdateTopic', 'updateTopic.topic', '...TopicRecord'),
    precheck: 'administrate',
    file: 'avatar',
    constants,
  },
  {
    method: 'DELETE',
    path: '/topics/:id',
    ...mutation('DeleteTopic', 'deleteTopic', 'deletedTopicId'),
    precheck: 'administrate',
    status: 204,
  },
];

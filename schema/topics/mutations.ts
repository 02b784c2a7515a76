import type { InputFields } from '#schema/inputs.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Topic } from '#schema/topics/types.ts';
import { createTopic, deleteTopic, findTopic, mergeTopics, updateTopic } from '#src/domain/projects/topics.ts';

const NAME = 'Name of the topic in lists of projects, unique regardless of case; at most 255 characters.';
const TITLE = 'What the topic is called in full; at most 255 characters.';

const others = (t: InputFields) => ({
  description: t.string({ description: 'What the topic is about; at most 1024 characters.' }),
  avatar: t.field({
    type: 'Upload',
    description: 'A picture of the topic: PNG, JPEG, GIF or WebP, at most 200 KB. Null removes it.',
  }),
});

const which = (t: InputFields) =>
  t.field({ ...idOf('Topic'), required: true, description: 'Global or numeric ID of the topic.' });

const topicPayload: Payload<{ id: number }> = changed('topic', Topic, 'Topic', (context, { id }, selection) =>
  findTopic(context, id, selection),
);

mutation('createTopic', {
  description: 'Creates a topic that projects can have. For administrators.',
  input: {
    description: 'A new topic for projects.',
    argument: 'Name and title of the topic.',
    fields: (t) => ({
      name: t.string({ required: true, description: NAME }),
      title: t.string({ required: true, description: TITLE }),
      ...others(t),
    }),
  },
  resolve: (input, context) => createTopic(context, input),
  payload: topicPayload,
});

mutation('updateTopic', {
  description: 'Changes a topic; projects that have it get its new name. For administrators.',
  input: {
    description: 'Changes to a topic: what is left out stays as it is.',
    argument: 'The topic, and what to change.',
    fields: (t) => ({
      id: which(t),
      name: t.string({ description: NAME }),
      title: t.string({ description: TITLE }),
      ...others(t),
    }),
  },
  resolve: ({ id, ...values }, context) => updateTopic(context, id, values),
  payload: topicPayload,
});

mutation('mergeTopics', {
  description: 'Merges a topic into another one, which its projects have from then on. For administrators.',
  input: {
    description: 'Which topic becomes part of which.',
    argument: 'Names the two topics.',
    fields: (t) => ({
      sourceTopicId: t.field({
        ...idOf('Topic'),
        required: true,
        description: 'Global or numeric ID of the topic that is gone then.',
      }),
      targetTopicId: t.field({
        ...idOf('Topic'),
        required: true,
        description: 'Global or numeric ID of the topic that stays.',
      }),
    }),
  },
  resolve: ({ sourceTopicId, targetTopicId }, context) => mergeTopics(context, sourceTopicId, targetTopicId),
  payload: topicPayload,
});

mutation('deleteTopic', {
  description: 'Deletes a topic, and takes it off the projects that have it. For administrators.',
  input: {
    description: 'Which topic to delete.',
    argument: 'Names the topic to delete.',
    fields: (t) => ({ id: which(t) }),
  },
  resolve: ({ id }, context) => deleteTopic(context, id),
  payload: deleted('Topic', 'topic'),
});

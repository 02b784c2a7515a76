import { builder } from '#schema/builder.ts';
import { type InputFields, namesOf } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Topic } from '#schema/topics/types.ts';
import { createTopic, deleteTopic, findTopic, updateTopic } from '#src/domain/projects/topics.ts';

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

const CreateTopicInput = builder.inputType('CreateTopicInput', {
  description: 'A new topic for projects.',
  fields: (t) => ({
    name: t.string({ required: true, description: NAME }),
    title: t.string({ required: true, description: TITLE }),
    ...others(t),
  }),
});

const UpdateTopicInput = builder.inputType('UpdateTopicInput', {
  description: 'Changes to a topic: what is left out stays as it is.',
  fields: (t) => ({
    id: which(t),
    name: t.string({ description: NAME }),
    title: t.string({ description: TITLE }),
    ...others(t),
  }),
});

const DeleteTopicInput = builder.inputType('DeleteTopicInput', {
  description: 'Which topic to delete.',
  fields: (t) => ({ id: which(t) }),
});

function topicPayload(mutation: string) {
  return builder.objectRef<{ id: number }>(namesOf(mutation).payload).implement({
    description: 'The topic after the mutation.',
    fields: (t) => ({
      topic: t.field({
        type: Topic,
        description: 'The topic as it is now.',
        resolve: ({ id }, _args, context, info) => findTopic(context, id, selectionAt(info, 'Topic')),
      }),
    }),
  });
}

const DeleteTopicPayload = builder.objectRef<{ id: number }>('DeleteTopicPayload').implement({
  description: 'The topic that was deleted.',
  fields: (t) => ({
    deletedTopicId: t.id({
      description: 'Global ID of the topic that was deleted.',
      resolve: ({ id }) => toGlobalId('Topic', id),
    }),
  }),
});

builder.mutationFields((t) => ({
  createTopic: t.field({
    type: topicPayload('createTopic'),
    description: 'Creates a topic that projects can have. For administrators.',
    args: { input: t.arg({ type: CreateTopicInput, required: true, description: 'Name and title of the topic.' }) },
    resolve: (_root, { input }, context) => createTopic(context, input),
  }),
  updateTopic: t.field({
    type: topicPayload('updateTopic'),
    description: 'Changes a topic; projects that have it get its new name. For administrators.',
    args: { input: t.arg({ type: UpdateTopicInput, required: true, description: 'The topic, and what to change.' }) },
    resolve: (_root, { input: { id, ...values } }, context) => updateTopic(context, id, values),
  }),
  deleteTopic: t.field({
    type: DeleteTopicPayload,
    description: 'Deletes a topic, and takes it off the projects that have it. For administrators.',
    args: { input: t.arg({ type: DeleteTopicInput, required: true, description: 'Names the topic to delete.' }) },
    resolve: (_root, { input: { id } }, context) => deleteTopic(context, id),
  }),
}));

import { builder } from '#schema/builder.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { CommitStatus } from '#schema/statuses/types.ts';
import { postedStatus } from '#src/statuses/list.ts';
import { postStatus } from '#src/statuses/post.ts';

const PostedState = builder.enumType('PostedState', {
  description: 'What another system says of its work on a commit.',
  values: {
    PENDING: { value: 'pending', description: 'It waits.' },
    RUNNING: { value: 'running', description: 'It has begun.' },
    SUCCESS: { value: 'success', description: 'It has succeeded.' },
    FAILED: { value: 'failed', description: 'It has failed.' },
    CANCELED: { value: 'canceled', description: 'It was canceled.' },
  } as const,
});

const PostCommitStatusInput = builder.inputType('PostCommitStatusInput', {
  description: 'What another system says of a commit.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    sha: t.string({ required: true, description: 'The commit: a hash (4 to 40 digits), a branch or a tag.' }),
    state: t.field({ type: PostedState, required: true, description: 'How its work stands.' }),
    ref: t.string({ description: 'The branch or tag; the first branch with the commit when nothing is said.' }),
    name: t.string({ description: 'What tells it from others; `default` when nothing is said.' }),
    targetUrl: t.string({ description: 'Where to learn more: an http or https address.' }),
    description: t.string({ description: 'In a few words.' }),
    coverage: t.float({ description: 'In percent.' }),
  }),
});

const PostCommitStatusPayload = builder.objectRef<{ id: number }>('PostCommitStatusPayload').implement({
  description: 'The status as it is now.',
  fields: (t) => ({
    status: t.field({
      type: CommitStatus,
      description: 'The status.',
      resolve: ({ id }, _args, context, info) => postedStatus(context, id, selectionAt(info, 'Job')),
    }),
  }),
});

builder.mutationField('postCommitStatus', (t) =>
  t.field({
    type: PostCommitStatusPayload,
    description: 'Says how work on a commit stands: moves the status of that name, or adds one.',
    args: { input: t.arg({ type: PostCommitStatusInput, required: true, description: 'What is said.' }) },
    resolve: (_root, { input: { project, sha, ...values } }, context) => postStatus(context, project, sha, values),
  }),
);

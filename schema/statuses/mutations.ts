import { builder } from '#schema/builder.ts';
import { projectField } from '#schema/inputs.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { CommitStatus } from '#schema/statuses/types.ts';
import { postedStatus } from '#src/statuses/list.ts';
import { postStatus } from '#src/statuses/post.ts';

const PostedState = builder.enumType('PostedState', {
  description: 'What another system says of its work on a commit.',
  values: {
    PENDING: { value: 'pending', description: 'The work has not begun.' },
    RUNNING: { value: 'running', description: 'The work has begun.' },
    SUCCESS: { value: 'success', description: 'The work has succeeded.' },
    FAILED: { value: 'failed', description: 'The work has failed.' },
    CANCELED: { value: 'canceled', description: 'The work was canceled.' },
  } as const,
});

const PostCommitStatusInput = builder.inputType('PostCommitStatusInput', {
  description: 'What another system says of a commit.',
  fields: (t) => ({
    project: projectField(t, 'of the commit'),
    sha: t.string({ required: true, description: 'The commit: a hash of 4 to 40 digits, a branch or a tag.' }),
    state: t.field({ type: PostedState, required: true, description: 'How the work of the other system stands.' }),
    ref: t.string({
      description: 'Name of the branch or tag; when left out, the first branch that has the commit.',
    }),
    name: t.string({
      required: true,
      defaultValue: 'default',
      description: 'Name that tells the status from others of the commit.',
    }),
    targetUrl: t.string({ description: 'Address of a page about the work: an http or https URL.' }),
    description: t.string({ description: 'Short text about the state.' }),
    coverage: t.float({ description: 'How much of the code tests cover, in percent.' }),
  }),
});

const PostCommitStatusPayload = builder.objectRef<{ id: number }>('PostCommitStatusPayload').implement({
  description: 'The status after the mutation.',
  fields: (t) => ({
    status: t.field({
      type: CommitStatus,
      description: 'The status as it is now.',
      resolve: ({ id }, _args, context, info) => postedStatus(context, id, selectionAt(info, 'Job')),
    }),
  }),
});

builder.mutationField('postCommitStatus', (t) =>
  t.field({
    type: PostCommitStatusPayload,
    description: 'Reports how work on a commit stands: moves the status of that name, or adds one. For developers.',
    args: {
      input: t.arg({ type: PostCommitStatusInput, required: true, description: 'Names the commit, and the state.' }),
    },
    resolve: (_root, { input: { project, sha, ...values } }, context) => postStatus(context, project, sha, values),
  }),
);

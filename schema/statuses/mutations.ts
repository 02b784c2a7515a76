import { builder } from '#schema/builder.ts';
import { projectField } from '#schema/inputs.ts';
import { changed, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { CommitStatus } from '#schema/statuses/types.ts';
import { postedStatus } from '#src/domain/ci/statuses/list.ts';
import { postStatus } from '#src/domain/ci/statuses/post.ts';

const PostedState = builder.enumType('PostedState', {
  description: 'A state that an external system reports for a commit.',
  values: {
    PENDING: { value: 'pending', description: 'The work has not begun.' },
    RUNNING: { value: 'running', description: 'The work has begun.' },
    SUCCESS: { value: 'success', description: 'The work has succeeded.' },
    FAILED: { value: 'failed', description: 'The work has failed.' },
    CANCELED: { value: 'canceled', description: 'The work was canceled.' },
  } as const,
});

const statusPayload: Payload<{ id: number }> = changed('status', CommitStatus, 'Job', (context, { id }, selection) =>
  postedStatus(context, id, selection),
);

mutation('postCommitStatus', {
  description:
    'Reports the status of a commit from an external system: updates the status with that name, or adds one. For developers.',
  input: {
    description: 'A status that an external system reports for a commit.',
    argument: 'Names the commit, and the state.',
    fields: (t) => ({
      project: projectField(t, 'of the commit'),
      sha: t.string({
        required: true,
        description:
          'The commit: a branch, a tag or a hash (7 to 40 digits), also with steps behind it, such as `master~1`.',
      }),
      state: t.field({ type: PostedState, required: true, description: 'The state to report for the commit.' }),
      ref: t.string({
        description: 'Name of the branch or tag; by default, the first branch that contains the commit.',
      }),
      pipelineId: t.field({
        ...idOf('Pipeline'),
        description:
          'Global or numeric ID of the pipeline; by default, the latest one of the commit and the branch or tag.',
      }),
      name: t.string({
        required: true,
        defaultValue: 'default',
        description: 'Name of the status, unique for the commit.',
      }),
      targetUrl: t.string({ description: 'URL of a page about the status: http or https.' }),
      description: t.string({ description: 'Short text about the state.' }),
      coverage: t.float({ description: 'Test coverage, in percent.' }),
    }),
  },
  resolve: ({ project, sha, ...values }, context) => postStatus(context, project, sha, values),
  payload: statusPayload,
});

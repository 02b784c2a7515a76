import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { reviewFilter } from '#schema/filters.ts';
import type { InputFields } from '#schema/inputs.ts';
import { mergeRequestPayload, whichMergeRequest } from '#schema/merge_requests/mutations.ts';
import { MergeRequest } from '#schema/merge_requests/types.ts';
import { mutation, toldChanged } from '#schema/mutation.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { reviewOrder } from '#schema/orders.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { viaRelation } from '#schema/records/plugin.ts';
import { User } from '#schema/users/types.ts';
import {
  approveMergeRequest,
  mayApprove,
  resetApprovals,
  unapproveMergeRequest,
} from '#src/domain/tracking/merge_requests/approve.ts';
import { listReviews } from '#src/domain/tracking/merge_requests/reviews.ts';

const ReviewState = builder.enumType('ReviewState', {
  description: 'How far the review of a reviewer is.',
  values: {
    UNREVIEWED: { value: 'unreviewed', description: 'The review was asked for and has not begun.' },
    REVIEW_STARTED: { value: 'review_started', description: 'The reviewer has drafted comments.' },
    REVIEWED: { value: 'reviewed', description: 'The reviewer has published comments.' },
    APPROVED: { value: 'approved', description: 'The reviewer approved the merge request.' },
    UNAPPROVED: { value: 'unapproved', description: 'The approval was taken back.' },
    REQUESTED_CHANGES: {
      value: 'requested_changes',
      description:
        'The reviewer asked for changes. It holds no merge up, and ends when they approve or are asked again.',
    },
  } as const,
});

const MergeRequestReviewer = builder.prismaObject('MergeRequestReviewer', {
  description: 'A user who was asked to review a merge request.',
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the request for a review.',
      resolve: ({ id }) => toGlobalId('MergeRequestReviewer', id),
    }),
    user: t.relation('user', { description: 'The user who was asked for the review.' }),
    state: t.expose('state', { type: ReviewState, description: 'How far the review is.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the review was asked for.' }),
  }),
});

const MergeRequestReviewerConnection = connectionOf('MergeRequestReviewer', MergeRequestReviewer);

builder.prismaObject('MergeRequestApproval', {
  description: 'A user’s approval of a merge request.',
  fields: (t) => ({
    user: t.relation('user', { description: 'The user who approved the merge request.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the user approved the merge request.' }),
  }),
});

builder.prismaObjectFields(MergeRequest, (t) => ({
  reviewers: t.field({
    type: [User],
    description:
      'The users who were asked to review the merge request, in the order in which they were asked; see `reviews`.',
    ...viaRelation('reviewers', 'user'),
  }),
  reviews: t.field({
    type: MergeRequestReviewerConnection,
    description: 'The reviewers with the state of their reviews, in the order in which they were asked.',
    args: { ...pageArgs, ...reviewFilter, ...reviewOrder('ID', 'asc') },
    resolve: ({ id }, args, context, info) => pageBelow('MergeRequestReviewer', id, args, context, info, listReviews),
  }),
  approved: t.boolean({
    description:
      'Whether all approvals that the rules ask for are there; where they ask for none, whether somebody approved the merge request.',
    select: { approvals: { select: { userId: true } }, approvalsRequired: true, approvalsMissing: true },
    resolve: ({ approvals, approvalsRequired, approvalsMissing }) =>
      approvalsRequired > 0 ? approvalsMissing === 0 : approvals.length > 0,
  }),
  approvals: t.relation('approvals', {
    description:
      'The approvals of the merge request, oldest first. They outlive pushes, unless the project says otherwise.',
  }),
  approvalsRequired: t.exposeInt('approvalsRequired', {
    description: 'How many approvals a merge needs, over all rules; 0 where no rule asks for any.',
  }),
  approvalsLeft: t.exposeInt('approvalsMissing', { description: 'How many of the required approvals are missing.' }),
  viewerHasApproved: t.boolean({
    description: 'Whether the caller approved the merge request.',
    select: { approvals: { select: { userId: true } } },
    resolve: ({ approvals }, _args, { actor }) => approvals.some(({ userId }) => userId === actor?.id),
  }),
  viewerCanApprove: t.boolean({
    description:
      'Whether the caller can approve the merge request, and has not yet: its author and committers cannot where rules ask for others.',
    select: {
      targetProjectId: true,
      authorId: true,
      assigneeIds: true,
      state: true,
      approvals: { select: { userId: true } },
      approvalsRequired: true,
      authorMayApprove: true,
      committersMayApprove: true,
      committerIds: true,
    },
    resolve: async (mergeRequest, _args, context) => {
      if (context.actor === null) return false;
      const project = await requireProjectBase(context, mergeRequest.targetProjectId);
      return mayApprove(context.actor, project, mergeRequest);
    },
  }),
}));

mutation('approveMergeRequest', {
  description:
    'Approves a merge request that is open. For its author, its assignees and developers of the target project; not for its author and committers where rules ask for others. `changed` is false if the caller has approved it already. CONFLICT if the source branch does not have the given head.',
  input: {
    description: 'Which merge request to approve.',
    argument: 'Names the merge request.',
    fields: (t: InputFields) => ({
      ...whichMergeRequest(t),
      sha: t.string({
        description:
          'The head that the caller has seen, as a full hash. If the source branch has another one, nothing is approved.',
      }),
    }),
  },
  resolve: ({ project, iid, sha }, context) => approveMergeRequest(context, project, iid, sha),
  payload: toldChanged(mergeRequestPayload),
});

mutation('unapproveMergeRequest', {
  description:
    'Takes the approval of the caller back. `changed` is false if the caller has not approved the merge request.',
  input: {
    description: 'Which merge request to take the approval of the caller back from.',
    argument: 'Names the merge request.',
    fields: whichMergeRequest,
  },
  resolve: ({ project, iid }, context) => unapproveMergeRequest(context, project, iid),
  payload: toldChanged(mergeRequestPayload),
});

mutation('resetMergeRequestApprovals', {
  description:
    'Takes all approvals of a merge request back. For bots who are developers of the target project. FORBIDDEN for people. The merge request must not be merged.',
  input: {
    description: 'Which merge request to take all approvals back from.',
    argument: 'Names the merge request.',
    fields: whichMergeRequest,
  },
  resolve: ({ project, iid }, context) => resetApprovals(context, project, iid),
  payload: mergeRequestPayload,
});

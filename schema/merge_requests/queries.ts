import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { Group } from '#schema/groups/types.ts';
import { type InputFields, sortField } from '#schema/inputs.ts';
import { Label } from '#schema/labels/types.ts';
import { peopleFilterFields } from '#schema/merge_requests/people_filter.ts';
import { MergeRequest, MergeRequestConnection } from '#schema/merge_requests/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { byPlace, placeBase } from '#schema/places/fields.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { keyedOrders, subjectFilterFields } from '#schema/subjects/filter.ts';
import { User } from '#schema/users/types.ts';
import { findCheckedMergeRequest } from '#src/domain/tracking/merge_requests/checked.ts';
import { findMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { listMergeRequestsOf, type MergeRequestOrder } from '#src/domain/tracking/merge_requests/list.ts';
import { listMergeRequestsAcross } from '#src/domain/tracking/merge_requests/list_across.ts';
import { listMergeRequestsOfUsers, type MergeRequestRole } from '#src/domain/tracking/merge_requests/of_users.ts';
import type { Direction } from '#src/platform/page.ts';
import { onlyOne } from '#src/platform/records/parents.ts';

export const MergeRequestStateFilter = builder.enumType('MergeRequestStateFilter', {
  description: 'The states that lists of merge requests can be narrowed to.',
  values: {
    OPENED: { value: 'opened', description: 'Only merge requests that are open.' },
    CLOSED: { value: 'closed', description: 'Only merge requests that were closed without being merged.' },
    MERGED: { value: 'merged', description: 'Only merge requests that were merged.' },
    LOCKED: { value: 'locked', description: 'None: merging locks no merge request.' },
    ALL: { value: 'all', description: 'Merge requests in any state.' },
  } as const,
});

const Order = builder.enumType('MergeRequestOrder', {
  description: 'Ways to order merge requests.',
  values: {
    CREATED_AT: { value: 'created_at', description: 'By time of creation.' },
    UPDATED_AT: { value: 'updated_at', description: 'By time of the last change.' },
    TITLE: { value: 'title', description: 'By title, in alphabetical order.' },
    MERGED_AT: {
      value: 'merged_at',
      description: 'By time of the merge. Those that are not merged are last in either direction.',
    },
    ...keyedOrders('merge requests'),
  } as const,
});

/** The filters of merge requests other than by state. */
export function mergeRequestFilterFields(t: InputFields) {
  return {
    sourceBranch: t.string({ description: 'Only merge requests that come from a branch of this name.' }),
    sourceBranches: t.stringList({
      description: 'Only merge requests that come from a branch of one of these names; at most 100.',
    }),
    targetBranches: t.stringList({
      description: 'Only merge requests into a branch of one of these names; at most 100.',
    }),
    assigneeUsernames: t.stringList({
      description:
        'Only merge requests that are assigned to all of the users with these usernames, in any case; at most 10.',
    }),
    targetBranch: t.string({ description: 'Only merge requests into the branch of this name.' }),
    ...subjectFilterFields(t, 'merge requests'),
    ...peopleFilterFields(t),
    sourceProjectId: t.field({
      ...idOf('Project'),
      description: 'Only merge requests that come from this project, such as a fork.',
    }),
    projectPath: t.string({ description: 'Only merge requests into the project with this full path, in any case.' }),
    mergeUserId: t.field({ ...idOf('User'), description: 'Only merge requests that this user merged.' }),
    mergeUserUsername: t.string({
      description: 'Only merge requests that the user with this username merged, in any case.',
    }),
    nonArchived: t.boolean({
      description: 'Whether to leave out those of archived projects; they are listed by default.',
    }),
    draft: t.boolean({ description: 'Whether to list only drafts, or only merge requests that are none.' }),
    environment: t.string({
      description:
        'Only merge requests whose merge commit was deployed to the environment with this name, as far as the caller can see deployments.',
    }),
    deployedAfter: t.field({
      type: 'DateTime',
      description:
        'Only merge requests whose merge commit was deployed at this time or later, as far as the caller can see deployments.',
    }),
    deployedBefore: t.field({
      type: 'DateTime',
      description:
        'Only merge requests whose merge commit was deployed at this time or earlier, as far as the caller can see deployments.',
    }),
  };
}

const MergeRequestFilter = builder.inputType('MergeRequestFilter', {
  description: 'Which merge requests a list has: those that match all fields.',
  fields: (t) => ({
    state: t.field({ type: MergeRequestStateFilter, description: 'Only merge requests in this state.' }),
    ...mergeRequestFilterFields(t),
  }),
});

export const mergeRequestArgs = builder.args((t) => ({
  ...pageArgs,
  filter: t.field({ type: MergeRequestFilter, description: 'Which merge requests to list; all if left out.' }),
  orderBy: t.field({
    type: Order,
    required: true,
    defaultValue: 'created_at',
    description: 'What to sort the merge requests by.',
  }),
  sort: sortField(t, 'desc'),
}));

/** The order that the arguments ask for. */
export function order(args: { orderBy: MergeRequestOrder['by']; sort: Direction }): MergeRequestOrder {
  return { by: args.orderBy, direction: args.sort };
}

builder.objectFields(Project, (t) => ({
  mergeRequests: t.field({
    type: MergeRequestConnection,
    description: 'The merge requests into branches of the project. For those who can read its files.',
    args: mergeRequestArgs,
    resolve: (project, args, context, info) => {
      context.loaders.noteProject(project);
      return pageBelow('MergeRequest', { project }, args, context, info, (_context, parents, page, selection) =>
        listMergeRequestsOf(context, parents, args.filter ?? {}, order(args), page, selection),
      );
    },
  }),
  mergeRequest: t.field({
    type: MergeRequest,
    description: 'A merge request of the project by its number.',
    args: {
      iid: t.arg.int({ required: true, description: 'Number of the merge request within the project.' }),
      check: t.arg.boolean({
        required: true,
        defaultValue: false,
        description:
          'Whether to find out now whether it can be merged if that is not known yet, rather than show `unchecked`.',
      }),
    },
    resolve: (project, { iid, check }, context, info) => {
      context.loaders.noteProject(project);
      const find = check ? findCheckedMergeRequest : findMergeRequest;
      return find(context, project, iid, selectionAt(info, 'MergeRequest'));
    },
  }),
}));

builder.queryFields((t) => ({
  mergeRequests: t.field({
    type: MergeRequestConnection,
    description: 'The merge requests of all projects on the server whose files the caller can read.',
    args: mergeRequestArgs,
    resolve: (_root, args, context, info) =>
      loadPage(args, info, async (page) => {
        const selection = selectionAt(info, 'MergeRequest');
        return onlyOne(
          await listMergeRequestsAcross(context, [{ group: null }], args.filter ?? {}, order(args), page, selection),
        );
      }),
  }),
}));

builder.objectFields(Group, (t) => ({
  mergeRequests: t.field({
    type: MergeRequestConnection,
    description: 'The merge requests of all projects in the group and its subgroups whose files the caller can read.',
    args: mergeRequestArgs,
    resolve: (group, args, context, info) =>
      pageBelow('MergeRequest', { group }, args, context, info, (_context, parents, page, selection) =>
        listMergeRequestsAcross(context, parents, args.filter ?? {}, order(args), page, selection),
      ),
  }),
}));

builder.prismaObjectFields(Label, (t) => ({
  mergeRequests: t.field({
    type: MergeRequestConnection,
    description: 'The merge requests with this label. For those who can read the files of the project.',
    args: mergeRequestArgs,
    select: { projectId: true, groupId: true },
    resolve: async ({ id, ...label }, args, context, info) => {
      const parent = { ...(await placeBase(context, label)), labelId: id };
      const [filter, sorted] = [args.filter ?? {}, order(args)];
      return pageBelow('MergeRequest', parent, args, context, info, (_context, parents, page, selection) =>
        byPlace(
          parents,
          (some) => listMergeRequestsOf(context, some, filter, sorted, page, selection),
          (some) => listMergeRequestsAcross(context, some, filter, sorted, page, selection),
        ),
      );
    },
  }),
}));

/** The parts that users have in merge requests, by the names of the lists. */
const OF_USERS: Readonly<Record<string, { role: MergeRequestRole; which: string }>> = {
  authoredMergeRequests: { role: 'author', which: 'that the user opened' },
  assignedMergeRequests: { role: 'assignee', which: 'that are assigned to the user' },
  reviewRequestedMergeRequests: { role: 'reviewer', which: 'that the user was asked to review' },
};

for (const [name, { role, which }] of Object.entries(OF_USERS)) {
  builder.objectField(User, name, (t) =>
    t.field({
      type: MergeRequestConnection,
      description: `The merge requests ${which}, as far as the caller can see them.`,
      args: mergeRequestArgs,
      resolve: ({ id }, args, context, info) =>
        pageBelow('MergeRequest', id, args, context, info, (_context, ids, page, selection) =>
          listMergeRequestsOfUsers(context, ids, role, args.filter ?? {}, order(args), page, selection),
        ),
    }),
  );
}

import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { AccessLevel } from '#schema/enums.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { membershipOrder } from '#schema/orders.ts';
import { loaderAt } from '#schema/records/below.ts';
import { User } from '#schema/users/types.ts';
import { userBelow } from '#schema/users/user_below.ts';
import { listMembershipsOf, type Membership } from '#src/domain/members/of_user.ts';
import { type Associations, countAssociations } from '#src/domain/tracking/people/associations.ts';
import { countOpen, type OpenCounts } from '#src/domain/tracking/people/open_counts.ts';
import { avatarOfAddress } from '#src/domain/users/avatar_of_address.ts';

const ViewerCounts = builder.objectRef<OpenCounts>('ViewerCounts').implement({
  description: 'How much waits for the caller.',
  fields: (t) => ({
    assignedIssues: t.exposeInt('assignedIssues', { description: 'Open issues that are assigned to the caller.' }),
    assignedMergeRequests: t.exposeInt('assignedMergeRequests', {
      description: 'Open merge requests that are assigned to the caller.',
    }),
    reviewRequestedMergeRequests: t.exposeInt('reviewRequestedMergeRequests', {
      description: 'Open merge requests that the caller was asked to review.',
    }),
    todos: t.exposeInt('todos', { description: 'Todos of the caller that are pending.' }),
  }),
});

const AssociationCounts = builder.objectRef<Associations>('AssociationCounts').implement({
  description: 'How much of the server has to do with a user.',
  fields: (t) => ({
    groups: t.exposeInt('groups', { description: 'Groups of which the user is a direct member.' }),
    projects: t.exposeInt('projects', { description: 'Projects of which the user is a direct member.' }),
    issues: t.exposeInt('issues', { description: 'Issues that the user opened.' }),
    mergeRequests: t.exposeInt('mergeRequests', { description: 'Merge requests that the user opened.' }),
  }),
});

const MembershipSource = builder.enumType('MembershipSource', {
  description: 'What a membership is of.',
  values: {
    PROJECT: { value: 'Project', description: 'Somebody takes part in one repository with its issues.' },
    GROUP: { value: 'Namespace', description: 'Somebody takes part in all that lies below a group.' },
  } as const,
});

export const UserMembership = builder.objectRef<Membership>('UserMembership').implement({
  description: 'A direct membership of a user, as administrators and the user see it.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the membership, as administrators see it.',
      resolve: ({ id }) => toGlobalId('UserMembership', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the membership.' }),
    user: t.field({
      type: User,
      nullable: true,
      description: 'The user whose membership it is.',
      resolve: ({ userId }, _args, context, info) => userBelow(context, info, userId),
    }),
    sourceId: t.exposeInt('sourceId', { description: 'Numeric ID of the project or group.' }),
    sourceName: t.exposeString('sourceName', { description: 'Name of the project or group.' }),
    sourceType: t.expose('sourceType', { type: MembershipSource, description: 'What the membership is of.' }),
    accessLevel: t.expose('accessLevel', {
      type: AccessLevel,
      description: 'Level of the membership, which says what it allows.',
    }),
  }),
});

const UserMembershipConnection = connectionOf('UserMembership', UserMembership);

builder.objectFields(User, (t) => ({
  memberships: t.field({
    type: UserMembershipConnection,
    description: 'The direct memberships of the user, oldest first. For administrators and the user.',
    args: {
      ...pageArgs,
      ...membershipOrder('ID', 'asc'),
      type: t.arg({ type: MembershipSource, description: 'Only memberships of this kind.' }),
    },
    resolve: ({ id }, args, context, info) =>
      loadPage(args, info, (page) => listMembershipsOf(context, id, args.type, page)),
  }),
  associationCounts: t.field({
    type: AssociationCounts,
    nullable: true,
    description: 'How much of the server has to do with the user. For administrators and the user.',
    resolve: ({ id }, _args, context, info) =>
      loaderAt<number, Associations>(context, info, { key: 'associationCounts' }, (ids) =>
        countAssociations(context, ids),
      ).load(id),
  }),
}));

builder.queryFields((t) => ({
  viewerCounts: t.field({
    type: ViewerCounts,
    nullable: true,
    description: 'How much waits for the caller, as far as it can still be seen. For signed-in users.',
    resolve: (_root, _args, context) => countOpen(context),
  }),
  avatarUrl: t.string({
    nullable: true,
    description:
      'URL of the picture for an e-mail address: of the user whose public address it is, else from the avatar service. Null if there is neither. No sign-in is needed.',
    args: {
      email: t.arg.string({ required: true, description: 'The e-mail address, in any case.' }),
      size: t.arg.int({
        required: true,
        defaultValue: 80,
        description: 'Width and height in pixels, if the picture is from the avatar service.',
      }),
    },
    resolve: (_root, { email, size }, context) => avatarOfAddress(context, context.baseUrl, email, size),
  }),
}));

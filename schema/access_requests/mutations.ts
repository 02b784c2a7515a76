import { AccessRequest } from '#schema/access_requests/types.ts';
import { AccessLevel } from '#schema/enums.ts';
import { groupField, type InputFields, projectField } from '#schema/inputs.ts';
import { memberPayload } from '#schema/members/payloads.ts';
import { mutation, type Payload } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { DEVELOPER } from '#src/access/permissions/abilities.ts';
import { requestAccess } from '#src/domain/members/access_requests/create.ts';
import { approveAccessRequest, denyAccessRequest } from '#src/domain/members/access_requests/decide.ts';
import { type MadeRequest, readAccessRequest } from '#src/domain/members/access_requests/list.ts';

const requestPayload: Payload<MadeRequest> = {
  description: 'The request for access that was created.',
  fields: (t) => ({
    accessRequest: t.field({
      type: AccessRequest,
      description: 'The request, which now waits for a decision.',
      resolve: (made, _args, context, info) => readAccessRequest(context, made, selectionAt(info, 'AccessRequest')),
    }),
  }),
};

const denyPayload: Payload<{ userId: number }> = {
  description: 'The request for access that was denied or withdrawn.',
  fields: (t) => ({
    deniedUserId: t.id({
      description: 'Global ID of the user who made the request.',
      resolve: ({ userId }) => toGlobalId('User', userId),
    }),
  }),
};

const requester = (t: InputFields) =>
  t.field({
    ...idOf('User'),
    required: true,
    description: 'Global or numeric ID of the user who asked for access.',
  });

const level = (t: InputFields) =>
  t.field({
    type: AccessLevel,
    required: true,
    defaultValue: DEVELOPER,
    description: 'The level that the user gets; no higher than the caller’s own.',
  });

mutation('requestProjectAccess', {
  description: 'Requests access to a project that allows it. For signed-in users who are not members.',
  input: {
    description: 'The project to request access to.',
    argument: 'Names the project to join.',
    fields: (t) => ({ project: projectField(t, 'to which the caller wants access') }),
  },
  resolve: ({ project }, context) => requestAccess(context, { kind: 'project', ref: project }),
  payload: requestPayload,
});

mutation('approveProjectAccessRequest', {
  description: 'Makes a user who asked for access a member of the project. For its masters.',
  input: {
    description: 'Which request for access to a project to approve, and with which level.',
    argument: 'Names project and user, and the level to give.',
    fields: (t) => ({
      project: projectField(t, 'that access was requested to'),
      userId: requester(t),
      accessLevel: level(t),
    }),
  },
  resolve: ({ project, userId, accessLevel }, context) =>
    approveAccessRequest(context, { kind: 'project', ref: project }, userId, accessLevel),
  payload: memberPayload,
});

mutation('denyProjectAccessRequest', {
  description:
    'Denies a request for access to a project. For its masters, and for the user who made it, to withdraw it.',
  input: {
    description: 'Which request for access to a project to deny.',
    argument: 'Names project and user.',
    fields: (t) => ({ project: projectField(t, 'that access was requested to'), userId: requester(t) }),
  },
  resolve: ({ project, userId }, context) => denyAccessRequest(context, { kind: 'project', ref: project }, userId),
  payload: denyPayload,
});

mutation('requestGroupAccess', {
  description: 'Requests access to a group that allows it. For signed-in users who are not members.',
  input: {
    description: 'The group to request access to.',
    argument: 'Names the group to join.',
    fields: (t) => ({ group: groupField(t, 'to which the caller wants access') }),
  },
  resolve: ({ group }, context) => requestAccess(context, { kind: 'group', ref: group }),
  payload: requestPayload,
});

mutation('approveGroupAccessRequest', {
  description: 'Makes a user who asked for access a member of the group. For its owners.',
  input: {
    description: 'Which request for access to a group to approve, and with which level.',
    argument: 'Names group and user, and the level to give.',
    fields: (t) => ({
      group: groupField(t, 'that access was requested to'),
      userId: requester(t),
      accessLevel: level(t),
    }),
  },
  resolve: ({ group, userId, accessLevel }, context) =>
    approveAccessRequest(context, { kind: 'group', ref: group }, userId, accessLevel),
  payload: memberPayload,
});

mutation('denyGroupAccessRequest', {
  description: 'Denies a request for access to a group. For its owners, and for the user who made it, to withdraw it.',
  input: {
    description: 'Which request for access to a group to deny.',
    argument: 'Names group and user.',
    fields: (t) => ({ group: groupField(t, 'that access was requested to'), userId: requester(t) }),
  },
  resolve: ({ group, userId }, context) => denyAccessRequest(context, { kind: 'group', ref: group }, userId),
  payload: denyPayload,
});

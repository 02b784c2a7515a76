import { AccessRequest } from '#schema/access_requests/types.ts';
import { builder } from '#schema/builder.ts';
import { AccessLevel } from '#schema/enums.ts';
import { groupField, type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { memberPayload } from '#schema/members/payloads.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { DEVELOPER } from '#src/access/permissions/abilities.ts';
import { requestAccess } from '#src/domain/members/access_requests/create.ts';
import { approveAccessRequest, denyAccessRequest } from '#src/domain/members/access_requests/decide.ts';
import { type MadeRequest, readAccessRequest } from '#src/domain/members/access_requests/list.ts';

function requestPayload(mutation: string) {
  return builder.objectRef<MadeRequest>(namesOf(mutation).payload).implement({
    description: 'The request for access that was created.',
    fields: (t) => ({
      accessRequest: t.field({
        type: AccessRequest,
        description: 'The request, which now waits for a decision.',
        resolve: (made, _args, context, info) => readAccessRequest(context, made, selectionAt(info, 'AccessRequest')),
      }),
    }),
  });
}

function denyPayload(mutation: string) {
  return builder.objectRef<{ userId: number }>(namesOf(mutation).payload).implement({
    description: 'The request for access that was denied or withdrawn.',
    fields: (t) => ({
      deniedUserId: t.id({
        description: 'Global ID of the user who made the request.',
        resolve: ({ userId }) => toGlobalId('User', userId),
      }),
    }),
  });
}

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

const RequestProjectAccessInput = builder.inputType('RequestProjectAccessInput', {
  description: 'The project to request access to.',
  fields: (t) => ({ project: projectField(t, 'to which the caller wants access') }),
});

const ApproveProjectAccessRequestInput = builder.inputType('ApproveProjectAccessRequestInput', {
  description: 'Which request for access to a project to approve, and with which level.',
  fields: (t) => ({
    project: projectField(t, 'that access was requested to'),
    userId: requester(t),
    accessLevel: level(t),
  }),
});

const DenyProjectAccessRequestInput = builder.inputType('DenyProjectAccessRequestInput', {
  description: 'Which request for access to a project to deny.',
  fields: (t) => ({ project: projectField(t, 'that access was requested to'), userId: requester(t) }),
});

const RequestGroupAccessInput = builder.inputType('RequestGroupAccessInput', {
  description: 'The group to request access to.',
  fields: (t) => ({ group: groupField(t, 'to which the caller wants access') }),
});

const ApproveGroupAccessRequestInput = builder.inputType('ApproveGroupAccessRequestInput', {
  description: 'Which request for access to a group to approve, and with which level.',
  fields: (t) => ({
    group: groupField(t, 'that access was requested to'),
    userId: requester(t),
    accessLevel: level(t),
  }),
});

const DenyGroupAccessRequestInput = builder.inputType('DenyGroupAccessRequestInput', {
  description: 'Which request for access to a group to deny.',
  fields: (t) => ({ group: groupField(t, 'that access was requested to'), userId: requester(t) }),
});

builder.mutationFields((t) => ({
  requestProjectAccess: t.field({
    type: requestPayload('requestProjectAccess'),
    description: 'Requests access to a project that allows it. For signed-in users who are not members.',
    args: {
      input: t.arg({ type: RequestProjectAccessInput, required: true, description: 'Names the project to join.' }),
    },
    resolve: (_root, { input: { project } }, context) => requestAccess(context, { kind: 'project', ref: project }),
  }),
  approveProjectAccessRequest: t.field({
    type: memberPayload('approveProjectAccessRequest'),
    description: 'Makes a user who asked for access a member of the project. For its masters.',
    args: {
      input: t.arg({
        type: ApproveProjectAccessRequestInput,
        required: true,
        description: 'Names project and user, and the level to give.',
      }),
    },
    resolve: (_root, { input: { project, userId, accessLevel } }, context) =>
      approveAccessRequest(context, { kind: 'project', ref: project }, userId, accessLevel),
  }),
  denyProjectAccessRequest: t.field({
    type: denyPayload('denyProjectAccessRequest'),
    description:
      'Denies a request for access to a project. For its masters, and for the user who made it, to withdraw it.',
    args: {
      input: t.arg({ type: DenyProjectAccessRequestInput, required: true, description: 'Names project and user.' }),
    },
    resolve: (_root, { input: { project, userId } }, context) =>
      denyAccessRequest(context, { kind: 'project', ref: project }, userId),
  }),
  requestGroupAccess: t.field({
    type: requestPayload('requestGroupAccess'),
    description: 'Requests access to a group that allows it. For signed-in users who are not members.',
    args: { input: t.arg({ type: RequestGroupAccessInput, required: true, description: 'Names the group to join.' }) },
    resolve: (_root, { input: { group } }, context) => requestAccess(context, { kind: 'group', ref: group }),
  }),
  approveGroupAccessRequest: t.field({
    type: memberPayload('approveGroupAccessRequest'),
    description: 'Makes a user who asked for access a member of the group. For its owners.',
    args: {
      input: t.arg({
        type: ApproveGroupAccessRequestInput,
        required: true,
        description: 'Names group and user, and the level to give.',
      }),
    },
    resolve: (_root, { input: { group, userId, accessLevel } }, context) =>
      approveAccessRequest(context, { kind: 'group', ref: group }, userId, accessLevel),
  }),
  denyGroupAccessRequest: t.field({
    type: denyPayload('denyGroupAccessRequest'),
    description:
      'Denies a request for access to a group. For its owners, and for the user who made it, to withdraw it.',
    args: {
      input: t.arg({ type: DenyGroupAccessRequestInput, required: true, description: 'Names group and user.' }),
    },
    resolve: (_root, { input: { group, userId } }, context) =>
      denyAccessRequest(context, { kind: 'group', ref: group }, userId),
  }),
}));

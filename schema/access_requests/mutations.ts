import { AccessRequest } from '#schema/access_requests/types.ts';
import { builder } from '#schema/builder.ts';
import { MemberPayload } from '#schema/members/mutations.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { requestAccess } from '#src/access_requests/create.ts';
import { approveAccessRequest, denyAccessRequest } from '#src/access_requests/decide.ts';
import { type MadeRequest, readAccessRequest } from '#src/access_requests/list.ts';

const LEVELS =
  'The level as a number: 10 guest, 20 reporter, 30 developer, 40 master, in groups also 50 owner; 30 when nothing is said.';

const AccessRequestPayload = builder.objectRef<MadeRequest>('AccessRequestPayload').implement({
  description: 'The request for access.',
  fields: (t) => ({
    accessRequest: t.field({
      type: AccessRequest,
      description: 'The request.',
      resolve: (made, _args, context, info) => readAccessRequest(context, made, selectionAt(info, 'AccessRequest')),
    }),
  }),
});

const DenyAccessRequestPayload = builder.objectRef<{ userId: number }>('DenyAccessRequestPayload').implement({
  description: 'Whose request is gone.',
  fields: (t) => ({ userId: t.exposeInt('userId', { description: 'Numeric ID of the user.' }) }),
});

const RequestProjectAccessInput = builder.inputType('RequestProjectAccessInput', {
  description: 'Where the caller wants access.',
  fields: (t) => ({ project: t.field({ type: 'ProjectRef', required: true, description: 'Which project.' }) }),
});

const ApproveProjectAccessRequestInput = builder.inputType('ApproveProjectAccessRequestInput', {
  description: 'Whose request for access to a project is approved, and with which level.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Which project.' }),
    userId: t.int({ required: true, description: 'Numeric ID of the user.' }),
    accessLevel: t.int({ description: LEVELS }),
  }),
});

const DenyProjectAccessRequestInput = builder.inputType('DenyProjectAccessRequestInput', {
  description: 'Whose request for access to a project is denied.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Which project.' }),
    userId: t.int({ required: true, description: 'Numeric ID of the user.' }),
  }),
});

const RequestGroupAccessInput = builder.inputType('RequestGroupAccessInput', {
  description: 'Where the caller wants access.',
  fields: (t) => ({ group: t.field({ type: 'GroupRef', required: true, description: 'Which group.' }) }),
});

const ApproveGroupAccessRequestInput = builder.inputType('ApproveGroupAccessRequestInput', {
  description: 'Whose request for access to a group is approved, and with which level.',
  fields: (t) => ({
    group: t.field({ type: 'GroupRef', required: true, description: 'Which group.' }),
    userId: t.int({ required: true, description: 'Numeric ID of the user.' }),
    accessLevel: t.int({ description: LEVELS }),
  }),
});

const DenyGroupAccessRequestInput = builder.inputType('DenyGroupAccessRequestInput', {
  description: 'Whose request for access to a group is denied.',
  fields: (t) => ({
    group: t.field({ type: 'GroupRef', required: true, description: 'Which group.' }),
    userId: t.int({ required: true, description: 'Numeric ID of the user.' }),
  }),
});

builder.mutationFields((t) => ({
  requestProjectAccess: t.field({
    type: AccessRequestPayload,
    description: 'Asks for access to a project that takes such requests.',
    args: { input: t.arg({ type: RequestProjectAccessInput, required: true, description: 'Where.' }) },
    resolve: (_root, { input: { project } }, context) => requestAccess(context, { kind: 'project', ref: project }),
  }),
  approveProjectAccessRequest: t.field({
    type: MemberPayload,
    description: 'Makes a user who asked for access a member of the project. For its masters.',
    args: { input: t.arg({ type: ApproveProjectAccessRequestInput, required: true, description: 'Whose, and how.' }) },
    resolve: (_root, { input: { project, userId, accessLevel } }, context) =>
      approveAccessRequest(context, { kind: 'project', ref: project }, userId, accessLevel),
  }),
  denyProjectAccessRequest: t.field({
    type: DenyAccessRequestPayload,
    description: 'Denies a request for access to a project. For its masters, and for who made it, who withdraws it.',
    args: { input: t.arg({ type: DenyProjectAccessRequestInput, required: true, description: 'Whose.' }) },
    resolve: (_root, { input: { project, userId } }, context) =>
      denyAccessRequest(context, { kind: 'project', ref: project }, userId),
  }),
  requestGroupAccess: t.field({
    type: AccessRequestPayload,
    description: 'Asks for access to a group that takes such requests.',
    args: { input: t.arg({ type: RequestGroupAccessInput, required: true, description: 'Where.' }) },
    resolve: (_root, { input: { group } }, context) => requestAccess(context, { kind: 'group', ref: group }),
  }),
  approveGroupAccessRequest: t.field({
    type: MemberPayload,
    description: 'Makes a user who asked for access a member of the group. For its owners.',
    args: { input: t.arg({ type: ApproveGroupAccessRequestInput, required: true, description: 'Whose, and how.' }) },
    resolve: (_root, { input: { group, userId, accessLevel } }, context) =>
      approveAccessRequest(context, { kind: 'group', ref: group }, userId, accessLevel),
  }),
  denyGroupAccessRequest: t.field({
    type: DenyAccessRequestPayload,
    description: 'Denies a request for access to a group. For its owners, and for who made it, who withdraws it.',
    args: { input: t.arg({ type: DenyGroupAccessRequestInput, required: true, description: 'Whose.' }) },
    resolve: (_root, { input: { group, userId } }, context) =>
      denyAccessRequest(context, { kind: 'group', ref: group }, userId),
  }),
}));

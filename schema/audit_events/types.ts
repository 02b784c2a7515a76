import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { User } from '#schema/users/types.ts';
import { AUDIT_ACTIONS, AUDIT_TARGETS, type AuditAction, type AuditTarget } from '#src/access/audit/actions.ts';
import { type AuditEntity, auditMessage, entityOf } from '#src/domain/activity/audit_events.ts';
import type { Columns } from '#src/platform/records/model.ts';

const THINGS: Readonly<Record<string, string>> = {
  member: 'The membership of a user in a project or group',
  invitation: 'An invitation to a project or group',
  share: 'The share of a project or group with another group',
  project: 'A project with its settings',
  fork: 'A project and the one that it is a fork of',
  group: 'A group with its settings',
  protected_branch: 'A protection of branches of a project',
  protected_tag: 'A protection of tags of a project',
  deploy_key: 'A deploy key of a project',
  deploy_token: 'A deploy token of a project or group',
  service_account: 'A service account of a project, a group or the server',
  access_token: 'An access token of a user, project or group',
  impersonation_token: 'A token for acting as a user',
  job_token_scope: 'Which jobs may use a project by their tokens',
  trigger: 'A trigger of pipelines of a project',
  webhook: 'A webhook of a project, a group or the server',
  integration: 'An integration of a project, a group or the server',
  chat: 'A user of a chat, for the account of a user,',
  variable: 'A variable of jobs of a project, a group or the server',
  runner: 'A runner of a project, a group or the server',
  runner_token: 'The token of a runner',
  registration_token: 'The token with which runners are registered',
  mirror: 'A mirror of a project',
  container_tag_protection_rule: 'A protection of tags of images of a project',
  container_protection_repository_rule: 'A protection of repositories of images of a project',
  packages_protection_rule: 'A protection of packages of a project',
  debian_distribution: 'A distribution of Debian packages of a project or group',
  package_settings: 'The package settings of a group or user',
  push_rule: 'The push rule of a project or group',
  approval_rule: 'An approval rule of a project or a merge request',
  feature_flag: 'A feature flag of a project',
  feature_flag_user_list: 'A list of users of feature flags',
  feature_flags_instance_id: 'The instance ID by which clients read feature flags',
  pages: 'The site of a project',
  pages_deployment: 'A deployment of the site of a project',
  pages_domain: 'A domain of the site of a project',
  custom_attribute: 'A custom attribute of a user, a group or a project',
  broadcast_message: 'A broadcast message of the server',
  application: 'An application that signs users in',
  application_secret: 'The secret of an application',
  user: 'The account of a user',
  user_state: 'The state of a user, such as blocked,',
  email: 'A secondary address of a user',
  ssh_key: 'An SSH key of a user',
  two_factor: 'The two-factor authentication of a user',
  identity: 'The account of a user at a provider of sign-in',
  settings: 'A setting of the server',
  placeholder: 'A placeholder, which an import has made for a user without an account,',
  placeholder_reassignment: 'A request to an account to take over a placeholder',
  impersonation: 'A session of an administrator as another user',
};

const AuditActionType = builder.enumType('AuditAction', {
  description: 'What was done that the audit log tells of.',
  values: Object.fromEntries(
    AUDIT_ACTIONS.map((value) => {
      const [, thing = '', verb = ''] = /^(.+)_([a-z]+)$/.exec(value) ?? [];
      return [value.toUpperCase(), { value, description: `${THINGS[thing] ?? thing} was ${verb}.` }];
    }),
  ) as Record<Uppercase<AuditAction>, { value: AuditAction; description: string }>,
});

const AuditTargetType = builder.enumType('AuditTargetType', {
  description: 'The kind of record that something was done to.',
  values: Object.fromEntries(
    AUDIT_TARGETS.map((value) => {
      const words = value.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
      const name = words.toUpperCase().replaceAll(' ', '_');
      return [name, { value, description: `A record of the kind ${words}.` }];
    }),
  ) as Record<string, { value: AuditTarget; description: string }>,
});

export const AuditEntityType = builder.enumType('AuditEntityType', {
  description: 'The kind of place in which something was done.',
  values: {
    PROJECT: { value: 'Project', description: 'In a project of the server.' },
    GROUP: { value: 'Group', description: 'In a group of the server.' },
    USER: { value: 'User', description: 'To the account of a user.' },
    SERVER: { value: 'Gitlab::Audit::InstanceScope', description: 'To the server as a whole.' },
  } as const satisfies Record<string, { value: AuditEntity; description: string }>,
});

type DetailsRow = Pick<
  Columns['AuditEvent'],
  | 'action'
  | 'attribute'
  | 'oldValue'
  | 'newValue'
  | 'authorName'
  | 'impersonatorName'
  | 'ipAddress'
  | 'placePath'
  | 'targetType'
  | 'targetId'
  | 'targetName'
>;

export const AuditEventDetails = builder.objectRef<DetailsRow>('AuditEventDetails').implement({
  description: 'The details of an audit event, as they were when it happened.',
  fields: (t) => ({
    message: t.string({
      description: 'What happened, in words, such as `Member updated: access level from developer to master`.',
      resolve: auditMessage,
    }),
    attribute: t.exposeString('attribute', {
      nullable: true,
      description: 'Which value of the target changed, such as `access_level`; null where all of it did.',
    }),
    from: t.exposeString('oldValue', {
      nullable: true,
      description: 'The value before, at most 255 characters; null without one, and for secrets.',
    }),
    to: t.exposeString('newValue', {
      nullable: true,
      description: 'The value afterwards, at most 255 characters; null without one, and for secrets.',
    }),
    authorName: t.exposeString('authorName', {
      nullable: true,
      description: 'Name of who did it; null if the server did it by itself.',
    }),
    impersonatorName: t.exposeString('impersonatorName', {
      nullable: true,
      description: 'Name of the administrator who acted as the author; null otherwise.',
    }),
    ipAddress: t.exposeString('ipAddress', {
      nullable: true,
      description: 'IP address of the request; null if the server did it by itself.',
    }),
    entityPath: t.exposeString('placePath', {
      nullable: true,
      description: 'Full path of the project or group, or username of the user; null for the server.',
    }),
    targetType: t.field({
      type: AuditTargetType,
      description: 'What kind of record it was done to.',
      resolve: ({ targetType }) => targetType as AuditTarget,
    }),
    targetId: t.exposeInt('targetId', {
      nullable: true,
      description: 'Numeric ID of the record; null for the settings of the server.',
    }),
    targetName: t.exposeString('targetName', {
      nullable: true,
      description: 'Name of the record; null for one that has none, such as a webhook.',
    }),
  }),
});

export const AuditEvent = builder.prismaObject('AuditEvent', {
  description:
    'Something that an administrator, an owner or a master changed. It remains when what it is about is deleted.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the event, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('AuditEvent', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the event; later events have larger ones.' }),
    action: t.field({
      type: AuditActionType,
      description: 'What was done, and to what kind of record.',
      select: { action: true },
      resolve: ({ action }) => action as AuditAction,
    }),
    author: t.relation('author', {
      type: User,
      nullable: true,
      description: 'Who did it; null for the server itself, and for users who were deleted since.',
    }),
    authorId: t.exposeInt('authorId', { nullable: true, description: 'Numeric ID of the author; null without one.' }),
    impersonator: t.relation('impersonator', {
      type: User,
      nullable: true,
      description: 'The administrator who acted as the author by `sudo`; null otherwise.',
    }),
    entityType: t.field({
      type: AuditEntityType,
      description: 'In what kind of place it was done.',
      select: { projectId: true, groupId: true, userId: true },
      resolve: entityOf,
    }),
    entityId: t.int({
      nullable: true,
      description: 'Numeric ID of the project, group or user; null for the server.',
      select: { projectId: true, groupId: true, userId: true },
      resolve: ({ projectId, groupId, userId }) => projectId ?? groupId ?? userId,
    }),
    details: t.field({
      type: AuditEventDetails,
      description: 'What exactly was done, by whom and from where.',
      select: {
        action: true,
        attribute: true,
        oldValue: true,
        newValue: true,
        authorName: true,
        impersonatorName: true,
        ipAddress: true,
        placePath: true,
        targetType: true,
        targetId: true,
        targetName: true,
      },
      resolve: (row) => row,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the event happened.' }),
  }),
});

export const AuditEventConnection = connectionOf('AuditEvent', AuditEvent);

const AuditEventFilter = builder.inputType('AuditEventFilter', {
  description: 'Which audit events are listed. All conditions must hold.',
  fields: (t) => ({
    action: t.field({ type: AuditActionType, description: 'Only events of this action.' }),
    authorUsername: t.string({ description: 'Only events of the user with this name, ignoring case.' }),
    targetType: t.field({ type: AuditTargetType, description: 'Only events about records of this kind.' }),
    createdAfter: t.field({ type: 'DateTime', description: 'Only events at this time or later.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Only events at this time or earlier.' }),
  }),
});

/** The argument of a list of audit events that says which. */
export const filterArg = builder.args((t) => ({
  filter: t.field({ type: AuditEventFilter, description: 'Which events are listed; all when it is not given.' }),
}));

/** The argument for one audit event. */
export const eventArg = builder.args((t) => ({
  id: t.field({ ...idOf('AuditEvent'), required: true, description: 'Global or numeric ID of the event.' }),
}));

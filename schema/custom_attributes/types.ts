import { builder } from '#schema/builder.ts';
import { Group } from '#schema/groups/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Project } from '#schema/projects/types.ts';
import { guardedBy } from '#schema/records/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User } from '#schema/users/types.ts';
import { requireAccount, requireActor } from '#src/access/permissions/actor.ts';
import { findCustomAttribute, listCustomAttributes } from '#src/domain/projects/custom_attributes.ts';

export const CustomAttribute = builder.prismaObject('CustomAttribute', {
  description: 'What administrators note of a user, group or project, under a key. Nobody else sees it.',
  select: { id: true },
  fields: (t) => ({
    key: t.exposeString('key', { description: 'What the value is found by, such as `cost_center`.' }),
    value: t.exposeString('value', { description: 'The text that was noted.' }),
  }),
});

const forAdministrators = guardedBy(
  (_owner: object, context) => context.actor?.admin === true && requireActor(context).admin,
);

builder.prismaObjectFields(User, (t) => ({
  customAttributes: t.relation('customAttributes', {
    nullable: true,
    description: 'What administrators note of the user, in the order in which it was noted; null for others.',
    ...guardedBy((_user: object, context) => context.actor?.admin === true && requireAccount(context).admin),
  }),
}));

builder.prismaObjectFields(Group, (t) => ({
  customAttributes: t.relation('customAttributes', {
    nullable: true,
    description: 'What administrators note of the group, in the order in which it was noted; null for others.',
    ...forAdministrators,
  }),
}));

builder.prismaObjectFields(Project, (t) => ({
  customAttributes: t.relation('customAttributes', {
    nullable: true,
    description: 'What administrators note of the project, in the order in which it was noted; null for others.',
    ...forAdministrators,
  }),
}));

const ownerArgs = builder.args((t) => ({
  user: t.field({ ...idOf('User'), description: 'Global or numeric ID of the user.' }),
  group: t.field({ type: 'GroupRef', description: 'The group: full path, global ID or numeric ID.' }),
  project: t.field({ type: 'ProjectRef', description: 'The project: full path, global ID or numeric ID.' }),
}));

builder.queryFields((t) => ({
  customAttributes: t.field({
    type: [CustomAttribute],
    nullable: true,
    description:
      'What is noted of a user, group or project, exactly one of them, in the order in which it was noted. For administrators.',
    args: ownerArgs,
    resolve: (_root, owner, context, info) =>
      listCustomAttributes(context, owner, selectionAt(info, 'CustomAttribute')),
  }),
  customAttribute: t.field({
    type: CustomAttribute,
    nullable: true,
    description: 'What is noted under a key of a user, group or project: exactly one of them. For administrators.',
    args: { ...ownerArgs, key: t.arg.string({ required: true, description: 'What the value is found by.' }) },
    resolve: (_root, { key, ...owner }, context, info) =>
      findCustomAttribute(context, owner, key, selectionAt(info, 'CustomAttribute')),
  }),
}));

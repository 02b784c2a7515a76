import { builder } from '#schema/builder.ts';
import { Group } from '#schema/groups/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Project } from '#schema/projects/types.ts';
import { guardedBy } from '#schema/records/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User } from '#schema/users/types.ts';
import { requireAccount, requireActor } from '#src/access/permissions/actor.ts';
import { findCustomAttribute } from '#src/domain/projects/custom_attributes.ts';

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

builder.queryFields((t) => ({
  customAttribute: t.field({
    type: CustomAttribute,
    nullable: true,
    description: 'What is noted under a key of a user, group or project: exactly one of them. For administrators.',
    args: {
      user: t.arg({ ...idOf('User'), description: 'Global or numeric ID of the user.' }),
      group: t.arg({ type: 'GroupRef', description: 'The group: full path, global ID or numeric ID.' }),
      project: t.arg({ type: 'ProjectRef', description: 'The project: full path, global ID or numeric ID.' }),
      key: t.arg.string({ required: true, description: 'What the value is found by.' }),
    },
    resolve: (_root, { key, ...owner }, context, info) =>
      findCustomAttribute(context, owner, key, selectionAt(info, 'CustomAttribute')),
  }),
}));

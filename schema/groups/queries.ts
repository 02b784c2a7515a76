import { builder } from '#schema/builder.ts';
import { Group } from '#schema/groups/types.ts';
import { findGroup } from '#src/groups/find.ts';

builder.queryFields((t) => ({
  group: t.field({
    type: Group,
    description: 'A group that the caller may see.',
    args: { ref: t.arg({ type: 'GroupRef', required: true, description: 'Which group.' }) },
    resolve: (_root, { ref }, context) => findGroup(context, ref),
  }),
}));

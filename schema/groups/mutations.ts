import { builder } from '#schema/builder.ts';
import { Visibility } from '#schema/enums.ts';
import { Group } from '#schema/groups/types.ts';
import { createGroup } from '#src/groups/create.ts';
import type { GroupRow } from '#src/groups/find.ts';

const CreateGroupInput = builder.inputType('CreateGroupInput', {
  description: 'A new group.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What people call it.' }),
    path: t.string({ required: true, description: 'Its part of addresses.' }),
    description: t.string({ description: 'What it is for.' }),
    visibility: t.field({ type: Visibility, description: 'Who may see it; private when nothing is said.' }),
    lfsEnabled: t.boolean({ description: 'Whether large file storage is on.' }),
    requestAccessEnabled: t.boolean({ description: 'Whether users may ask for access.' }),
    parentId: t.int({ description: 'Numeric ID of the group around it.' }),
  }),
});

const CreateGroupPayload = builder.objectRef<{ group: GroupRow }>('CreateGroupPayload').implement({
  description: 'The group that was created.',
  fields: (t) => ({ group: t.expose('group', { type: Group, description: 'The new group.' }) }),
});

builder.mutationFields((t) => ({
  createGroup: t.field({
    type: CreateGroupPayload,
    description: 'Creates a group that the caller owns.',
    args: { input: t.arg({ type: CreateGroupInput, required: true, description: 'The new group.' }) },
    resolve: async (_root, { input }, context) => ({ group: await createGroup(context, input) }),
  }),
}));

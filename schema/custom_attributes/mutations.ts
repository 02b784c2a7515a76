import { CustomAttribute } from '#schema/custom_attributes/types.ts';
import type { InputFields } from '#schema/inputs.ts';
import { changed, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import {
  type CustomAttributeOwnerRef,
  deleteCustomAttribute,
  findCustomAttribute,
  setCustomAttribute,
} from '#src/domain/projects/custom_attributes.ts';

interface Named {
  owner: CustomAttributeOwnerRef;
  key: string;
}

const which = (t: InputFields) => ({
  userId: t.field({ ...idOf('User'), description: 'Global or numeric ID of the user that the attribute belongs to.' }),
  group: t.field({
    type: 'GroupRef',
    description: 'The group that the attribute belongs to: full path, global ID or numeric ID.',
  }),
  project: t.field({
    type: 'ProjectRef',
    description: 'The project that the attribute belongs to: full path, global ID or numeric ID.',
  }),
  key: t.string({
    required: true,
    description: 'Key of the attribute: letters, digits, `_`, `-` and `.`; at most 255 characters.',
  }),
});

const payload: Payload<Named> = changed(
  'customAttribute',
  CustomAttribute,
  'CustomAttribute',
  (context, { owner, key }, selection) => findCustomAttribute(context, owner, key, selection),
);

mutation('setCustomAttribute', {
  description:
    'Notes something of a user, group or project under a key, in place of what was there. For administrators.',
  input: {
    description: 'What is noted of a user, group or project: exactly one of them, which can have 100 attributes.',
    argument: 'Names the user, group or project, and has the key and the value.',
    fields: (t) => ({
      ...which(t),
      value: t.string({ required: true, description: 'The text to note; at most 255 characters.' }),
    }),
  },
  resolve: async ({ userId: user, group, project, key, value }, context) => {
    const owner = { user, group, project };
    await setCustomAttribute(context, owner, key, value);
    return { owner, key };
  },
  payload,
});

mutation('deleteCustomAttribute', {
  description: 'Removes what is noted of a user, group or project under a key. For administrators.',
  input: {
    description: 'Which attribute of a user, group or project to remove: exactly one of them.',
    argument: 'Names the user, group or project, and the key.',
    fields: which,
  },
  resolve: async ({ userId: user, group, project, key }, context) => {
    await deleteCustomAttribute(context, { user, group, project }, key);
    return { key };
  },
  payload: {
    description: 'The attribute that was removed.',
    fields: (t) => ({
      deletedCustomAttributeKey: t.exposeString('key', { description: 'Key that the attribute had.' }),
    }),
  },
});

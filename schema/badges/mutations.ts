import { Badge, type ShownBadge } from '#schema/badges/types.ts';
import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { type InputFields, namesOf } from '#schema/inputs.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { placeFields } from '#schema/places/fields.ts';
import {
  BadgeFacts,
  type BadgeRow,
  createBadge,
  deleteBadge,
  updateBadge,
} from '#src/domain/repository/badges/badges.ts';

const NAME = 'Name of the badge; at most 255 characters.';
const LINK = 'Address that the badge leads to: `http://` or `https://`, with placeholders such as `%{project_path}`.';
const IMAGE = 'Address of the picture: `http://` or `https://`, with placeholders such as `%{default_branch}`.';

const which = (t: InputFields) => ({
  ...placeFields(t, 'of the badge'),
  id: t.field({ ...idOf('Badge'), required: true, description: 'Global or numeric ID of the badge.' }),
});

const CreateBadgeInput = builder.inputType('CreateBadgeInput', {
  description: 'A new badge of a project or group.',
  fields: (t) => ({
    ...placeFields(t, 'of the badge'),
    name: t.string({ description: NAME }),
    linkUrl: t.string({ required: true, description: LINK }),
    imageUrl: t.string({ required: true, description: IMAGE }),
  }),
});

const UpdateBadgeInput = builder.inputType('UpdateBadgeInput', {
  description: 'Changes to a badge: what is left out stays as it is, and null clears the name.',
  fields: (t) => ({
    ...which(t),
    name: t.string({ description: NAME }),
    linkUrl: t.string({ description: LINK }),
    imageUrl: t.string({ description: IMAGE }),
  }),
});

const DeleteBadgeInput = builder.inputType('DeleteBadgeInput', {
  description: 'Which badge to delete.',
  fields: which,
});

function badgePayload(mutation: string) {
  return builder.objectRef<{ badge: ShownBadge }>(namesOf(mutation).payload).implement({
    description: 'The badge after the mutation.',
    fields: (t) => ({ badge: t.expose('badge', { type: Badge, description: 'The badge as it is now.' }) }),
  });
}

const DeleteBadgePayload = builder.objectRef<{ id: number }>('DeleteBadgePayload').implement({
  description: 'The badge that was deleted.',
  fields: (t) => ({
    deletedBadgeId: t.id({
      description: 'Global ID of the badge that was deleted.',
      resolve: ({ id }) => toGlobalId('Badge', id),
    }),
  }),
});

const shown = (context: GraphQLContext, badge: BadgeRow) => ({
  badge: { ...badge, facts: new BadgeFacts(context, badge.of) },
});

builder.mutationFields((t) => ({
  createBadge: t.field({
    type: badgePayload('createBadge'),
    description: 'Creates a badge. For masters of the project and owners of the group.',
    args: {
      input: t.arg({ type: CreateBadgeInput, required: true, description: 'Place and addresses of the badge.' }),
    },
    resolve: async (_root, { input: { project, group, name = null, ...urls } }, context) =>
      shown(context, await createBadge(context, { project, group }, { ...urls, name })),
  }),
  updateBadge: t.field({
    type: badgePayload('updateBadge'),
    description: 'Changes a badge of the project or group itself. For masters of the project and owners of the group.',
    args: { input: t.arg({ type: UpdateBadgeInput, required: true, description: 'The badge, and what to change.' }) },
    resolve: async (_root, { input: { project, group, id, name, linkUrl, imageUrl } }, context) => {
      const changes = {
        ...(name === undefined ? {} : { name }),
        ...(linkUrl == null ? {} : { linkUrl }),
        ...(imageUrl == null ? {} : { imageUrl }),
      };
      return shown(context, await updateBadge(context, { project, group }, id, changes));
    },
  }),
  deleteBadge: t.field({
    type: DeleteBadgePayload,
    description: 'Deletes a badge of the project or group itself. For masters of the project and owners of the group.',
    args: { input: t.arg({ type: DeleteBadgeInput, required: true, description: 'Names place and badge.' }) },
    resolve: (_root, { input: { project, group, id } }, context) => deleteBadge(context, { project, group }, id),
  }),
}));

import { Badge, type ShownBadge } from '#schema/badges/types.ts';
import type { GraphQLContext } from '#schema/context.ts';
import type { InputFields } from '#schema/inputs.ts';
import { deleted, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { placeFields } from '#schema/places/fields.ts';
import { fromPlace } from '#schema/places/parents.ts';
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

const badgePayload: Payload<{ badge: ShownBadge }> = {
  description: 'The badge after the mutation.',
  fields: (t) => ({ badge: t.expose('badge', { type: Badge, description: 'The badge as it is now.' }) }),
};

const shown = (context: GraphQLContext, badge: BadgeRow) => ({
  badge: { ...badge, facts: new BadgeFacts(context, badge.of) },
});

mutation('createBadge', {
  description: 'Creates a badge. For masters of the project and owners of the group.',
  input: {
    description: 'A new badge of a project or group.',
    argument: 'Place and addresses of the badge.',
    fields: (t) => ({
      ...placeFields(t, 'of the badge'),
      name: t.string({ description: NAME }),
      linkUrl: t.string({ required: true, description: LINK }),
      imageUrl: t.string({ required: true, description: IMAGE }),
    }),
  },
  resolve: async ({ project, group, name = null, ...urls }, context) =>
    shown(context, await createBadge(context, { project, group }, { ...urls, name })),
  payload: badgePayload,
});

mutation('updateBadge', {
  description: 'Changes a badge of the project or group itself. For masters of the project and owners of the group.',
  input: {
    description: 'Changes to a badge: what is left out stays as it is, and null clears the name.',
    argument: 'The badge, and what to change.',
    fields: (t) => ({
      ...which(t),
      name: t.string({ description: NAME }),
      linkUrl: t.string({ description: LINK }),
      imageUrl: t.string({ description: IMAGE }),
    }),
  },
  resolve: async ({ project, group, id, name, linkUrl, imageUrl }, context) => {
    const changes = {
      ...(name === undefined ? {} : { name }),
      ...(linkUrl == null ? {} : { linkUrl }),
      ...(imageUrl == null ? {} : { imageUrl }),
    };
    return shown(context, await updateBadge(context, { project, group }, id, changes));
  },
  payload: badgePayload,
});

mutation('deleteBadge', {
  description: 'Deletes a badge of the project or group itself. For masters of the project and owners of the group.',
  input: { description: 'Which badge to delete.', argument: 'Names place and badge.', fields: which },
  resolve: ({ project, group, id }, context) => deleteBadge(context, { project, group }, id),
  payload: { ...deleted('Badge', 'badge'), from: fromPlace },
});

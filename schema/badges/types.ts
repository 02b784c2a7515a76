import { builder } from '#schema/builder.ts';
import { connectionOf, loadCountedPage, pageArgs } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Group } from '#schema/groups/types.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { badgeOrder } from '#schema/orders.ts';
import { Project } from '#schema/projects/types.ts';
import {
  BadgeFacts,
  type BadgeRow,
  type BadgeUrls,
  findBadge,
  listBadges,
  tryBadge,
} from '#src/domain/repository/badges/badges.ts';
import type { Page } from '#src/platform/page.ts';

const BadgeKind = builder.enumType('BadgeKind', {
  description: 'Whether a badge is of a project or of a group.',
  values: {
    PROJECT: { value: 'project', description: 'A badge of the project alone.' },
    GROUP: { value: 'group', description: 'A badge of all projects below a group.' },
  } as const,
});

const LINK = 'Address that the badge leads to, with its placeholders.';
const IMAGE = 'Address of the picture, with its placeholders.';
const RENDERED = 'Values in place of placeholders such as `%{project_path}`; those without a value stay.';

/** A badge with what its placeholders stand for. */
export type ShownBadge = BadgeRow & { facts: BadgeFacts };

export const Badge = builder.objectRef<ShownBadge>('Badge').implement({
  description: 'A picture with a link that is shown of a project.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the badge, for `node` and for the mutations of badges.',
      resolve: ({ id }) => toGlobalId('Badge', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the badge, as the REST API uses it.' }),
    name: t.exposeString('name', { nullable: true, description: 'Name of the badge, which need not be unique.' }),
    linkUrl: t.exposeString('linkUrl', { description: LINK }),
    imageUrl: t.exposeString('imageUrl', { description: IMAGE }),
    renderedLinkUrl: t.string({
      description: `The link as it is shown. ${RENDERED}`,
      resolve: ({ facts, linkUrl }, _args, { baseUrl }) => facts.rendered(linkUrl, baseUrl),
    }),
    renderedImageUrl: t.string({
      description: `The picture as it is shown. ${RENDERED}`,
      resolve: ({ facts, imageUrl }, _args, { baseUrl }) => facts.rendered(imageUrl, baseUrl),
    }),
    kind: t.expose('kind', { type: BadgeKind, description: 'Whether it is a badge of the project or of a group.' }),
  }),
});

const BadgeConnection = connectionOf('Badge', Badge);

const TriedBadge = builder.objectRef<BadgeUrls & { rendered: BadgeUrls }>('TriedBadge').implement({
  description: 'What a badge would show that is not created.',
  fields: (t) => ({
    linkUrl: t.exposeString('linkUrl', { description: LINK }),
    imageUrl: t.exposeString('imageUrl', { description: IMAGE }),
    renderedLinkUrl: t.string({
      description: `The link as it would be shown. ${RENDERED}`,
      resolve: ({ rendered }) => rendered.linkUrl,
    }),
    renderedImageUrl: t.string({
      description: `The picture as it would be shown. ${RENDERED}`,
      resolve: ({ rendered }) => rendered.imageUrl,
    }),
  }),
});

const listArgs = builder.args((t) => ({
  ...pageArgs,
  ...badgeOrder('ID', 'asc'),
  name: t.string({ description: 'Only badges of exactly this name.' }),
}));

const badgeArgs = builder.args((t) => ({
  id: t.field({ ...idOf('Badge'), required: true, description: 'Global or numeric ID of the badge.' }),
}));

const urlArgs = builder.args((t) => ({
  linkUrl: t.string({ required: true, description: LINK }),
  imageUrl: t.string({ required: true, description: IMAGE }),
}));

/** The badges of a page, which are of one project or group, and share what their placeholders stand for. */
function withFacts(context: GraphQLContext, { nodes, ...page }: Page<BadgeRow>): Page<ShownBadge> {
  const [first] = nodes;
  const facts = first && new BadgeFacts(context, first.of);
  return { ...page, nodes: facts ? nodes.map((badge) => ({ ...badge, facts })) : [] };
}

builder.objectFields(Project, (t) => ({
  badges: t.field({
    type: BadgeConnection,
    description: 'The badges of the project and of the groups around it, oldest first.',
    args: listArgs,
    resolve: (project, { name, ...args }, context, info) =>
      loadCountedPage(args, info, async (page) =>
        withFacts(context, await listBadges(context, { project }, name ?? null, page)),
      ),
  }),
  badge: t.field({
    type: Badge,
    description: 'One of the badges that are shown of the project.',
    args: badgeArgs,
    resolve: async (project, { id }, context) => ({
      ...(await findBadge(context, { project }, id)),
      facts: new BadgeFacts(context, { project }),
    }),
  }),
  triedBadge: t.field({
    type: TriedBadge,
    description: 'What a badge with these addresses would show, for those who can create badges of the project.',
    args: urlArgs,
    resolve: async (project, urls, context) => ({
      ...urls,
      rendered: await tryBadge(context, { project }, urls, context.baseUrl),
    }),
  }),
}));

builder.objectFields(Group, (t) => ({
  badges: t.field({
    type: BadgeConnection,
    description:
      'The badges of the group itself, oldest first. Placeholders are those of its oldest project that the caller can see.',
    args: listArgs,
    resolve: (group, { name, ...args }, context, info) =>
      loadCountedPage(args, info, async (page) =>
        withFacts(context, await listBadges(context, { group }, name ?? null, page)),
      ),
  }),
  badge: t.field({
    type: Badge,
    description: 'One of the badges that are shown of the group.',
    args: badgeArgs,
    resolve: async (group, { id }, context) => ({
      ...(await findBadge(context, { group }, id)),
      facts: new BadgeFacts(context, { group }),
    }),
  }),
  triedBadge: t.field({
    type: TriedBadge,
    description: 'What a badge with these addresses would show, for those who can create badges of the group.',
    args: urlArgs,
    resolve: async (group, urls, context) => ({
      ...urls,
      rendered: await tryBadge(context, { group }, urls, context.baseUrl),
    }),
  }),
}));

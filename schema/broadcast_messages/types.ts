import { builder } from '#schema/builder.ts';
import { connectionOf, loadPage, pageArgs } from '#schema/connection.ts';
import { AccessLevel } from '#schema/enums.ts';
import { broadcastMessageFilter } from '#schema/filters.ts';
import { idOf } from '#schema/node/plugin.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { broadcastMessageOrder } from '#schema/orders.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findBroadcastMessage, listBroadcastMessages } from '#src/domain/administration/broadcast_messages/list.ts';
import { type BROADCAST_TYPES, isActive } from '#src/domain/administration/broadcast_messages/stored.ts';

export const BroadcastType = builder.enumType('BroadcastType', {
  description: 'How pages show a broadcast message.',
  values: {
    BANNER: { value: 'banner', description: 'As a strip above the page.' },
    NOTIFICATION: { value: 'notification', description: 'As a small box in a corner of the page.' },
  } satisfies Record<string, { value: (typeof BROADCAST_TYPES)[number]; description: string }>,
});

export const BroadcastMessage = builder.prismaObject('BroadcastMessage', {
  description: 'What administrators tell those who look at pages, for a time.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the message, for `node` and for the mutations of broadcast messages.',
      resolve: ({ id }) => toGlobalId('BroadcastMessage', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the message, as the REST API uses it.' }),
    message: t.exposeString('message', {
      description: 'The text in Markdown, of which emphasis, code, links and line breaks are shown.',
    }),
    startsAt: t.expose('startsAt', { type: 'DateTime', description: 'When the message is shown first.' }),
    endsAt: t.expose('endsAt', { type: 'DateTime', description: 'From when on the message is shown no more.' }),
    active: t.boolean({
      description: 'Whether the message is shown now.',
      select: { startsAt: true, endsAt: true },
      resolve: ({ startsAt, endsAt }) => isActive({ startsAt: new Date(startsAt), endsAt: new Date(endsAt) }),
    }),
    theme: t.exposeString('theme', { description: 'Name of the colours of the message, such as `indigo`.' }),
    color: t.exposeString('color', {
      nullable: true,
      description: 'Colour of the background in place of that of the theme, as `#RRGGBB`; null for that.',
    }),
    font: t.exposeString('font', {
      nullable: true,
      description: 'Colour of the text in place of that of the theme, as `#RRGGBB`; null for that.',
    }),
    targetAccessLevels: t.field({
      type: [AccessLevel],
      description:
        'Only users with one of these access levels see the message, on the pages of their projects and groups; everyone sees it when empty.',
      select: { targetAccessLevels: true },
      resolve: ({ targetAccessLevels }) => targetAccessLevels,
    }),
    targetPath: t.exposeString('targetPath', {
      nullable: true,
      description: 'Paths of the pages that show the message, with `*` for any text; null for all pages.',
    }),
    broadcastType: t.field({
      type: BroadcastType,
      description: 'How pages show the message.',
      select: { broadcastType: true },
      resolve: ({ broadcastType }) => broadcastType as (typeof BROADCAST_TYPES)[number],
    }),
    dismissable: t.exposeBoolean('dismissable', { description: 'Whether readers can hide the message for good.' }),
  }),
});

const BroadcastMessageConnection = connectionOf('BroadcastMessage', BroadcastMessage);

builder.queryFields((t) => ({
  broadcastMessages: t.field({
    type: BroadcastMessageConnection,
    description:
      'All broadcast messages, newest first, also those whose time is over or to come. Also for anonymous callers.',
    args: { ...pageArgs, ...broadcastMessageFilter, ...broadcastMessageOrder('ID', 'desc') },
    resolve: (_root, args, context, info) =>
      loadPage(args, info, (page) => listBroadcastMessages(context, page, selectionAt(info, 'BroadcastMessage'))),
  }),
  broadcastMessage: t.field({
    type: BroadcastMessage,
    nullable: true,
    description: 'The broadcast message with that ID. Also for anonymous callers.',
    args: {
      id: t.arg({
        ...idOf('BroadcastMessage'),
        required: true,
        description: 'Global or numeric ID of the message.',
      }),
    },
    resolve: (_root, { id }, context, info) => findBroadcastMessage(context, id, selectionAt(info, 'BroadcastMessage')),
  }),
}));

import { adminForm, adminPage } from '#pages/admin.ts';
import type { Facts } from '#pages/engine/row.ts';
import {
  AdminAppearancePageDocument,
  AdminBroadcastPageDocument,
  AdminBroadcastsPageDocument,
  SendAppearanceDocument,
  SendAppearanceFaviconDocument,
  SendAppearanceHeaderLogoDocument,
  SendAppearanceLogoDocument,
  SendAppearancePwaIconDocument,
  SendBroadcastChangeDocument,
  SendBroadcastDeletionDocument,
  SendNewBroadcastDocument,
  SendNoAppearanceFaviconDocument,
  SendNoAppearanceHeaderLogoDocument,
  SendNoAppearanceLogoDocument,
  SendNoAppearancePwaIconDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const LOOKS = '/admin/appearance';
const MESSAGES = '/admin/broadcast_messages';

/** What the address says where an image was refused before it was received. */
const TOO_LARGE = 'image_too_large';

/** The largest image in KB. */
const MAX_IMAGE_KB = 200;

/** The images, with the field of the graph, the last part of their address, what they are and the forms that save and remove them. */
const IMAGES = [
  {
    field: 'logo',
    name: 'logo',
    what: label('Image on the sign-in page'),
    save: SendAppearanceLogoDocument,
    remove: SendNoAppearanceLogoDocument,
  },
  {
    field: 'headerLogo',
    name: 'header_logo',
    what: label('Image in the bar of every page'),
    save: SendAppearanceHeaderLogoDocument,
    remove: SendNoAppearanceHeaderLogoDocument,
  },
  {
    field: 'favicon',
    name: 'favicon',
    what: label('Icon that browsers show'),
    save: SendAppearanceFaviconDocument,
    remove: SendNoAppearanceFaviconDocument,
  },
  {
    field: 'pwaIcon',
    name: 'pwa_icon',
    what: label('Icon of the installed app'),
    save: SendAppearancePwaIconDocument,
    remove: SendNoAppearancePwaIconDocument,
  },
] as const;

const looks = adminPage(LOOKS, {
  path: LOOKS,
  operation: AdminAppearancePageDocument,
  view: 'admin/appearance',
  found: ({ appearance }) => appearance,
  title: (_found, { t }) => t('Appearance of the server'),
  show: (appearance, { given, t }) => ({
    appearance,
    images: IMAGES.map(({ field, name, what }) => ({ field, name, what, path: appearance[field] })),
    tooLarge:
      given.problem === TOO_LARGE ? t('is too large (maximum is {count} KB)', { count: MAX_IMAGE_KB }) : undefined,
  }),
});

const THEMES = [
  ['indigo', label('colour|Indigo')],
  ['light-indigo', label('colour|Light indigo')],
  ['blue', label('colour|Blue')],
  ['light-blue', label('colour|Light blue')],
  ['green', label('colour|Green')],
  ['light-green', label('colour|Light green')],
  ['red', label('colour|Red')],
  ['light-red', label('colour|Light red')],
  ['dark', label('colour|Dark')],
  ['light', label('colour|Light')],
] as const;

const LEVELS = [
  ['GUEST', label('Guest')],
  ['REPORTER', label('Reporter')],
  ['DEVELOPER', label('Developer')],
  ['MASTER', label('Maintainer')],
  ['OWNER', label('Owner')],
] as const;

const choices = {
  themes: THEMES,
  levels: LEVELS,
  types: [
    ['BANNER', label('Strip above the page')],
    ['NOTIFICATION', label('Box in a corner')],
  ],
} as const;

const newMessage = adminPage(MESSAGES, {
  path: `${MESSAGES}/new`,
  operation: AdminBroadcastsPageDocument,
  view: 'admin/broadcast_new',
  found: ({ broadcastMessages }) => broadcastMessages,
  title: (_found, { t }) => t('New broadcast message'),
  show: () => ({ ...choices }),
});

const message = adminPage(MESSAGES, {
  path: `${MESSAGES}/:id`,
  operation: AdminBroadcastPageDocument,
  view: 'admin/broadcast_edit',
  found: ({ broadcastMessage }) => broadcastMessage,
  title: (_found, { t }) => t('Edit broadcast message'),
  show: (before) => ({ ...choices, before }),
});

/** Times are written as in UTC, to the minute: `2026-11-30 18:00`. Others are left for the graph to refuse. */
function withTimes(given: Facts['given']): Facts['given'] {
  const timeOf = (name: string) => {
    const text = String([given[name] ?? ''].flat().at(-1)).trim();
    const [, day, time] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)$/.exec(text) ?? [];
    return day === undefined ? text || undefined : `${day}T${time}:00Z`;
  };
  return { ...given, startsAt: timeOf('startsAt'), endsAt: timeOf('endsAt') };
}

/** How the server presents itself, and what it tells readers for a time. */
export const adminSite = [
  looks,
  adminForm({
    path: LOOKS,
    operation: SendAppearanceDocument,
    hidden: ['logo', 'headerLogo', 'favicon', 'pwaIcon'],
    says: label('The appearance is saved.'),
    goTo: () => LOOKS,
    again: looks,
  }),
  ...IMAGES.flatMap(({ field, name, save, remove }) => [
    adminForm({
      path: `${LOOKS}/${name}`,
      operation: save,
      takesFile: { field, largest: MAX_IMAGE_KB * 1024, tooLarge: `${LOOKS}?problem=${TOO_LARGE}` },
      check: (given): Record<string, string> => {
        const file = given[field];
        return file instanceof File && file.size > 0 ? {} : { [field]: "can't be blank" };
      },
      says: label('The image was saved.'),
      goTo: () => LOOKS,
      from: LOOKS,
      again: looks,
    }),
    adminForm({
      path: `${LOOKS}/${name}/delete`,
      operation: remove,
      says: label('The image was removed.'),
      asks: ({ t }) => ({
        heading: t('Remove the image?'),
        says: [t('The file is deleted, and the usual image takes its place.')],
        button: t('Remove image'),
        back: LOOKS,
      }),
      goTo: () => LOOKS,
    }),
  ]),
  adminPage(MESSAGES, {
    path: MESSAGES,
    operation: AdminBroadcastsPageDocument,
    view: 'admin/broadcasts',
    found: ({ broadcastMessages }) => broadcastMessages,
    title: (_found, { t }) => t('Broadcast messages'),
    show: (messages) => ({ messages }),
  }),
  newMessage,
  adminForm({
    path: MESSAGES,
    operation: SendNewBroadcastDocument,
    variables: withTimes,
    says: label('The message was created.'),
    goTo: () => MESSAGES,
    again: newMessage,
  }),
  message,
  adminForm({
    path: `${MESSAGES}/:id`,
    operation: SendBroadcastChangeDocument,
    variables: withTimes,
    says: label('The message was saved.'),
    goTo: () => MESSAGES,
    again: message,
  }),
  adminForm({
    path: `${MESSAGES}/:id/delete`,
    operation: SendBroadcastDeletionDocument,
    says: label('The message was deleted.'),
    asks: ({ given, t }) => ({
      heading: t('Delete this message?'),
      says: [t('Nobody sees it any more.'), t('This cannot be undone.')],
      button: t('Delete message'),
      back: `${MESSAGES}/${given.id}`,
    }),
    goTo: () => MESSAGES,
  }),
];

import { named } from '#pages/engine/asking.ts';
import { form, page } from '#pages/engine/row.ts';
import {
  ChatConnectionsPageDocument,
  NewChatConnectionPageDocument,
  SendChatConnectionDocument,
  SendChatDisconnectionDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const AT = '/profile/chat';

const request = page({
  path: `${AT}/new`,
  operation: NewChatConnectionPageDocument,
  view: 'own/new_chat',
  variables: ({ token, ...given }) => ({ ...given, request: token ?? given.request }),
  found: ({ chatRequest }) => chatRequest,
  title: (_found, { t }) => t('Connect a chat'),
  show: (asked, { given }) => ({ asked, request: String([given.token ?? given.request].flat().at(-1) ?? '') }),
  signIn: true,
});

/** The users of chats who act as oneself. */
export const chatConnections = [
  page({
    path: AT,
    operation: ChatConnectionsPageDocument,
    view: 'own/chats',
    found: ({ viewerConnectedChats }) => viewerConnectedChats,
    title: (_found, { t }) => t('Connected chats'),
    show: (connections) => ({ connections }),
    signIn: true,
  }),
  request,
  form({
    path: `${AT}/new`,
    operation: SendChatConnectionDocument,
    says: label('The chat is connected. Send the command again.'),
    goTo: () => AT,
    again: request,
  }),
  form({
    path: `${AT}/:id/delete`,
    operation: SendChatDisconnectionDocument,
    says: label('The chat is disconnected.'),
    asks: (facts) => ({
      heading: facts.t('Disconnect {name}?', { name: named(facts.given) }),
      says: [facts.t('Commands that are sent there are not run as you any more.')],
      button: facts.t('Disconnect'),
      back: AT,
    }),
    goTo: () => AT,
  }),
];

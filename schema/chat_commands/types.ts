import { builder } from '#schema/builder.ts';
import { projectField } from '#schema/inputs.ts';
import { mutation } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import {
  type ChatConnectionView,
  connectChat,
  disconnectChat,
  listChatConnections,
  readChatRequest,
} from '#src/domain/chat_commands/connect.ts';
import { type ChatAnswer, runChatCommand } from '#src/domain/chat_commands/run.ts';

const ConnectedChat = builder.objectRef<ChatConnectionView>('ConnectedChat').implement({
  description: 'A user of a chat who acts as the caller by the slash commands of one integration, or who asks to.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', {
      nullable: true,
      description: 'Numeric ID of the connection; null until it is made.',
    }),
    service: t.exposeString('service', { description: 'The kind of integration, such as “Slack slash commands”.' }),
    teamName: t.exposeString('teamName', {
      nullable: true,
      description: 'Name of the team in the chat, as the chat told it.',
    }),
    chatUserName: t.exposeString('chatUserName', {
      nullable: true,
      description: 'Name of the user in the chat, as the chat told it.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was made; null until then.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a command was last sent; null if none was.',
    }),
  }),
});

builder.queryFields((t) => ({
  viewerConnectedChats: t.field({
    type: [ConnectedChat],
    nullable: true,
    description: 'The users of chats who act as the caller, the latest first; at most a hundred. For signed-in users.',
    resolve: (_root, _args, context) => listChatConnections(context),
  }),
  chatRequest: t.field({
    type: ConnectedChat,
    nullable: true,
    description: 'What the link that a chat has shown asks for. For signed-in users.',
    args: { request: t.arg.string({ required: true, description: 'The parameter `token` of the link.' }) },
    resolve: (_root, { request }, context) => readChatRequest(context, request),
  }),
}));

mutation('connectChat', {
  description:
    'Has a user of a chat act as the caller by slash commands, with the rights of the caller. For signed-in users.',
  input: {
    description: 'The link that the chat has shown.',
    argument: 'Names the user of the chat.',
    fields: (t) => ({
      request: t.string({
        required: true,
        description: 'The parameter `token` of the link, which works for a quarter of an hour.',
      }),
    }),
  },
  resolve: ({ request }, context) => connectChat(context, request),
  payload: {
    description: 'The connection that was made.',
    fields: (t) => ({ databaseId: t.exposeInt('id', { description: 'Numeric ID of the connection.' }) }),
  },
});

mutation('disconnectChat', {
  description: 'Ends that a user of a chat acts as the caller. For signed-in users.',
  input: {
    description: 'Which connection to end.',
    argument: 'Names the connection that ends.',
    fields: (t) => ({
      id: t.field({
        ...idOf('ConnectedChat'),
        required: true,
        description: 'Numeric ID of the connection, which is one of the caller’s.',
      }),
    }),
  },
  resolve: ({ id }, context) => disconnectChat(context, id),
  payload: {
    description: 'The connection that has ended.',
    fields: (t) => ({ databaseId: t.exposeInt('id', { description: 'Numeric ID that the connection had.' }) }),
  },
});

mutation('runChatCommand', {
  description:
    'Runs a slash command of a chat, as the account that the user of the chat has connected. No sign-in is needed: the token of the integration is the credential of the chat.',
  input: {
    description: 'A command as the chat sends it.',
    argument: 'Project, integration, user of the chat and command.',
    fields: (t) => ({
      project: projectField(t, 'that the command is about'),
      slug: t.string({
        required: true,
        description: 'The kind of integration: `slack-slash-commands` or `mattermost-slash-commands`.',
      }),
      token: t.string({ required: true, description: 'Token of the integration.' }),
      teamId: t.string({ required: true, description: 'ID of the team in the chat.' }),
      teamDomain: t.string({ description: 'Name of the team in the chat.' }),
      userId: t.string({ required: true, description: 'ID of the user in the chat.' }),
      userName: t.string({ description: 'Name of the user in the chat.' }),
      text: t.string({ description: 'The command, such as `issue show 5`; help when left out.' }),
    }),
  },
  resolve: ({ project, slug, teamDomain, userId, userName, ...command }, context) => {
    const { baseUrl } = context;
    const sent = { ...command, teamName: teamDomain, chatUserId: userId, chatUserName: userName };
    return runChatCommand(context, { project, slug, baseUrl }, sent);
  },
  payload: {
    description: 'What the chat shows.',
    fields: (t) => ({
      responseType: t.string({
        description: '`in_channel` if everybody in the channel sees it, `ephemeral` if only the sender does.',
        resolve: ({ isForAll }: ChatAnswer) => (isForAll ? 'in_channel' : 'ephemeral'),
      }),
      text: t.exposeString('text', { description: 'The answer, in the markup of the chat.' }),
    }),
  },
});

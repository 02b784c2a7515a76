import type { Kind } from '#src/domain/integrations/base/kind.ts';
import { markdownPart, slackPart } from '#src/domain/integrations/chat/formats.ts';
import { label } from '#src/platform/texts/texts.ts';

const FIELDS: Kind['fields'] = [
  {
    name: 'token',
    title: label('Token'),
    type: 'text',
    hint: label('The token that the chat sends with each command.'),
    required: true,
    secret: true,
  },
];

const common = {
  description: label('Shows, creates, searches and closes issues by commands in a chat.'),
  events: [],
  fields: FIELDS,
};

/** Kinds by which users of a chat send commands. */
export const SLASH_COMMANDS: readonly Kind[] = [
  { ...common, slug: 'mattermost-slash-commands', title: label('Mattermost slash commands'), says: markdownPart },
  { ...common, slug: 'slack-slash-commands', title: label('Slack slash commands'), says: slackPart },
];

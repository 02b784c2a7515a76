import type { Kind } from '#src/domain/integrations/base/kind.ts';
import { discord, mattermost, slack, teams } from '#src/domain/integrations/chat/formats.ts';
import {
  CHANNEL_FIELDS,
  CHAT_EVENTS,
  FILTER_FIELDS,
  posts,
  QUIET_EVENTS,
  USERNAME,
  webhookField,
} from '#src/domain/integrations/chat/notify.ts';
import { customWebhook } from '#src/domain/integrations/kinds/custom_webhook.ts';
import { jira } from '#src/domain/integrations/kinds/jira.ts';
import { emailsOnPush, pipelinesEmail } from '#src/domain/integrations/kinds/mails.ts';
import { SLASH_COMMANDS } from '#src/domain/integrations/kinds/slash_commands.ts';
import { externalWiki, TRACKERS } from '#src/domain/integrations/kinds/trackers.ts';
import { label } from '#src/platform/texts/texts.ts';

const chat = { events: CHAT_EVENTS, quiet: QUIET_EVENTS };

const ALL: readonly Kind[] = [
  customWebhook,
  {
    ...chat,
    slug: 'discord',
    title: label('Discord'),
    description: label('Announces events in a channel of Discord.'),
    fields: [
      webhookField(label('From the settings of the channel: Integrations, Webhooks.')),
      USERNAME,
      ...FILTER_FIELDS,
    ],
    tell: posts(discord),
  },
  emailsOnPush,
  externalWiki,
  ...SLASH_COMMANDS,
  jira,
  ...TRACKERS,
  {
    ...chat,
    slug: 'mattermost',
    title: label('Mattermost'),
    description: label('Announces events in channels of Mattermost.'),
    fields: [
      webhookField(label('The URL of an incoming webhook in Mattermost.')),
      USERNAME,
      ...CHANNEL_FIELDS,
      ...FILTER_FIELDS,
    ],
    tell: posts(mattermost),
  },
  {
    ...chat,
    slug: 'microsoft-teams',
    title: label('Microsoft Teams'),
    description: label('Announces events in a channel of Microsoft Teams.'),
    fields: [
      webhookField(label('The URL of a workflow that posts to a channel when a webhook request is received.')),
      ...FILTER_FIELDS,
    ],
    tell: posts(teams),
  },
  pipelinesEmail,
  {
    ...chat,
    slug: 'slack',
    title: label('Slack notifications'),
    description: label('Announces events in channels of Slack.'),
    fields: [
      webhookField(label('The URL of an incoming webhook in Slack.')),
      USERNAME,
      ...CHANNEL_FIELDS,
      ...FILTER_FIELDS,
    ],
    tell: posts(slack),
  },
];

/** All kinds of integrations, by their titles. */
export const KINDS: readonly Kind[] = ALL.toSorted((a, b) => a.title.localeCompare(b.title, 'en'));

const bySlug = new Map(KINDS.map((kind) => [kind.slug, kind]));

/** The kind with this slug; null for others. Older clients write `_` for `-`. */
export function kindOf(slug: string): Kind | null {
  return bySlug.get(slug) ?? bySlug.get(slug.replaceAll('_', '-')) ?? null;
}

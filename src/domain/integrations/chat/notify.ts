import { BRANCHES, branchOf, concernsBranch, ONLY_BROKEN } from '#src/domain/integrations/base/branches.ts';
import type { IntegrationEvent, ToldKind } from '#src/domain/integrations/base/events.ts';
import type { Field } from '#src/domain/integrations/base/field.ts';
import type { Tell, Told } from '#src/domain/integrations/base/kind.ts';
import type { Format } from '#src/domain/integrations/chat/formats.ts';
import { messageOf } from '#src/domain/integrations/chat/message_of.ts';
import { label } from '#src/platform/texts/texts.ts';

/** The events that chats are told of. */
export const CHAT_EVENTS = [
  'push_events',
  'tag_push_events',
  'issues_events',
  'confidential_issues_events',
  'merge_requests_events',
  'note_events',
  'confidential_note_events',
  'pipeline_events',
  'wiki_page_events',
  'deployment_events',
] as const satisfies IntegrationEvent[];

/** Those that are off at first, as they are many. */
export const QUIET_EVENTS = ['deployment_events'] as const satisfies IntegrationEvent[];

const CHANNELS: Partial<Record<ToldKind, Field>> = {
  push: channel('push_channel', label('Channel for pushes')),
  tag_push: channel('tag_push_channel', label('Channel for tags')),
  issue: channel('issue_channel', label('Channel for issues')),
  confidential_issue: channel('confidential_issue_channel', label('Channel for confidential issues')),
  merge_request: channel('merge_request_channel', label('Channel for merge requests')),
  note: channel('note_channel', label('Channel for comments')),
  confidential_note: channel('confidential_note_channel', label('Channel for confidential comments')),
  pipeline: channel('pipeline_channel', label('Channel for pipelines')),
  wiki_page: channel('wiki_page_channel', label('Channel for wiki pages')),
  deployment: channel('deployment_channel', label('Channel for deployments')),
};

function channel(name: string, title: string): Field {
  return { name, title, type: 'text' };
}

/** The incoming webhook of a chat. */
export function webhookField(hint: string): Field {
  return {
    name: 'webhook',
    title: label('Webhook URL'),
    type: 'url',
    hint,
    required: true,
    secret: true,
    reached: true,
  };
}

export const USERNAME: Field = {
  name: 'username',
  title: label('Name of the sender'),
  type: 'text',
  hint: label('Shown as the author of the messages, where the chat allows that.'),
};

/** The channel of all messages, and those of messages about one kind of event. */
export const CHANNEL_FIELDS: readonly Field[] = [
  {
    name: 'channel',
    title: label('Channel'),
    type: 'text',
    hint: label('Leave it empty for the channel of the webhook. Separate several with commas.'),
  },
  ...Object.values(CHANNELS),
];

export const FILTER_FIELDS: readonly Field[] = [ONLY_BROKEN, BRANCHES];

/** How many channels get one message. */
const MAX_CHANNELS = 10;

/** Posts messages in a format to the webhook of a chat, to each channel for the event. */
export function posts(format: Format): Tell {
  return async (told, tools) => {
    const { settings } = told;
    const message = messageOf(told);
    if (message === null || isLeftOut(told) || !(await concernsBranch(told, branchOf(told), tools))) return null;
    const bodies = channelsOf(told).map((name) => JSON.stringify(format(message, settings, name)));
    let answer = null;
    for (const body of bodies) {
      answer = await tools.send({ url: String(settings.webhook ?? ''), body });
      if (!answer.succeeded) break;
    }
    return answer;
  };
}

/** Whether it is a pipeline that has not failed, where only those that have are announced. */
function isLeftOut({ kind, payload, settings }: Told): boolean {
  return kind === 'pipeline' && settings[ONLY_BROKEN.name] === true && payload.object_attributes?.status !== 'failed';
}

function channelsOf({ kind, settings }: Told): (string | null)[] {
  const { name = '' } = CHANNELS[kind] ?? {};
  const names = String(settings[name] || settings.channel || '').split(',');
  const channels = names.map((one) => one.trim()).filter((one) => one !== '');
  return channels.length === 0 ? [null] : channels.slice(0, MAX_CHANNELS);
}

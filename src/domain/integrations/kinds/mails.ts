import { BRANCHES, branchOf, concernsBranch, ONLY_BROKEN } from '#src/domain/integrations/base/branches.ts';
import type { Field, Settings } from '#src/domain/integrations/base/field.ts';
import type { Kind, Tell, Told } from '#src/domain/integrations/base/kind.ts';
import type { Message } from '#src/domain/integrations/chat/message.ts';
import { messageOf } from '#src/domain/integrations/chat/message_of.ts';
import { label } from '#src/platform/texts/texts.ts';

/** How many addresses an integration mails to, and characters of one. */
const MAX_RECIPIENTS = 100;
const MAX_ADDRESS_LENGTH = 254;

const ADDRESS = /^[^\s@<>(),;:"[\]\\]+@[A-Za-z\d](?:[A-Za-z\d.-]*[A-Za-z\d])?$/;

const RECIPIENTS: Field = {
  name: 'recipients',
  title: label('Recipients'),
  type: 'long_text',
  hint: label('Email addresses, separated by spaces, commas or lines; 100 at most.'),
  required: true,
  check: (text) => {
    const addresses = addressesIn(text);
    if (addresses.length > MAX_RECIPIENTS) return [`are too many (maximum is ${MAX_RECIPIENTS})`];
    const isAddress = (one: string) => ADDRESS.test(one) && one.length <= MAX_ADDRESS_LENGTH;
    return addresses.every(isAddress) ? [] : ['must be email addresses'];
  },
};

/** The addresses that an integration mails to, each once. */
export function recipientsIn({ recipients }: Settings): string[] {
  return addressesIn(String(recipients ?? '')).slice(0, MAX_RECIPIENTS);
}

function addressesIn(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((one) => one !== ''))];
}

/** Has the event mailed to each recipient, unless there is nothing to say of it. */
const mails: Tell = async (told, tools) => {
  const isLeftOut = told.settings[ONLY_BROKEN.name] === true && told.payload.object_attributes?.status !== 'failed';
  if (told.kind === 'pipeline' && isLeftOut) return null;
  if (messageOf(told) === null || !(await concernsBranch(told, branchOf(told), tools))) return null;
  return tools.mail(recipientsIn(told.settings));
};

export const emailsOnPush: Kind = {
  slug: 'emails-on-push',
  title: label('Emails on push'),
  description: label('Mails the commits and changes of each push to a list of addresses.'),
  events: ['push_events', 'tag_push_events'],
  fields: [
    RECIPIENTS,
    { name: 'disable_diffs', title: label('Leave out the diffs'), type: 'boolean', standard: false },
    {
      name: 'send_from_committer_email',
      title: label('Name who pushed as the sender'),
      type: 'boolean',
      hint: label('The address of the sender stays that of this server.'),
      standard: false,
    },
    { ...BRANCHES, standard: 'all' },
  ],
  tell: mails,
};

export const pipelinesEmail: Kind = {
  slug: 'pipelines-email',
  title: label('Pipeline emails'),
  description: label('Mails the outcome of pipelines to a list of addresses.'),
  events: ['pipeline_events'],
  fields: [RECIPIENTS, ONLY_BROKEN, BRANCHES],
  tell: mails,
};

/** A mail about an event, without the changes of files. */
export interface EventMail {
  subject: string;
  message: Message;
  fromName?: string;
  /** The commits whose difference it shows. */
  range?: { from: string; to: string };
}

const NOTHING = /^0+$/;

/** Characters of a subject. */
const MAX_SUBJECT_LENGTH = 200;

/** The mail about an event; null if there is nothing to say of it. */
export function mailOf(told: Told): EventMail | null {
  const message = messageOf(told);
  if (message === null) return null;
  const { payload, settings } = told;
  const place = `[${payload.project.path_with_namespace}]`;
  if (told.kind === 'pipeline') {
    const { id = 0, ref = '', status } = payload.object_attributes ?? {};
    return { subject: `${place}[${ref}] Pipeline #${id} ${status === 'success' ? 'passed' : 'failed'}`, message };
  }
  const { ref = '', before = '', after = '', total_commits_count: count = 0, commits = [] } = payload;
  const title = commits.at(-1)?.message.split('\n', 1)[0];
  const what = NOTHING.test(after)
    ? 'deleted'
    : NOTHING.test(before)
      ? 'created'
      : `${count} ${count === 1 ? 'commit' : 'commits'}`;
  const subject = `${place}[${ref.replace(/^refs\/(?:heads|tags)\//, '')}] ${what}${title ? `: ${title}` : ''}`;
  const isRange = !settings.disable_diffs && told.kind === 'push' && !NOTHING.test(before) && !NOTHING.test(after);
  return {
    subject: subject.replaceAll(/\s+/g, ' ').slice(0, MAX_SUBJECT_LENGTH).toWellFormed(),
    message,
    ...(settings.send_from_committer_email && payload.user_name ? { fromName: payload.user_name } : {}),
    ...(isRange ? { range: { from: before, to: after } } : {}),
  };
}

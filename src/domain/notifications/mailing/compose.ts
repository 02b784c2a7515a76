import { cut, oneLine } from '#src/domain/notifications/mailing/cut.ts';
import type { Facts } from '#src/domain/notifications/mailing/facts.ts';
import { headersOf } from '#src/domain/notifications/mailing/headers.ts';
import type { Recipient } from '#src/domain/notifications/mailing/recipients.ts';
import type { Keyed } from '#src/domain/notifications/mailing/request.ts';
import { escapeHtml } from '#src/platform/outbound/mail/escape_html.ts';
import type { Message } from '#src/platform/outbound/mail/mailer.ts';
import { label, type Texts } from '#src/platform/texts/texts.ts';

/** Characters of a subject; longer ones are truncated. */
const MAX_SUBJECT_LENGTH = 200;
/** Characters of a name in a header. */
const MAX_NAME_LENGTH = 100;

/** What separates the notes of a review, as text and in HTML. */
const BETWEEN = { text: '\n\n---\n\n', html: '\n<hr>\n' };

/** Why a recipient gets the mail, as `t` takes it. */
const WHY: Record<Recipient['reason'], string> = {
  mentioned: label("You're receiving this because you were mentioned."),
  assigned: label("You're receiving this because you're assigned."),
  unassigned: label("You're receiving this because you were assigned."),
  reviewer: label("You're receiving this because your review was requested."),
  'no longer reviewer': label("You're receiving this because you were a reviewer."),
  author: label("You're receiving this because you're the author."),
  participant: label("You're receiving this because you're a participant."),
  subscribed: label("You're receiving this because you subscribed."),
  label: label("You're receiving this because you subscribed to one of its labels."),
  watching: label("You're receiving this because of your notification settings."),
  pipeline: label("You're receiving this because you started the pipeline."),
};

/** URLs in a message. */
interface Links {
  /** URL of the server, without a trailing slash. */
  baseUrl: string;
  /** URL that unsubscribes from the record; null if there is none. */
  unsubscribe: string | null;
  /** Address at which an answer becomes a comment; null if there is none. */
  replyTo: string | null;
}

/**
 * A message about an event, as text and simple HTML. Mail clients thread those about one record.
 *
 * @param rendered its texts as sanitised HTML
 */
export function composeNotification(
  happening: Keyed,
  { email: to, reason }: Recipient,
  facts: Facts,
  rendered: readonly string[],
  { baseUrl, unsubscribe, replyTo }: Links,
  { language, t }: Texts,
): Message {
  const page = `${baseUrl}${facts.path}`;
  const sentence = oneLine(facts.sentence);
  const text = facts.texts.length === 0 ? null : facts.texts.join(BETWEEN.text);
  const why = t(WHY[reason]);
  const [leave, server] = [t('Unsubscribe'), t('Gantry at {url}', { url: baseUrl })];
  const reply = replyTo === null ? null : t('Reply to this email to comment.');
  const parts = [sentence, text, page, reply, why, unsubscribe && `${leave}: ${unsubscribe}`, server];
  const html = `<!doctype html>
<html lang="${language}"><body style="font-family: sans-serif; line-height: 1.5">
<p>${escapeHtml(sentence)}</p>
${text === null ? '' : `<div>${rendered.join(BETWEEN.html)}</div>\n`}<p><a href="${escapeHtml(page)}">${escapeHtml(t('View it on Gantry'))}</a></p>
<p><small>${reply === null ? '' : `${escapeHtml(reply)} `}${escapeHtml(why)}${unsubscribe ? ` <a href="${escapeHtml(unsubscribe)}">${escapeHtml(leave)}</a>` : ''}</small></p>
<p><small>${escapeHtml(server)}</small></p>
</body></html>
`;
  const { hostname } = new URL(baseUrl);
  return {
    to,
    ...(facts.actor !== null && { fromName: cut(oneLine(facts.actor), MAX_NAME_LENGTH) }),
    ...(replyTo !== null && { replyTo }),
    subject: subjectOf(happening, facts),
    text: `${parts.filter((part) => part !== null).join('\n\n')}\n`,
    html,
    thread: threadOf(happening, hostname),
    headers: {
      ...headersOf(happening, reason, { ...facts, project: cut(oneLine(facts.project), MAX_NAME_LENGTH) }, hostname),
      ...(unsubscribe && {
        'List-Unsubscribe': `<${unsubscribe}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  };
}

/** `Project | Title (#4)`, and `Re: …` for follow-ups. */
function subjectOf(happening: Keyed, { project, title, number }: Facts): string {
  const follows = 'subject' in happening && !isFirst(happening);
  const words = cut(oneLine(`${project} | ${title}`), MAX_SUBJECT_LENGTH);
  return `${follows ? 'Re: ' : ''}${words} (${number})`;
}

/** The first message about a record has an ID that the others reference. */
function threadOf(happening: Keyed, host: string): { messageId: string; inReplyTo?: string } {
  if (!('subject' in happening)) return { messageId: `<pipeline_${happening.pipelineId}_${happening.key}@${host}>` };
  const name = `${happening.subject.type === 'Issue' ? 'issue' : 'merge_request'}_${happening.subject.id}`;
  const first = `<${name}@${host}>`;
  return isFirst(happening)
    ? { messageId: first }
    : { messageId: `<${name}_${happening.key}@${host}>`, inReplyTo: first };
}

function isFirst({ event }: Keyed): boolean {
  return event === 'newIssue' || event === 'newMergeRequest';
}

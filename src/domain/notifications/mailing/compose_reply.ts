import { cut, oneLine } from '#src/domain/notifications/mailing/cut.ts';
import { escapeHtml } from '#src/platform/outbound/mail/escape_html.ts';
import type { Message } from '#src/platform/outbound/mail/mailer.ts';
import type { Texts } from '#src/platform/texts/texts.ts';

/** Characters of a subject, and of a name in a header; longer ones are truncated. */
const MAX_SUBJECT_LENGTH = 200;
const MAX_NAME_LENGTH = 100;

/** The subject of a message that ends all mail about an issue. */
export const UNSUBSCRIBE = 'unsubscribe';

/** What somebody without an account is told about an issue. */
export interface Reply {
  email: string;
  /** The message by which they came; null if it had no identifier. */
  messageId: string | null;
  event: 'received' | 'closed' | 'commented';
  iid: number;
  title: string;
  /** Name of the project. */
  project: string;
  /** Name of who commented. */
  author: string | null;
  /** The comment, as it was written and as sanitised HTML; both empty without one. */
  text: string;
  html: string;
  /** Where they can answer; null where the server receives no mail any more. */
  replyTo: string | null;
  /** Makes up the identifier of the message. */
  key: string;
}

/** A message to somebody without an account: without links to pages, which they could not see. */
export function composeReply(reply: Reply, baseUrl: string, { language, t }: Texts): Message {
  const { email, event, text, replyTo, html: comment } = reply;
  const project = oneLine(reply.project);
  const sentence = {
    received: t('Thank you for your message to {project}. You will get an answer by email.', { project }),
    closed: t('Your request to {project} was closed.', { project }),
    commented: t('{actor} commented:', { actor: oneLine(reply.author ?? '') }),
  }[event];
  const answer = replyTo === null ? null : t('Reply to this email to continue the conversation.');
  const leave = replyTo === null ? null : `mailto:${replyTo}?subject=${UNSUBSCRIBE}`;
  const parts = [sentence, text || null, answer, leave && `${t('Unsubscribe')}: ${leave}`];
  const small = [
    answer && escapeHtml(answer),
    leave && `<a href="${escapeHtml(leave)}">${escapeHtml(t('Unsubscribe'))}</a>`,
  ];
  const { hostname } = new URL(baseUrl);
  const first = reply.messageId !== null && /^<[^<>\s]+>$/.test(reply.messageId) ? reply.messageId : undefined;
  return {
    to: email,
    fromName: cut(event === 'commented' && reply.author !== null ? oneLine(reply.author) : project, MAX_NAME_LENGTH),
    ...(replyTo !== null && { replyTo }),
    subject: `Re: ${cut(oneLine(reply.title), MAX_SUBJECT_LENGTH)} (#${reply.iid})`,
    text: `${parts.filter((part) => part !== null).join('\n\n')}\n`,
    html: `<!doctype html>
<html lang="${language}"><body style="font-family: sans-serif; line-height: 1.5">
<p>${escapeHtml(sentence)}</p>
${comment === '' ? '' : `<div>${comment}</div>\n`}<p><small>${small.filter((part) => part !== null).join(' ')}</small></p>
</body></html>
`,
    thread: { messageId: `<service_desk_${reply.key}@${hostname}>`, ...(first !== undefined && { inReplyTo: first }) },
    ...(leave !== null && { headers: { 'List-Unsubscribe': `<${leave}>` } }),
  };
}

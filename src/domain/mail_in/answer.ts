import type { Outgoing } from '#src/access/credentials/mail/deliver.ts';
import { textsForAddress } from '#src/access/credentials/mail/recipient_texts.ts';
import { REFUSALS } from '#src/domain/mail_in/refusal.ts';
import type { RefusedMail } from '#src/domain/mail_in/settle.ts';
import { isOneTooMany } from '#src/domain/mail_in/too_many.ts';
import { cut, oneLine } from '#src/domain/notifications/mailing/cut.ts';
import type { Db } from '#src/platform/database/db.ts';
import { escapeHtml } from '#src/platform/outbound/mail/escape_html.ts';
import type { Message } from '#src/platform/outbound/mail/mailer.ts';
import type { Texts } from '#src/platform/texts/texts.ts';

/** Refusals that one address, and the addresses of one user, cause in an hour; further ones are not told. */
const MAX_ANSWERS = 5;
/** Characters of a subject. */
const MAX_SUBJECT_LENGTH = 200;

/**
 * Tells the sender why a message was refused. The address of the sender may be forged, so there are few of these, and they have
 * nothing of the message but its subject. Throws errors of the mail server, to be retried later.
 */
export async function sendRefusal({ db, mailer, baseUrl }: Outgoing & { db: Db }, refused: RefusedMail): Promise<void> {
  const { email, addressee = String(refused.userId) } = refused;
  if (await isOneTooMany(db, 'mail refused', { sender: email, addressee }, MAX_ANSWERS)) return;
  await mailer.send(compose(refused, await baseUrl(), await textsForAddress(db, email)));
}

function compose({ messageId, subject, email, reason }: RefusedMail, baseUrl: string, { language, t }: Texts): Message {
  const shown = cut(oneLine(subject), MAX_SUBJECT_LENGTH);
  const lines = [
    t('Your message “{subject}” was not accepted:', { subject: shown }),
    typeof reason === 'string' ? t(REFUSALS[reason]) : reason.text,
    t('Gantry at {url}', { url: baseUrl }),
  ];
  const html = `<!doctype html>
<html lang="${language}"><body style="font-family: sans-serif; line-height: 1.5">
${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')}
</body></html>
`;
  const answers = messageId !== null && /^<[^<>\s]+>$/.test(messageId);
  return {
    to: email,
    subject: t('Your message was not accepted'),
    text: `${lines.join('\n\n')}\n`,
    html,
    headers: {
      'Auto-Submitted': 'auto-replied',
      ...(answers && { 'In-Reply-To': messageId, References: messageId }),
    },
  };
}

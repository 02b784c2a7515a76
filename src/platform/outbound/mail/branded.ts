import type { Db } from '#src/platform/database/db.ts';
import { escapeHtml } from '#src/platform/outbound/mail/escape_html.ts';
import type { Mailer, Message } from '#src/platform/outbound/mail/mailer.ts';
import { type Appearance, currentAppearance } from '#src/platform/settings/appearance.ts';

/** A mailer whose messages have the header and the footer of the server, where its appearance says so. */
export function brandedMailer(mailer: Mailer, db: Db): Mailer {
  return {
    async send(message) {
      const appearance = await currentAppearance(db);
      await mailer.send(appearance.emailHeaderAndFooterEnabled ? branded(message, appearance) : message);
    },
  };
}

/** The lines are shown as they are written: mails have no Markdown of their own. */
function branded(message: Message, appearance: Appearance): Message {
  const { headerMessage, footerMessage } = appearance;
  const [header, footer] = [headerMessage.trim(), footerMessage.trim()];
  const text = [header, message.text.trimEnd(), footer].filter((part) => part !== '').join('\n\n');
  const body = /<body[^>]*>/.exec(message.html);
  const [start, end] = [body ? body.index + body[0].length : 0, message.html.lastIndexOf('</body>')];
  const parts = [message.html.slice(0, start), message.html.slice(start, end), message.html.slice(end)];
  const html = `${parts[0]}${lineOf(header, appearance)}${parts[1]}${lineOf(footer, appearance)}${parts[2]}`;
  return { ...message, text: `${text}\n`, html };
}

function lineOf(text: string, { messageBackgroundColor, messageFontColor }: Appearance): string {
  if (text === '') return '';
  const style = `background: ${messageBackgroundColor}; color: ${messageFontColor}; padding: 8px; text-align: center`;
  return `\n<div style="${escapeHtml(style)}">${escapeHtml(text).replaceAll('\n', '<br>')}</div>\n`;
}

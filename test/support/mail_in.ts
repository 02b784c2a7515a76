import { receiveMail } from '#src/domain/mail_in/receive.ts';
import { type IncomingKey, writeKey } from '#src/domain/notifications/mailing/incoming_address.ts';
import { KEY } from '#src/platform/outbound/mail/mail_in.ts';
import { SECRET, type World } from './world.ts';

/** The address of incoming mail in tests. */
export const MAIL_IN = `incoming+${KEY}@gantry.example`;

/** The address of a key. */
export const mailAddress = (key: IncomingKey, secret = SECRET) => MAIL_IN.replace(KEY, writeKey(secret, key));

export interface WrittenMail {
  from: string;
  to: string;
  subject?: string;
  text?: string;
  html?: string;
  messageId?: string | null;
  headers?: Record<string, string>;
  attachments?: { name: string; type?: string; content: Buffer }[];
}

let count = 0;

/** A message as a mail program sends it. */
export function writeMail({
  from,
  to,
  subject = 'Re: it',
  text,
  html,
  messageId,
  headers = {},
  attachments = [],
}: WrittenMail): Buffer {
  count += 1;
  const id = messageId === undefined ? `<mail-${count}@elsewhere.example>` : messageId;
  const part = (type: string, content: Buffer, more = '') =>
    `Content-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n${more}\r\n${content.toString('base64').replace(/.{76}/g, '$&\r\n')}\r\n`;
  const parts = [
    ...(text === undefined ? [] : [part('text/plain; charset=utf-8', Buffer.from(text))]),
    ...(html === undefined ? [] : [part('text/html; charset=utf-8', Buffer.from(html))]),
    ...attachments.map(({ name, type = 'application/octet-stream', content }) =>
      part(type, content, `Content-Disposition: attachment; filename="${name}"\r\n`),
    ),
  ];
  const all = {
    From: from,
    To: to,
    Subject: subject,
    ...(id !== null && { 'Message-ID': id }),
    'MIME-Version': '1.0',
    ...headers,
  };
  const head = Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const body = parts.map((one) => `--frontier\r\n${one}`).join('');
  return Buffer.from(`${head}Content-Type: multipart/mixed; boundary="frontier"\r\n\r\n${body}--frontier--\r\n`);
}

/** Hands a message over as the mailbox or the pipe does, and waits until it is handled. */
export async function receive(world: World, message: WrittenMail | Buffer) {
  const content = Buffer.isBuffer(message) ? message : writeMail(message);
  const received = await receiveMail(
    { db: world.db, jobs: world.jobs, secret: SECRET, ownAddress: 'gantry@example.org' },
    content,
  );
  await world.idle();
  return received;
}

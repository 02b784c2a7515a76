import { createTransport } from 'nodemailer';
import type { MailConfig } from '#src/platform/config/config.ts';

export interface Message {
  to: string;
  /** Shown in place of the name of the sender; the address stays. */
  fromName?: string | undefined;
  /** Where answers go; to the sender if absent. */
  replyTo?: string | undefined;
  subject: string;
  text: string;
  html: string;
  /** Its thread, by the identifiers of other messages (`<…@host>`). */
  thread?: { messageId: string; inReplyTo?: string } | undefined;
  /** Additional headers. */
  headers?: Readonly<Record<string, string>> | undefined;
}

export interface Mailer {
  /** Hands a message over to the mail server. Throws what that says against it, and when it does not answer. */
  send(message: Message): Promise<void>;
}

/** Milliseconds that the mail server has for each answer. */
const ANSWER_TIMEOUT_MS = 20_000;

/** Sends through the mail server of the settings, each message over a connection of its own. */
export function createMailer({ url, from }: MailConfig): Mailer {
  const transport = openTransport(url, ANSWER_TIMEOUT_MS);
  return {
    async send({ to, fromName, replyTo, subject, text, html, thread, headers }) {
      const sender = fromName === undefined ? from : { name: fromName, address: addressIn(from) };
      const all = { 'Auto-Submitted': 'auto-generated', ...headers };
      const place = thread && { ...thread, ...(thread.inReplyTo ? { references: thread.inReplyTo } : {}) };
      await transport.sendMail({
        from: sender,
        to: { name: '', address: to },
        ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
        subject,
        text,
        html,
        ...place,
        headers: all,
      });
    },
  };
}

/** The address of `address` or `Name <address>`. */
export function addressIn(from: string): string {
  return /<([^<>]*)>\s*$/.exec(from)?.[1] ?? from.trim();
}

/** Connects and signs in, and sends nothing. Throws what speaks against it. */
export async function verifyMailServer({ url }: MailConfig, patience = ANSWER_TIMEOUT_MS): Promise<void> {
  const transport = openTransport(url, patience);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

function openTransport(url: string, patience: number) {
  return createTransport({
    url,
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: patience,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

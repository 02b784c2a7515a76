import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll } from 'vitest';

export interface Received {
  to: string;
  /** The headers and parts as they came. */
  raw: string;
  subject: string;
  /** Of the plain part. */
  text: string;
  /** The first link in it. */
  link: string;
}

/** A mail server on this machine that keeps what it gets. It goes with the test file. */
export class Mailbox {
  readonly received: Received[] = [];
  /** How many messages are refused for now, one after the other. */
  refusing = 0;
  /** Milliseconds that it takes to accept a message. */
  patience = () => 0;
  url = '';
  readonly #read = new Map<string, number>();

  /** The next mail to an address that no call gave yet; fails after ten seconds. */
  async next(to: string): Promise<Received> {
    const at = this.#read.get(to) ?? 0;
    const patience = Date.now() + 10_000;
    for (;;) {
      const found = this.to(to)[at];
      if (found) {
        this.#read.set(to, at + 1);
        return found;
      }
      if (Date.now() > patience) throw new Error(`no mail to ${to}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  to(address: string): Received[] {
    return this.received.filter(({ to }) => to === address);
  }
}

/** Starts a mail server for the test file that calls it. */
export async function startMailbox(): Promise<Mailbox> {
  const mailbox = new Mailbox();
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        if (mailbox.refusing > 0) {
          mailbox.refusing -= 1;
          done(new Error('mailbox is busy'));
          return;
        }
        const raw = Buffer.concat(parts).toString();
        const accept = () => {
          for (const { address } of session.envelope.rcptTo) mailbox.received.push(parse(address, raw));
          done();
        };
        const wait = mailbox.patience();
        if (wait === 0) accept();
        else setTimeout(accept, wait);
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  mailbox.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return mailbox;
}

function parse(to: string, raw: string): Received {
  const subject = /^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(raw)?.[1]?.replace(/\r\n[ \t]/g, ' ') ?? '';
  const [, encoding = '7bit', body = ''] =
    /Content-Type: text\/plain[\s\S]*?Content-Transfer-Encoding: (\S+)\r\n\r\n([\s\S]*?)\r\n--/.exec(raw) ?? [];
  const text =
    encoding === 'quoted-printable'
      ? unquote(body)
      : encoding === 'base64'
        ? Buffer.from(body, 'base64').toString()
        : body;
  return { to, raw, subject, text, link: /https?:\/\/\S+/.exec(text)?.[0] ?? '' };
}

function unquote(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

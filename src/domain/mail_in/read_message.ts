import PostalMime, { type Address, addressParser, type Email } from 'postal-mime';
import { MAX_ATTACHMENTS, MAX_TEXT_LENGTH, type ReadAnswer } from '#src/domain/mail_in/message.ts';
import { textOfHtml } from '#src/domain/tracking/markdown/text_of_html.ts';

/** How deep parts are nested, and bytes of all headers. */
const LIMITS = {
  maxNestingDepth: 20,
  maxHeadersSize: 256 * 1024,
  rfc822Attachments: true,
  forceRfc822Attachments: true,
};
/** Addresses that are looked at. */
const MAX_RECIPIENTS = 100;
/** Characters of an address (RFC 5321, 4.5.3.1), and of an identifier. */
const MAX_ADDRESS_LENGTH = 254;
const MAX_ID_LENGTH = 995;
/** Characters of the header `From`. */
const MAX_FROM_LENGTH = 2000;

/** Headers that name the addresses to which a message was delivered, the surest first. */
const DELIVERED = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to'];

/** Reads a message; how long that takes depends on the sender, so it is done in a thread. */
export async function readMessage(content: Uint8Array): Promise<ReadAnswer> {
  let email: Email;
  try {
    email = await PostalMime.parse(content, LIMITS);
  } catch {
    return { refused: 'The message cannot be read.' };
  }
  if (email.headers.length === 0) return { refused: 'The message has no headers.' };
  if (email.attachments.length > MAX_ATTACHMENTS) {
    return { refused: `A message can have at most ${MAX_ATTACHMENTS} attachments.` };
  }
  const text = (email.text ?? '').trim() === '' && email.html ? textOfHtml(email.html) : (email.text ?? '');
  return {
    mail: {
      messageId: idOf(email.messageId),
      from: senderOf(email),
      recipients: recipientsOf(email),
      subject: plain(email.subject ?? '').slice(0, 1000),
      text: plain(text.slice(0, MAX_TEXT_LENGTH)),
      attachments: email.attachments.map(({ filename, mimeType, content }) => ({
        name: filename ?? nameFor(mimeType),
        content: typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content),
      })),
      automatic: automaticOf(email),
    },
  };
}

/** The database keeps no NUL, and no halves of characters. */
function plain(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

function idOf(id: string | undefined): string | null {
  return id !== undefined && id.trim() !== '' && id.length <= MAX_ID_LENGTH ? plain(id.trim()) : null;
}

/** Who wrote it. Several `From` headers, or addresses in it, would leave open whose rights it has. */
function senderOf({ headers }: Email): string | null {
  const given = headers.filter(({ key }) => key === 'from').map(({ value }) => value);
  const [value = ''] = given;
  if (given.length !== 1 || value.length > MAX_FROM_LENGTH) return null;
  const [one, ...more] = addressParser(value);
  const address = more.length === 0 ? (one?.address?.trim().toLowerCase() ?? '') : '';
  return /^[^\s@<>,]+@[^\s@<>,]+$/.test(address) && address.length <= MAX_ADDRESS_LENGTH ? plain(address) : null;
}

function recipientsOf({ headers, to = [], cc = [] }: Email): string[] {
  const delivered = DELIVERED.flatMap((name) =>
    headers
      .filter(({ key }) => key === name)
      .flatMap(({ value }) => value.slice(0, 2000).split(/[\s<>,;]/))
      .filter((word) => /[^@]@[^@]/.test(word)),
  );
  const named = [...to, ...cc].flatMap(addressesIn);
  const all = [...delivered, ...named].map((address) => address.toLowerCase());
  return [...new Set(all)].filter((address) => address.length <= MAX_ADDRESS_LENGTH).slice(0, MAX_RECIPIENTS);
}

function addressesIn(one: Address): string[] {
  return one.address === undefined ? one.group.map(({ address }) => address) : [one.address];
}

/** What says that a program sent the message (RFC 3834, and what was usual before): answers to it would go round in circles. */
function automaticOf({ headers, from }: Email): string | null {
  const valuesOf = (name: string) =>
    headers.filter(({ key }) => key === name).map(({ value }) => value.trim().toLowerCase());
  if (valuesOf('auto-submitted').some((value) => value !== 'no')) return 'Auto-Submitted';
  if (valuesOf('precedence').some((value) => /^(bulk|list|junk|auto_reply)\b/.test(value))) return 'Precedence';
  if (
    ['x-autoreply', 'x-autorespond', 'x-autoreply-from'].some((name) => valuesOf(name).some((value) => value !== 'no'))
  ) {
    return 'X-Autoreply';
  }
  if (valuesOf('return-path').includes('<>')) return 'Return-Path';
  if (valuesOf('content-type').some((value) => /^multipart\/report\b/.test(value))) return 'a report';
  if (/^(mailer-daemon|postmaster)@/i.test(from?.address ?? '')) return 'a mail server';
  return null;
}

function nameFor(mimeType: string): string {
  if (mimeType === 'message/rfc822') return 'message.eml';
  return `attachment${ENDINGS[mimeType] ?? ''}`;
}

const ENDINGS: Record<string, string> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'text/plain': '.txt',
  'application/pdf': '.pdf',
};

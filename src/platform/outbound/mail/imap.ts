import { ImapFlow } from 'imapflow';

/** What becomes of a message in the mailbox: it goes, it stays there as read, or it is looked at again later. */
export type Disposal = 'delete' | 'leave' | 'later';

export interface MailboxReader {
  /** Bytes of a message that is fetched; larger ones stay as read. */
  maxBytes: number;
  /** Whether to go on; asked before each message, and every few seconds. */
  keep(): Promise<boolean>;
  /** Takes a message, and only returns once it cannot be lost. */
  receive(content: Uint8Array): Promise<Disposal>;
  /** Hears of what stays for its size. */
  tooLarge(): void;
  /** Ends the reading. */
  signal: AbortSignal;
}

/** Milliseconds that the server has for its answers, and after which a silent connection is given up. */
const ANSWER_TIMEOUT_MS = 20_000;
const SILENCE_TIMEOUT_MS = 5 * 60_000;
/** Milliseconds between two looks where the server does not tell of new messages, and after which those for later are tried again. */
const POLL_MS = 60_000;
const LATER_MS = 10 * 60_000;
/** Milliseconds between two questions whether to go on. */
const KEEP_MS = 5_000;
/** Messages that are taken between two looks. */
const BATCH_SIZE = 100;

/**
 * Takes the unread messages of a mailbox, and then each that comes, until it is told to stop. Throws errors of the connection and of
 * `receive`; messages that were not taken stay unread.
 *
 * @param url `imaps://user:password@host:port/mailbox`; the inbox where it names none
 */
export async function readMailbox(url: string, reader: MailboxReader): Promise<void> {
  const { signal } = reader;
  const client = open(url);
  const stop = () => client.close();
  let failure: Error | null = null;
  client.on('error', (error: Error) => {
    failure ??= error;
  });
  const news = new News();
  client.on('exists', () => news.tell());
  client.on('close', () => news.tell());
  signal.addEventListener('abort', stop);
  try {
    await client.connect();
    await client.mailboxOpen(mailboxIn(url));
    const later = new Map<number, number>();
    while (!signal.aborted && client.usable && (await reader.keep())) {
      news.forget();
      const isMore = await takeBatch(client, reader, later);
      if (!isMore) await untilNews(news, client, reader);
    }
    if (failure) throw failure;
  } catch (error) {
    if (!signal.aborted) throw failure ?? error;
  } finally {
    signal.removeEventListener('abort', stop);
    if (client.usable) await client.logout().catch(() => undefined);
    client.close();
  }
}

/** Connects, signs in and opens the mailbox, and changes nothing. Throws what speaks against it. */
export async function verifyMailbox(url: string, patience = ANSWER_TIMEOUT_MS): Promise<void> {
  const client = open(url, patience);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.mailboxOpen(mailboxIn(url), { readOnly: true });
  } finally {
    client.close();
  }
}

function open(url: string, patience = ANSWER_TIMEOUT_MS): ImapFlow {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'imaps:';
  return new ImapFlow({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 993 : 143) : Number(port),
    secure,
    auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    logger: false,
    disableCompression: true,
    autoIdleDelay: 300,
    maxIdleTime: POLL_MS,
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: SILENCE_TIMEOUT_MS,
  });
}

function mailboxIn(url: string): string {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  return name === '' ? 'INBOX' : name;
}

/** Takes some unread messages. Returns whether there may be more. */
async function takeBatch(client: ImapFlow, reader: MailboxReader, later: Map<number, number>): Promise<boolean> {
  const now = Date.now();
  const unread = (await client.search({ seen: false, deleted: false }, { uid: true })) || [];
  const due = unread.filter((uid) => (later.get(uid) ?? 0) <= now);
  for (const uid of due.slice(0, BATCH_SIZE)) {
    if (reader.signal.aborted || !(await reader.keep())) return false;
    await take(client, reader, uid, later);
  }
  return due.length > BATCH_SIZE;
}

async function take(client: ImapFlow, reader: MailboxReader, uid: number, later: Map<number, number>): Promise<void> {
  const one = String(uid);
  const head = await client.fetchOne(one, { uid: true, size: true }, { uid: true });
  if (!head) return;
  if ((head.size ?? 0) > reader.maxBytes) {
    reader.tooLarge();
    await client.messageFlagsAdd(one, ['\\Seen'], { uid: true });
    return;
  }
  const message = await client.fetchOne(one, { uid: true, source: true }, { uid: true });
  const source = message ? message.source : undefined;
  if (!source) return;
  const disposal = await reader.receive(source);
  if (disposal === 'later') later.set(uid, Date.now() + LATER_MS);
  else if (disposal === 'leave') await client.messageFlagsAdd(one, ['\\Seen'], { uid: true });
  else await client.messageDelete(one, { uid: true });
}

/** Waits for a message to come, for some time at most. */
async function untilNews(news: News, client: ImapFlow, reader: MailboxReader): Promise<void> {
  const end = Date.now() + POLL_MS;
  while (Date.now() < end && client.usable && !reader.signal.aborted) {
    if (await news.within(KEEP_MS)) return;
    if (!(await reader.keep())) return;
  }
}

/** Whether something was told since it was forgotten. */
class News {
  #told = Promise.withResolvers<true>();

  tell(): void {
    this.#told.resolve(true);
  }

  forget(): void {
    this.#told = Promise.withResolvers();
  }

  async within(milliseconds: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, milliseconds, false);
    });
    try {
      return await Promise.race([this.#told.promise, silence]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Bytes of a message that is read. */
export const MAX_MESSAGE_BYTES = 25 * 1024 * 1024;
/** Files that a message may bring. */
export const MAX_ATTACHMENTS = 20;
/** Characters of its text; further ones are more than a note may have. */
export const MAX_TEXT_LENGTH = 1_048_576;

/** A message as it was read. */
export interface ReadMail {
  /** With the angle brackets; null if it has none. */
  messageId: string | null;
  /** The address of the sender, in lower case; null if there is not exactly one. */
  from: string | null;
  /** All addresses that it may have been sent to, the likeliest first, in lower case. */
  recipients: string[];
  subject: string;
  /** The plain text, or else that of the HTML with links and quotations as in Markdown. */
  text: string;
  attachments: { name: string; content: Uint8Array }[];
  /** Why it was sent by a program, in words for the log; null if a person did. */
  automatic: string | null;
}

/** The answer of the thread that reads messages. */
export type ReadAnswer = { mail: ReadMail } | { refused: string };

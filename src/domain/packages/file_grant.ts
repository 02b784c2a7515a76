import { createHmac, timingSafeEqual } from 'node:crypto';

/** Seconds for which a file can be downloaded by a grant: a download that has begun goes on. */
const GRANT_SECONDS = 5 * 60;

/** A text in an address with which anyone downloads a file for a while: for programs that send no token there. */
export function newFileGrant(fileId: number, secret: string): string {
  const content = `${fileId}.${Math.floor(Date.now() / 1_000) + GRANT_SECONDS}`;
  return `${content}.${signatureOf(content, secret)}`;
}

/** The ID of the file that a grant is for; null for one that is wrong or has expired. */
export function readFileGrant(grant: string, secret: string): number | null {
  const [, content = '', signature = ''] = /^(\d{1,10}\.\d{1,12})\.([\w-]+)$/.exec(grant) ?? [];
  const [given, right] = [Buffer.from(signature), Buffer.from(signatureOf(content, secret))];
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
  const [fileId, expires] = content.split('.').map(Number);
  return fileId === undefined || expires === undefined || expires < Date.now() / 1_000 ? null : fileId;
}

function signatureOf(content: string, secret: string): string {
  return createHmac('sha256', secret).update(`package file ${content}`).digest('base64url');
}

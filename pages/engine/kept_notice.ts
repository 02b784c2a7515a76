import crypto from 'node:crypto';
import type { Request, Response } from 'express';
import { clearCookie, readCookie, setCookie } from '#pages/engine/cookies.ts';

/** Milliseconds for which a browser keeps a notice: it is shown on the page that the answer leads to. */
const NOTICE_LIFETIME = 60_000;

/** Characters. Cookies hold little. */
const MAX_NOTICE_LENGTH = 500;

interface Asked {
  request: Request;
  response: Response;
  secure: boolean;
  /** Secret of the server. */
  secret: string;
}

/** Keeps what was done, in English, for the page that the browser is sent to. Scripts that send forms show no page. */
export function keepNotice({ request, response, secure, secret }: Asked, text: string): void {
  if (!showsDocument(request)) return;
  const kept = Buffer.from(text.slice(0, MAX_NOTICE_LENGTH)).toString('base64url');
  setCookie(response, 'gantry_notice', `${kept}.${signatureOf(kept, secret)}`, { secure, maxAge: NOTICE_LIFETIME });
}

/** What was done before this page, in English, which it shows once; null where nothing was, or where the cookie is not of this server. */
export function takeNotice({ request, response, secure, secret }: Asked): string | null {
  const given = readCookie(request, 'gantry_notice', secure);
  if (given === undefined || !showsDocument(request)) return null;
  clearCookie(response, 'gantry_notice', secure);
  const [kept = '', signature = ''] = given.split('.');
  const expected = Buffer.from(signatureOf(kept, secret));
  const sent = Buffer.from(signature);
  const isOwn = sent.length === expected.length && crypto.timingSafeEqual(sent, expected);
  return isOwn ? Buffer.from(kept, 'base64url').toString() : null;
}

/** Whether a browser shows the answer, rather than a script reading it. Browsers that do not say are taken to show it. */
function showsDocument({ headers }: Request): boolean {
  const destination = headers['sec-fetch-dest'];
  return destination === undefined || destination === 'document';
}

function signatureOf(kept: string, secret: string): string {
  return crypto.createHmac('sha256', secret).update(`notice ${kept}`).digest('base64url');
}

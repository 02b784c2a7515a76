import type { ServerResponse } from 'node:http';

/** Responses that may be compressed, and those that must not be. */
const answers = new WeakMap<ServerResponse, 'possible' | 'allowed' | 'refused'>();

/** Notes that a response can be compressed if its handler allows it. */
export function offerCompression(response: ServerResponse): void {
  answers.set(response, 'possible');
}

/**
 * Allows a response to be compressed, which is off by default: the length of a compressed response with both a secret and text
 * chosen by an attacker gives the secret away (BREACH).
 */
export function allowCompression(response: ServerResponse): void {
  if (answers.get(response) !== 'possible') return;
  answers.set(response, 'allowed');
  const vary = response.getHeader('Vary');
  // Caches must know, also of an answer that is not compressed: another client would get that.
  response.setHeader('Vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
}

/** Keeps a response from being compressed even if it is allowed elsewhere. */
export function refuseCompression(response: ServerResponse): void {
  answers.set(response, 'refused');
}

/** Whether an answer may be compressed. */
export function mayCompress(response: ServerResponse): boolean {
  return answers.get(response) === 'allowed';
}

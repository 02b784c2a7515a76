import type { ServerResponse } from 'node:http';

/** Answers that may be compressed if nobody objects, and those that somebody objected to. */
const answers = new WeakMap<ServerResponse, 'possible' | 'allowed' | 'refused'>();

/** Notes that an answer can be compressed, should whoever makes it allow that. */
export function offerCompression(response: ServerResponse): void {
  answers.set(response, 'possible');
}

/**
 * Allows an answer to be compressed. Nobody else does: an answer that holds a secret beside what a stranger chose would tell
 * the secret by its length (BREACH).
 */
export function allowCompression(response: ServerResponse): void {
  if (answers.get(response) !== 'possible') return;
  answers.set(response, 'allowed');
  const vary = response.getHeader('Vary');
  // Caches must know, also of an answer that is not compressed: another client would get that.
  response.setHeader('Vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
}

/** Keeps an answer from being compressed, whoever else allows it. */
export function refuseCompression(response: ServerResponse): void {
  answers.set(response, 'refused');
}

/** Whether an answer may be compressed. */
export function mayCompress(response: ServerResponse): boolean {
  return answers.get(response) === 'allowed';
}

import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { requireDocumented } from './documented.ts';

/** A JSON value of which a test knows the shape. */
// biome-ignore lint/suspicious/noExplicitAny: tests read what they expect, and fail where it is not there
export type Json = any;

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Parsed JSON; the text where it is none; null where there is no body. */
  body: Json;
}

export interface Sent {
  headers?: Record<string, string>;
  /** Sent as it is when a string or bytes, else as JSON. */
  body?: unknown;
}

/** Throws where an answer is not what it must be. */
type Require = (method: string, path: string, answer: Answer, sent?: unknown) => void;

export type Send = (method: string, path: string, sent?: Sent) => Promise<Answer>;

/**
 * A sender of requests to one server, over kept connections, that allows every verb a body. A request fails where its
 * answer is not as `requireAnswer` wants it: as the OpenAPI document has it, when absent.
 */
export function sender(port: number, requireAnswer: Require = requireDocumented): { send: Send; close(): void } {
  const agent = new Agent({ keepAlive: true });
  const send: Send = (method, path, { headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const asItIs = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
      const text = asItIs ? body : JSON.stringify(body);
      const length = text === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(text)) };
      const type = asItIs ? {} : { 'Content-Type': 'application/json' };
      const all = { ...type, ...length, ...headers };
      const outgoing = request({ host: '127.0.0.1', port, method, path, agent, headers: all }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const received = Buffer.concat(parts).toString();
          const answer = { status: response.statusCode ?? 0, headers: response.headers, body: parsed(received) };
          try {
            requireAnswer(method, path, answer, body);
            resolve(answer);
          } catch (error) {
            reject(error);
          }
        });
      });
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  return { send, close: () => agent.destroy() };
}

function parsed(text: string): Json {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

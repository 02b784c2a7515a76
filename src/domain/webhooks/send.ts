import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { storable } from '#src/domain/repository/push_data.ts';
import { checkedLookup } from '#src/platform/outbound/checked_lookup.ts';
import { isBlocked } from '#src/platform/outbound/hook_url.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';
import { isNamedHost } from '#src/platform/outbound/url.ts';

/** The request of one attempt. */
export interface Sending {
  url: URL;
  headers: Record<string, string>;
  body: string;
  /** POST if absent. */
  method?: 'GET' | 'POST' | 'PUT';
  /** Whether to verify the receiver's certificate. */
  verify: boolean;
}

/** The outcome of an attempt. Only a status of 200 to 299 is successful. */
export interface Outcome {
  succeeded: boolean;
  /** Null without a response. */
  status: number | null;
  headers: Record<string, string> | null;
  /** The beginning of the response body, as text. */
  body: string | null;
  /** Why there was no response, without details of this network. */
  error: string | null;
  /** In milliseconds. */
  duration: number;
  /** Whether there was nothing to tell of the event: the delivery is not kept. */
  isEmpty?: boolean;
}

/** An attempt that sent nothing. */
export function unsent(error: string | null): Outcome {
  return { succeeded: false, status: null, headers: null, body: null, duration: 0, error };
}

/** Milliseconds for resolving the host, connecting, sending and reading the response. */
export const TIMEOUT = 10_000;
/** Bytes of a response that are read, and of its headers. */
export const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
/** Characters of one header that are stored, and how many of them. */
const MAX_HEADER_LENGTH = 1_000;
const MAX_HEADERS = 50;

class SendFailed extends Error {}

const BLOCKED = 'The URL is blocked: its address is not a public one.';
const UNKNOWN = 'The host is not known.';

// Agents of its own: the global ones may be configured to use a proxy. Each connection serves one request, so that every host is
// checked.
const agents = { http: new HttpAgent(), https: new HttpsAgent() };

/** Sends a body once, to the addresses that the look-up of imports allows; does not follow redirects. Never throws. */
export async function send(sending: Sending, { lookup, webhookHosts }: ImportSettings): Promise<Outcome> {
  const begun = performance.now();
  const timeout = AbortSignal.timeout(TIMEOUT);
  const taken = () => Math.round(performance.now() - begun);
  try {
    if (isBlocked(sending.url, webhookHosts)) throw new SendFailed(BLOCKED);
    const response = await ask(sending, { lookup, webhookHosts }, timeout);
    const status = response.statusCode ?? 0;
    const body = await readStart(response, timeout);
    const headers = kept(response);
    return { succeeded: status >= 200 && status < 300, status, headers, body, error: null, duration: taken() };
  } catch (error) {
    const reason = timeout.aborted ? `Nothing came back within ${TIMEOUT / 1000} seconds.` : explained(error);
    return { succeeded: false, status: null, headers: null, body: null, error: reason, duration: taken() };
  }
}

function ask(
  { url, method = 'POST', headers, body, verify }: Sending,
  { lookup, webhookHosts }: Pick<ImportSettings, 'lookup' | 'webhookHosts'>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const options = {
    method,
    headers: method === 'GET' ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
    lookup: checkedLookup(lookup, isNamedHost(url, webhookHosts), {
      blocked: () => new SendFailed(BLOCKED),
      unknown: () => new SendFailed(UNKNOWN),
    }),
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
  };
  return new Promise((resolve, reject) => {
    const request: ClientRequest =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, agent: agents.https, rejectUnauthorized: verify })
        : httpRequest(url, { ...options, agent: agents.http });
    request.once('response', resolve);
    // Later errors are those of the response.
    request.on('error', reject);
    request.end(method === 'GET' ? '' : body);
  });
}

/** The beginning of a response; the rest, and what does not arrive in time, is ignored. */
async function readStart(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of response) {
      parts.push(part);
      size += part.length;
      if (size >= MAX_ANSWER_BYTES) break;
    }
  } catch (error) {
    if (signal.aborted) throw error;
    // The status has arrived: later errors do not matter.
  } finally {
    response.destroy();
  }
  return storable(Buffer.concat(parts).subarray(0, MAX_ANSWER_BYTES).toString());
}

function kept({ headers }: IncomingMessage): Record<string, string> {
  const entries = Object.entries(headers).slice(0, MAX_HEADERS);
  return Object.fromEntries(
    entries.map(([name, value]) => [storable(name), storable(String(value).slice(0, MAX_HEADER_LENGTH))]),
  );
}

/** Explains a connection error. */
function explained(error: unknown): string {
  if (error instanceof SendFailed) return error.message;
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  if (['ENOTFOUND', 'ENODATA', 'EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT', 'EBADNAME'].includes(code)) return UNKNOWN;
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/.test(code)) {
    return 'The receiver cannot be trusted: its certificate or its encryption is not valid.';
  }
  if (code === 'ECONNREFUSED') return 'The receiver refused the connection.';
  if (code.startsWith('HPE_') || /header/i.test(message)) return 'The receiver did not answer in HTTP.';
  return 'The receiver cannot be reached, or broke the connection off.';
}

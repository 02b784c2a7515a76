import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { checkedLookup } from '#src/platform/outbound/checked_lookup.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';
import { isNamedHost, isPlainlyPrivate } from '#src/platform/outbound/url.ts';

/** A file that was not sent. The message says why, without details of this network. */
export class SendingFailed extends Error {
  override name = 'SendingFailed';
  /** Whether it may succeed later. */
  readonly isPassing: boolean;

  constructor(message: string, isPassing: boolean) {
    super(message);
    this.isPassing = isPassing;
  }
}

/** Where a file goes, and how. */
export interface FileSending {
  url: URL;
  method: 'PUT' | 'POST';
  file: string;
  type: string;
  /** Host names, or `host:port`, that may be reached wherever they are. */
  hosts: readonly string[];
  lookup: ImportSettings['lookup'];
  signal: AbortSignal;
}

/** Milliseconds without anything that goes or comes. */
const IDLE = 60_000;
const MAX_HEADER_BYTES = 16 * 1024;

// Agents of its own: each connection serves one request, so that every host is checked.
const agents = { http: new HttpAgent(), https: new HttpsAgent() };

/**
 * Sends a file once as the body of a request, to an address of the internet or a host that the configuration names; follows no
 * redirects. Throws SendingFailed unless the status is 200 to 299, and the reason of the signal.
 */
export async function sendFile({ url, method, file, type, hosts, lookup, signal }: FileSending): Promise<void> {
  const isNamed = isNamedHost(url, hosts);
  const blocked = () => new SendingFailed('its address is not a public one', false);
  if (!isNamed && isPlainlyPrivate(url)) throw blocked();
  const { size } = await stat(file);
  const options = {
    method,
    headers: { 'content-type': type, 'content-length': size, 'user-agent': 'Gantry' },
    lookup: checkedLookup(lookup, isNamed, {
      blocked,
      unknown: () => new SendingFailed('its host is not known', true),
    }),
    maxHeaderSize: MAX_HEADER_BYTES,
    timeout: IDLE,
    signal,
  };
  const request =
    url.protocol === 'https:'
      ? httpsRequest(url, { ...options, agent: agents.https })
      : httpRequest(url, { ...options, agent: agents.http });
  request.on('timeout', () => request.destroy(new SendingFailed(`nothing moved for ${IDLE / 1000} seconds`, true)));
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
  });
  try {
    // A receiver may answer before it has everything, and then close.
    const sent = pipeline(createReadStream(file), request);
    sent.catch(() => undefined);
    const { statusCode = 0 } = await answered.finally(() => request.destroy());
    if (statusCode >= 200 && statusCode < 300) return;
    throw new SendingFailed(`it answered with status ${statusCode}`, statusCode >= 500 || statusCode === 429);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SendingFailed) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/.test(code)) {
      throw new SendingFailed('its certificate or its encryption is not valid', false);
    }
    throw new SendingFailed('it cannot be reached, or broke the connection off', true);
  }
}

import { Agent as HttpAgent, get as httpGet, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, get as httpsGet } from 'node:https';
import { MAX_CONFIG_BYTES } from '#src/domain/ci/pipelines/config/base/sources.ts';
import { checkedLookup } from '#src/platform/outbound/checked_lookup.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';
import { isNamedHost, isPlainlyPrivate } from '#src/platform/outbound/url.ts';

/** Milliseconds for resolving the host, connecting and reading the file. */
const TIMEOUT = 5_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** Characters of the longest address. */
const MAX_URL_LENGTH = 2_000;

/** Why there is no file, in words for the author of the configuration. */
class Unusable extends Error {}

// Agents of its own: each connection serves one request, so that every host is checked.
const agents = { http: new HttpAgent(), https: new HttpsAgent() };

/**
 * The file at an address, which may be asked where webhooks may be sent to: hosts of the internet, and those that the configuration
 * names. Redirects are not followed. Never throws.
 */
export async function fetchRemote(
  address: string,
  { lookup, webhookHosts }: Pick<ImportSettings, 'lookup' | 'webhookHosts'>,
): Promise<{ text: string } | { error: string }> {
  const shown = `Remote file \`${address.slice(0, MAX_URL_LENGTH)}\``;
  const isAddress = /^https?:\/\/[^/\\\s]/i.test(address) && address.length <= MAX_URL_LENGTH && URL.canParse(address);
  if (!isAddress) return { error: `${shown} does not have a valid address!` };
  const url = new URL(address);
  const isNamed = isNamedHost(url, webhookHosts);
  if (!isNamed && isPlainlyPrivate(url)) return { error: `${shown} is blocked: its address is not a public one` };
  const signal = AbortSignal.timeout(TIMEOUT);
  try {
    const response = await ask(
      url,
      signal,
      checkedLookup(lookup, isNamed, {
        blocked: () => new Unusable('is blocked: its address is not a public one'),
        unknown: () => new Unusable('could not be fetched: its host is not known'),
      }),
    );
    return { text: await read(response) };
  } catch (error) {
    const reason =
      error instanceof Unusable
        ? error.message
        : signal.aborted
          ? 'could not be fetched because of a timeout error!'
          : 'could not be fetched';
    return { error: `${shown} ${reason}` };
  }
}

function ask(url: URL, signal: AbortSignal, lookup: ReturnType<typeof checkedLookup>): Promise<IncomingMessage> {
  const options = {
    lookup,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
    headers: { accept: '*/*', 'user-agent': 'Gantry' },
  };
  return new Promise((resolve, reject) => {
    const request =
      url.protocol === 'https:'
        ? httpsGet(url, { ...options, agent: agents.https })
        : httpGet(url, { ...options, agent: agents.http });
    request.once('response', resolve);
    request.on('error', reject);
  });
}

async function read(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    if (response.statusCode !== 200)
      throw new Unusable(`could not be fetched because of HTTP code \`${response.statusCode}\``);
    for await (const part of response) {
      parts.push(part);
      size += part.length;
      if (size > MAX_CONFIG_BYTES) throw new Unusable(`is larger than ${MAX_CONFIG_BYTES} bytes`);
    }
  } finally {
    response.destroy();
  }
  return Buffer.concat(parts).toString('utf8');
}

import { Agent, get, type IncomingMessage } from 'node:http';
import { checkedLookup } from '#src/platform/outbound/checked_lookup.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';
import { isNamedHost, isPlainlyPrivate } from '#src/platform/outbound/url.ts';

/** Where the file is that proves a domain: its text is the code. */
export const PROOF_PATH = '/.well-known/gantry-pages-verification-code';

/** Milliseconds for resolving the host, connecting and reading, and bytes of the longest file. */
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1_024;

// Each connection serves one request, so that every host is checked.
const agent = new Agent();

/** The text of the file that proves a domain, over HTTP from hosts of the internet and those that the configuration names; null without one. Never throws. */
export async function fetchProof(
  domain: string,
  { lookup, webhookHosts }: Pick<ImportSettings, 'lookup' | 'webhookHosts'>,
  port = 80,
): Promise<string | null> {
  const url = new URL(`http://${domain}:${port}${PROOF_PATH}`);
  const isNamed = isNamedHost(url, webhookHosts);
  if (!isNamed && isPlainlyPrivate(url)) return null;
  const refused = () => new Error('The host is not one of the internet');
  const checked = checkedLookup(lookup, isNamed, { blocked: refused, unknown: refused });
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      get(
        url,
        { lookup: checked, agent, signal, headers: { accept: 'text/plain', 'user-agent': 'Gantry' } },
        resolve,
      ).on('error', reject);
    });
    return await read(response);
  } catch {
    return null;
  }
}

async function read(response: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    if (response.statusCode !== 200) return null;
    for await (const part of response) {
      parts.push(part);
      size += part.length;
      if (size > MAX_BYTES) return null;
    }
  } finally {
    response.destroy();
  }
  return Buffer.concat(parts).toString('utf8');
}

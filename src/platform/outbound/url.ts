import { isIP } from 'node:net';
import { withoutTrailingSlashes } from '#src/base/text.ts';
import { isPublicAddress } from '#src/platform/outbound/address.ts';

/** Where a repository is imported from. */
export interface ImportSource {
  /** Without user name, password and final slash. */
  url: URL;
  /** Null where the URL names neither. */
  credentials: { username: string; password: string } | null;
}

/** The message about a source with a private address. */
export const BLOCKED = 'is blocked: its address is not a public one';

/** In characters. */
const MAX_URL_LENGTH = 2_000;

/** Reads the URL of a source; a text says what is wrong with it, and repeats nothing of it. */
export function parseImportUrl(text: string): ImportSource | string {
  if (text.length > MAX_URL_LENGTH) return `is too long (maximum is ${MAX_URL_LENGTH} characters)`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a URL is read without them, and then means something else
  const isForm = /^https?:\/\/[^/\\]/i.test(text) && !/[\u0000-\u0020\u007f\\]/.test(text);
  if (!isForm || !URL.canParse(text)) return 'must be a valid URL that begins with http:// or https://';
  if (/[?#]/.test(text)) return 'must not hold a query or a fragment';
  const authority = text.replace(/^https?:\/\//i, '').split('/', 1)[0] ?? '';
  if (authority.split('@').length > 2) return 'must not hold more than one user name and password';
  const url = new URL(text);
  const credentials = credentialsOf(url);
  if (credentials === undefined) return 'must hold a user name and a password that can be sent, or none';
  url.username = '';
  url.password = '';
  url.pathname = withoutTrailingSlashes(url.pathname);
  return { url, credentials };
}

/** In place of names of hosts: each is allowed. */
export const ANY_HOST = '*';

/** Whether the configuration names the host of a URL, alone or with this port, as one to import from. */
export function isNamedHost({ hostname, port, protocol }: URL, hosts: readonly string[]): boolean {
  const name = hostname.replace(/\.$/, '');
  if (hosts.includes(ANY_HOST)) return true;
  return hosts.includes(name) || hosts.includes(`${name}:${port || (protocol === 'https:' ? 443 : 80)}`);
}

/** The address that a URL names in place of a host, however it was spelt; null where it names a host. */
export function addressIn({ hostname }: URL): string | null {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? null : address;
}

/** Whether a URL leads into this network by its host alone, without a DNS query. */
export function isPlainlyPrivate(url: URL): boolean {
  const address = addressIn(url);
  return address === null ? /(^|\.)localhost\.?$/.test(url.hostname) : !isPublicAddress(address);
}

/** Undefined where they cannot be sent. */
function credentialsOf({ username, password }: URL): ImportSource['credentials'] | undefined {
  if (username === '' && password === '') return null;
  try {
    const found = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what sends them refuses these
    const isSendable = !found.username.includes(':') && !/[\u0000-\u001f\u007f]/.test(found.username + found.password);
    return isSendable ? found : undefined;
  } catch {
    return undefined;
  }
}

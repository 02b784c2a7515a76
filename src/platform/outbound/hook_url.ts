import type { Db } from '#src/platform/database/db.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';
import { ANY_HOST, isNamedHost, isPlainlyPrivate } from '#src/platform/outbound/url.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** In characters. */
const MAX_URL_LENGTH = 2_000;

/** Parses the URL of a hook; null unless it is an http(s) URL, which may have a user name, a password and a query. */
export function parseHookUrl(text: string): URL | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a URL is read without them, and then means something else
  const isForm = /^https?:\/\/[^/\\]/i.test(text) && !/[\u0000-\u0020\u007f\\]/.test(text);
  if (text.length > MAX_URL_LENGTH || !isForm || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.hostname === '' || !canDecode(url.username) || !canDecode(url.password) ? null : url;
}

/** Whether the host of a URL can be rejected without a look-up. */
export function isBlocked(url: URL, hosts: readonly string[]): boolean {
  return !isNamedHost(url, hosts) && isPlainlyPrivate(url);
}

function canDecode(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** The hosts that webhooks may reach wherever they are: those of the configuration, or all if the settings allow that. */
export async function allowedHosts({
  db,
  imports,
}: {
  readonly db: Db;
  readonly imports: ImportSettings;
}): Promise<readonly string[]> {
  const { allowLocalRequestsFromWebHooksAndServices } = await currentSettings(db);
  return allowLocalRequestsFromWebHooksAndServices ? [ANY_HOST] : imports.webhookHosts;
}

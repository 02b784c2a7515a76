import { lookup as askSystem, Resolver } from 'node:dns/promises';
import type { Lookup } from '#src/platform/outbound/address.ts';

/** What connections may do that users have made: imports, and webhooks. */
export interface ImportSettings {
  /** Host names, or `host:port`, that may be imported from wherever they are. */
  hosts: readonly string[];
  /** The same for webhooks. */
  webhookHosts: readonly string[];
  /** How much one import may take from its source, in bytes. */
  maxBytes: number;
  /** How long one may take, in milliseconds: less than jobs may. */
  timeout: number;
  lookup: Lookup;
  /** Reads the TXT records of a name from the name servers; rejects where there are none. */
  resolveTxt: (name: string) => Promise<string[]>;
}

export const DEFAULT_IMPORTS: ImportSettings = {
  hosts: [],
  webhookHosts: [],
  maxBytes: 10 * 1024 ** 3,
  timeout: 50 * 60_000,
  lookup: (host, isNamed) => (isNamed ? askSystem(host, { all: true, verbatim: true }) : askServers(host)),
  resolveTxt: async (name) => (await new Resolver(ASKING).resolveTxt(name)).map((parts) => parts.join('')),
};

/** Milliseconds for each attempt to ask a name server, and how many there are. */
const ASKING = { timeout: 3_000, tries: 2 };

/**
 * Where a host is in the internet. The names that this machine knows by itself do not count; and unlike the system's own way it
 * blocks no thread, of which there are few, while a server takes its time.
 */
async function askServers(host: string): ReturnType<Lookup> {
  const resolver = new Resolver(ASKING);
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length === 0 && four.status === 'rejected') throw four.reason;
  return found;
}

/** Settings of imports, with what is not given by default. */
export function importSettings(given: { [Name in keyof ImportSettings]?: ImportSettings[Name] | undefined } = {}) {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_IMPORTS, ...Object.fromEntries(set) } as ImportSettings;
}

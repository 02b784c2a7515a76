import { lookup } from 'node:dns/promises';
import type { Lookup } from '#src/imports/address.ts';

/** What imports may do. */
export interface ImportSettings {
  /** Host names, or `host:port`, that may be imported from wherever they are. */
  hosts: readonly string[];
  /** How much one import may take from its source, in bytes. */
  maxBytes: number;
  /** How long one may take, in milliseconds: less than jobs may. */
  timeout: number;
  lookup: Lookup;
}

const DEFAULTS: ImportSettings = {
  hosts: [],
  maxBytes: 10 * 1024 ** 3,
  timeout: 50 * 60_000,
  lookup: (host) => lookup(host, { all: true, verbatim: true }),
};

/** Settings of imports, with what is not given by default. */
export function importSettings(given: { [Name in keyof ImportSettings]?: ImportSettings[Name] | undefined } = {}) {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(set) } as ImportSettings;
}

import type { LookupFunction } from 'node:net';
import { isPublicAddress, type Lookup } from '#src/platform/outbound/address.ts';

/** The errors with which a connection fails that is not made. */
export interface Refusals {
  /** Some address of the host is not public. */
  blocked(): Error;
  /** The host has no address. */
  unknown(): Error;
}

/**
 * Gives a connection the addresses of its host, after they were checked: it makes no other lookup, so later changes of the DNS
 * do not matter.
 *
 * @param isNamed whether the configuration names the host: then its addresses need not be public
 */
export function checkedLookup(lookup: Lookup, isNamed: boolean, { blocked, unknown }: Refusals): LookupFunction {
  return (host, { all }, callback) => {
    const find = async () => {
      const addresses = await lookup(host, isNamed);
      if (!isNamed && !addresses.every(({ address }) => isPublicAddress(address))) throw blocked();
      const [first] = addresses;
      if (first === undefined) throw unknown();
      return { addresses, first };
    };
    find().then(
      ({ addresses, first }) => (all ? callback(null, addresses) : callback(null, first.address, first.family)),
      (error) => callback(error, ''),
    );
  };
}

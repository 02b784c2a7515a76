import type { LookupAddress } from 'node:dns';
import { BlockList, isIPv4 } from 'node:net';

/** Networks of IPv4 that are not public: one's own, that of the provider, of tests, of groups, and reserved ones. */
const CLOSED: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];
/** Of IPv6 only these are public, */
const OPEN: readonly [string, number][] = [['2000::', 3]];
/** without those for protocols and documents, and those that stand for an address of IPv4. */
const EXCEPT: readonly [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const closed = networks(CLOSED, 'ipv4');
const open = networks(OPEN, 'ipv6');
const except = networks(EXCEPT, 'ipv6');

/** Whether an IP address is one of the internet, and not of this machine or its networks. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !closed.check(address, 'ipv4');
  return !address.includes('%') && open.check(address, 'ipv6') && !except.check(address, 'ipv6');
}

/** Asks where a host is; `isNamed` if the configuration names it. */
export type Lookup = (host: string, isNamed: boolean) => Promise<LookupAddress[]>;

/** Whether a host has addresses of which all are public. Throws what the look-up throws. */
export async function isPublicHost(host: string, lookup: Lookup): Promise<boolean> {
  const addresses = await lookup(host, false);
  return addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address));
}

function networks(list: readonly [string, number][], family: 'ipv4' | 'ipv6'): BlockList {
  const found = new BlockList();
  for (const [network, bits] of list) found.addSubnet(network, bits, family);
  return found;
}

import { isIPv4, isIPv6 } from 'node:net';

/** What a client can be told apart by: its IPv4 address, or the network of its IPv6 address. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped && isIPv4(mapped)) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::');
  const first = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - first.length - (tail === '' ? 0 : tail.split(':').length);
  const groups = [...first, ...Array.from({ length: missing }, () => '0'), ...(tail ? tail.split(':') : [])];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

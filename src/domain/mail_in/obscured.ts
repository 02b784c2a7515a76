/** An address of which enough is left to tell it from others: `ad*****@e*****.org`. */
export function obscured(address: string): string {
  const [name = '', domain = ''] = address.split('@');
  const ending = /\.[^.]*$/.exec(domain)?.[0] ?? '';
  return `${name.slice(0, 2)}*****@${domain.slice(0, 1)}*****${ending}`;
}

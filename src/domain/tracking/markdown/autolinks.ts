/** An address in a text that is a link without marks, in the form in which `markdown-it` takes it. */
export interface Autolink {
  schema: string;
  index: number;
  lastIndex: number;
  raw: string;
  text: string;
  url: string;
}

/** Characters of a host, and of what stands before the `@` of an e-mail address. */
const MAX_PART_LENGTH = 255;

const WEB = String.raw`(?:https?|ftp):\/\/`;
/** Where an address may begin, and the `@` of those that begin before it. */
const BEGINNING = new RegExp(
  String.raw`(?<![\p{L}\p{N}+.-])${WEB}|(?<=^|[\s*_~(])www\.|(?<![\p{L}\p{N}+.-])(?:mailto|xmpp):|@`,
  'giu',
);
const WEB_AT_START = new RegExp(`^${WEB}`, 'i');

const HOST = /[\p{L}\p{N}\p{M}\p{So}_-]+(?:\.[\p{L}\p{N}\p{M}\p{So}_-]+)*/uy;
const MAILBOX = /[\w.+-]+@/y;
const MAIL_HOST = /[\w-]+(?:\.[\w-]+)+/y;
const ADDRESS = /[^\s<"]*/y;
const RESOURCE = /\/[\w@.]+/y;

/**
 * The addresses that GFM makes links by themselves: those of `http:`, `https:` and `ftp:`, those that begin with `www.`, and
 * e-mail addresses, also behind `mailto:` or `xmpp:`. Takes time by the length of the text.
 */
export function autolinksIn(text: string): Autolink[] {
  const found: Autolink[] = [];
  let last = 0;
  for (const { 0: begun, index } of text.matchAll(BEGINNING)) {
    if (index < last) continue;
    const link = begun === '@' ? mailAround(text, index, last) : addressFrom(text, index, begun);
    if (link === null) continue;
    found.push(link);
    last = link.lastIndex;
  }
  return found;
}

/** The address of the web that a text begins with; null if there is none. */
export function autolinkAtStart(text: string): Autolink | null {
  const [begun] = WEB_AT_START.exec(text) ?? [];
  return begun === undefined ? null : addressFrom(text, 0, begun);
}

function addressFrom(text: string, index: number, begun: string): Autolink | null {
  const schema = begun.toLowerCase();
  const start = index + begun.length;
  if (schema === 'mailto:' || schema === 'xmpp:') {
    const at = start + (matchAt(MAILBOX, text, start)?.length ?? 0);
    const end = at === start ? null : mailEnd(text, at);
    if (end === null) return null;
    const resource = schema === 'xmpp:' ? (matchAt(RESOURCE, text, end) ?? '').replace(/\.$/, '') : '';
    return linkOf(text, index, end + resource.length, schema);
  }
  // Little more is read than a host can have: within a longer one, each `www.` would begin another.
  const host = matchAt(HOST, text.slice(start, start + MAX_PART_LENGTH + 2), 0);
  if (host !== null && host.length > MAX_PART_LENGTH) return null;
  // No underscores in the last two parts of a name, as there are none in those that can be had.
  if (host === null || host.split('.').slice(-2).join('').includes('_')) return null;
  const length = lengthOf(matchAt(ADDRESS, text, index) ?? '');
  if (length <= begun.length) return null;
  return schema === 'www.'
    ? { ...linkOf(text, index, index + length, ''), url: `http://${text.slice(index, index + length)}` }
    : linkOf(text, index, index + length, schema.replace('//', ''));
}

function mailAround(text: string, at: number, last: number): Autolink | null {
  let index = at;
  while (index > last && at - index < MAX_PART_LENGTH && /[\w.+-]/.test(text.charAt(index - 1))) index -= 1;
  const end = index === at ? null : mailEnd(text, at + 1);
  return end === null ? null : { ...linkOf(text, index, end, 'mailto:'), url: `mailto:${text.slice(index, end)}` };
}

/** Where the host of an e-mail address ends that begins there; null if it is none. `react@18.2.0` is none. */
function mailEnd(text: string, start: number): number | null {
  const host = matchAt(MAIL_HOST, text, start);
  return host !== null && host.length <= MAX_PART_LENGTH && /[A-Za-z]$/.test(host) ? start + host.length : null;
}

function linkOf(text: string, index: number, lastIndex: number, schema: string): Autolink {
  const raw = text.slice(index, lastIndex);
  return { schema, index, lastIndex, raw, text: raw, url: raw };
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

/** How many of the characters are of the address: not those that end the sentence or the brackets around it. */
function lengthOf(characters: string): number {
  let end = 0;
  let [round, square] = [0, 0];
  for (; end < characters.length; end++) {
    const character = characters[end];
    if (character === '[') square += 1;
    if (character === ']' && --square < 0) break;
    if (character === '(') round += 1;
    if (character === ')') round -= 1;
  }
  for (; end > 0; end--) {
    const character = characters.charAt(end - 1);
    if (character === ')' && round < 0) round += 1;
    else if (character === ';') end -= entityBefore(characters, end);
    else if (!/[?!.,:*_~']/.test(character)) break;
  }
  return end;
}

/** How many characters are, with the semicolon at the end, what looks like the name of a character; without that semicolon. */
function entityBefore(characters: string, end: number): number {
  const [entity = ';'] = /&[A-Za-z0-9]{1,31};$/.exec(characters.slice(Math.max(0, end - 33), end)) ?? [];
  return entity.length - 1;
}

import { holds } from './target.ts';

/** A tag as a sanitiser writes it: values in double quotes, in which there are neither quotes nor angle brackets. */
const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [a-z][a-z-]*(?:="[^"<>]*")?)*)(?: \/)?>/y;
const ATTRIBUTE = / ([a-z][a-z-]*)(?:="([^"]*)")?/g;

/** What may stand in a text: written anew, rather than taken from the sanitiser. */
const TAGS = new Set(
  'p ul ol blockquote table h1 h2 h3 h4 h5 h6 pre div hr br li dl dt dd section details summary figure figcaption thead tbody tfoot tr th td caption a img input span code em strong b i s del ins strike u sub sup small mark kbd samp var q cite abbr dfn tt ruby rt rp bdo bdi time wbr'.split(
    ' ',
  ),
);
const ATTRIBUTES = new Set(
  'id dir title href rel data-reference-type data-id src alt width height type disabled checked aria-label start reversed value align colspan rowspan open datetime class'.split(
    ' ',
  ),
);
/** Schemes of addresses that run or read nothing; and images within the text itself. */
const SCHEMES = /^(?:https?|ftp|mailto|tel|sms|xmpp|matrix|irc|ircs|ssh|git|vscode):/;
const IMAGE = /^data:image\/(?:png|jpeg|gif);base64,[A-Za-z0-9+/=]*$/;

/**
 * Throws Broken if HTML has anything that could run, or be read by a browser as something else than it says: reads it strictly, as
 * nothing but tags and text, each with a known name.
 */
export function requireHarmless(html: string): void {
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    TAG.lastIndex = at;
    const [whole, , name = '', attributes = ''] = TAG.exec(html) ?? [];
    holds(whole !== undefined, `There is no tag at ${JSON.stringify(html.slice(at, at + 80))}`);
    holds(TAGS.has(name), `There is a tag ${name}`);
    for (const [, attribute = '', value = ''] of attributes.matchAll(ATTRIBUTE)) {
      holds(ATTRIBUTES.has(attribute), `There is an attribute ${attribute} of ${name}`);
      if (attribute === 'href' || attribute === 'src') requireHarmlessAddress(name, attribute, value);
      if (attribute === 'id') holds(value.startsWith('user-content-'), `There is an ID of the page around: ${value}`);
      if (name === 'input' && attribute === 'type') holds(value === 'checkbox', `There is an input of type ${value}`);
    }
    at += whole.length;
  }
}

/** An address leads somewhere by a known scheme, or stays here. */
function requireHarmlessAddress(tag: string, attribute: string, value: string): void {
  if (tag === 'img' && attribute === 'src' && IMAGE.test(value)) return;
  // Browsers leave out white space and control characters at the ends, and tabs and line breaks within.
  const address = decoded(value)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: as browsers do
    .replace(/^[\0- ]+/, '')
    .replace(/[\t\n\r]/g, '')
    .toLowerCase();
  const [scheme] = /^[a-z][a-z0-9+.-]*:/.exec(address) ?? [];
  holds(scheme === undefined || SCHEMES.test(address), `${attribute} leads to ${address.slice(0, 80)}`);
  holds(!/^[/\\]{2}/.test(address), `${attribute} leads to another host: ${address.slice(0, 80)}`);
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  colon: ':',
  tab: '\t',
  newline: '\n',
  sol: '/',
  bsol: '\\',
};

function decoded(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));?/gi, (whole, hex, number, name) => {
    const code = hex === undefined ? Number(number) : Number.parseInt(hex, 16);
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
    return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  });
}

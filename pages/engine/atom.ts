import { escaped } from '#pages/engine/helpers.ts';

/** One thing in a feed. */
export interface Entry {
  /** What it is, the same forever: `issue/1`. */
  key: string;
  title: string;
  /** Path of its page below the root; null where it has none. */
  path: string | null;
  /** When it happened or last changed: ISO 8601. */
  updated: string;
  author: string;
  text: string;
  /** Whether the text is HTML, sanitised. */
  isHtml: boolean;
}

/** A list of what is new, as feed readers show it. */
export interface Feed {
  title: string;
  /** Path of the page that shows the same, below the root. */
  path: string;
  entries: readonly Entry[];
}

/** Characters that no document of XML 1.0 may hold, and halves of others. */
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Text of a document of XML: escaped, without the characters that it cannot hold. */
export function xml(text: unknown): string {
  return escaped(String(text ?? '').replace(FORBIDDEN, ''));
}

/** The first day on which feeds had these IDs, which a tag URI (RFC 4151) has to name. */
const SINCE = '2026-11-26';

/** A feed as Atom 1.0 (RFC 4287). `self` is its URL, without what belongs to its reader. */
export function atom({ title, path, entries }: Feed, self: URL): string {
  const tag = (specific: string) => `tag:${self.hostname},${SINCE}:${specific}`;
  const link = (rel: string, type: string, href: string) =>
    `<link rel="${rel}" type="${type}" href="${xml(new URL(href, self.origin).href)}"/>`;
  // The order of lists is not always that of changes.
  const updated = entries.map((entry) => entry.updated).reduce(later, new Date(0).toISOString());
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:base="${xml(self.origin)}/">
  <id>${xml(tag(self.pathname))}</id>
  <title>${xml(title)}</title>
  <updated>${xml(updated)}</updated>
  ${link('self', 'application/atom+xml', self.pathname + self.search)}
  ${link('alternate', 'text/html', path)}
${entries
  .map(
    (entry) => `  <entry>
    <id>${xml(tag(entry.key))}</id>
    <title>${xml(entry.title)}</title>
    <updated>${xml(entry.updated)}</updated>
    <author><name>${xml(entry.author)}</name></author>
    ${link('alternate', 'text/html', entry.path ?? path)}
    <content type="${entry.isHtml ? 'html' : 'text'}">${xml(entry.text)}</content>
  </entry>
`,
  )
  .join('')}</feed>
`;
}

function later(one: string, other: string): string {
  return new Date(one) < new Date(other) ? other : one;
}

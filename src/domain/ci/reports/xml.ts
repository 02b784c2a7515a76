/** The text is no well-formed XML, or uses what is not supported; the message says what. */
export class BadXml extends Error {}

/** What is in an XML text, in its order. */
export type XmlEvent =
  | { kind: 'start'; name: string; attributes: ReadonlyMap<string, string> }
  | { kind: 'end'; name: string }
  | { kind: 'text'; text: string };

/** Elements within each other. */
const MAX_ELEMENT_DEPTH = 100;

const NAME = /[^\s<>/="'!?&;]+/y;
const ATTRIBUTE = /\s+([^\s<>/="'&;]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const TAG_END = /\s*(\/?)>/y;

/**
 * Reads XML without types of documents, and so without entities of their own: nothing in it refers to other files or grows when it is
 * read. Several documents may follow each other. Throws BadXml.
 */
export function* readXml(text: string): Generator<XmlEvent> {
  const open: string[] = [];
  for (let at = text.startsWith('\ufeff') ? 1 : 0; at < text.length; ) {
    const next = text.indexOf('<', at);
    if (next !== at) {
      const content = text.slice(at, next < 0 ? text.length : next);
      if (open.length > 0) yield { kind: 'text', text: decode(content) };
      else if (content.trim() !== '') throw new BadXml('There is text outside of the document');
      if (next < 0) break;
      at = next;
    }
    if (text.startsWith('<!--', at)) at = after(text, '-->', at + 4);
    else if (text.startsWith('<?', at)) at = after(text, '?>', at + 2);
    else if (text.startsWith('<![CDATA[', at)) {
      const end = after(text, ']]>', at + 9);
      if (open.length === 0) throw new BadXml('There is text outside of the document');
      yield { kind: 'text', text: text.slice(at + 9, end - 3) };
      at = end;
    } else if (text.startsWith('<!', at)) throw new BadXml('Document types are not supported');
    else if (text.startsWith('</', at)) {
      const name = nameAt(text, at + 2);
      at = after(text, '>', at + 2 + name.length);
      if (open.pop() !== name) throw new BadXml(`The end tag of ${name} does not match`);
      yield { kind: 'end', name };
    } else at = yield* startTag(text, at + 1, open);
  }
  if (open.length > 0) throw new BadXml(`${open.at(-1)} is not closed`);
}

/** Reads a start tag from its name on; returns where it ends. */
function* startTag(text: string, start: number, open: string[]): Generator<XmlEvent, number> {
  const name = nameAt(text, start);
  const attributes = new Map<string, string>();
  let at = start + name.length;
  for (;;) {
    ATTRIBUTE.lastIndex = at;
    const found = ATTRIBUTE.exec(text);
    if (!found) break;
    attributes.set(found[1] ?? '', decode(found[2] ?? found[3] ?? ''));
    at = ATTRIBUTE.lastIndex;
  }
  TAG_END.lastIndex = at;
  const end = TAG_END.exec(text);
  if (!end) throw new BadXml(`The tag ${name} is malformed`);
  yield { kind: 'start', name, attributes };
  if (end[1] === '/') yield { kind: 'end', name };
  else if (open.push(name) > MAX_ELEMENT_DEPTH)
    throw new BadXml(`Elements are nested more than ${MAX_ELEMENT_DEPTH} levels deep`);
  return TAG_END.lastIndex;
}

function nameAt(text: string, at: number): string {
  NAME.lastIndex = at;
  const name = NAME.exec(text)?.[0];
  if (name === undefined) throw new BadXml('A tag has no name');
  return name;
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  if (at < 0) throw new BadXml(`${mark} is missing`);
  return at + mark.length;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w{1,20}));?|&/g, (_all, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : null;
    if (code !== null && code <= 0x10ffff) return String.fromCodePoint(code);
    const known = Object.hasOwn(ENTITIES, name ?? '') ? ENTITIES[name] : undefined;
    if (known === undefined) throw new BadXml('There is an unknown entity');
    return known;
  });
}

import sanitizeHtml from 'sanitize-html';

/** Characters of HTML that are read. */
const MAX_HTML_LENGTH = 4 * 1024 * 1024;

const HEADINGS = new Map([1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, `${'#'.repeat(level)} `]));
const BLOCKS = new Set(['p', 'div', 'ul', 'ol', 'pre', 'table', 'tr', ...HEADINGS.keys()]);
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/**
 * The text of HTML, in Markdown as far as mail needs it: paragraphs, lists, links, and quotations, by which answers are told from what
 * they quote.
 */
export function textOfHtml(html: string): string {
  const clean = sanitizeHtml(html.slice(0, MAX_HTML_LENGTH), {
    allowedTags: [...BLOCKS, 'br', 'hr', 'li', 'blockquote', 'a'],
    allowedAttributes: { a: ['href'] },
    allowedClasses: {},
    allowedSchemes: ['http', 'https', 'mailto'],
    allowedSchemesByTag: {},
    transformTags: {},
    allowProtocolRelative: false,
    nestingLimit: 100,
    nonTextTags: ['script', 'style', 'textarea', 'title', 'head', 'xmp'],
  });
  const text = new TextOfTags();
  for (const [, closes, tag = '', attributes = '', words = ''] of clean.matchAll(/<(\/?)(\w+)([^>]*)>|([^<]+)/g)) {
    if (words !== '') text.say(words);
    else if (closes === '/') text.close(tag);
    else text.open(tag, attributes);
  }
  return text.toString();
}

/** What has been read so far: whole lines, and the one that is written. */
class TextOfTags {
  readonly #lines: string[] = [];
  #line = '';
  #quotes = 0;
  #preformatted = 0;
  /** The links that are open, with where their texts begin. */
  readonly #links: { href: string; at: number }[] = [];

  say(written: string): void {
    const words = written
      .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ENTITIES[name] ?? '')
      .replaceAll('\u00a0', ' ');
    if (this.#preformatted > 0) {
      const [first = '', ...more] = words.split(/\r\n|\r|\n/);
      this.#line += first;
      for (const line of more) {
        this.#end();
        this.#line = line;
      }
      return;
    }
    const joined = words.replace(/\s+/g, ' ');
    this.#line += this.#line === '' || this.#line.endsWith(' ') ? joined.replace(/^ /, '') : joined;
  }

  open(tag: string, attributes: string): void {
    if (tag === 'a') {
      const href = /href="([^"]*)"/.exec(attributes)?.[1] ?? '';
      this.#links.push({ href: href.replaceAll('&amp;', '&'), at: this.#line.length });
      return;
    }
    this.#break();
    if (tag === 'br') {
      if (this.#line === '' && !this.#broken) this.#end();
      this.#broken = false;
    } else if (tag === 'hr') this.#paragraph('---');
    else if (tag === 'blockquote') this.#quotes += 1;
    else if (tag === 'pre') this.#preformatted += 1;
    else if (tag === 'li') this.#line = '- ';
    else if (tag === 'p' || tag === 'ul' || tag === 'ol') this.#gap();
    this.#line += HEADINGS.get(tag) ?? '';
  }

  close(tag: string): void {
    if (tag === 'a') {
      this.#closeLink();
      return;
    }
    this.#break();
    if (tag === 'blockquote') this.#quotes = Math.max(0, this.#quotes - 1);
    if (tag === 'pre') this.#preformatted = Math.max(0, this.#preformatted - 1);
    if (BLOCKS.has(tag) && tag !== 'div' && tag !== 'tr') this.#gap();
    this.#broken = false;
  }

  toString(): string {
    this.#break();
    return this.#lines.join('\n').trim();
  }

  /** Whether the line that was written has just ended, which a line break then means. */
  #broken = false;

  #break(): void {
    this.#broken = this.#line.trim() !== '';
    if (this.#broken) this.#end();
    else this.#line = '';
  }

  #end(): void {
    this.#lines.push(`${'> '.repeat(this.#quotes)}${this.#line.trimEnd()}`);
    this.#line = '';
    this.#links.length = 0;
  }

  #gap(): void {
    if (this.#lines.length > 0 && !/^[> ]*$/.test(this.#lines.at(-1) ?? '')) this.#end();
  }

  #paragraph(text: string): void {
    this.#gap();
    this.#line = text;
    this.#end();
    this.#gap();
  }

  /** A link whose text says where it leads is left as the text. */
  #closeLink(): void {
    const link = this.#links.pop();
    if (!link) return;
    const words = this.#line.slice(link.at);
    const plain = link.href.replace(/^mailto:/, '');
    if (link.href === '' || words.trim() === '' || words.trim() === plain || /[[\]()<>\s]/.test(plain)) return;
    this.#line = `${this.#line.slice(0, link.at)}[${words.replace(/[[\]]/g, '')}](${link.href})`;
  }
}

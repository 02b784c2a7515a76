import { readFileSync } from 'node:fs';
import { IntlMessageFormat } from 'intl-messageformat';
import { packagePath } from '#src/platform/package_root.ts';

/** The languages of pages and mails (BCP 47). The first is that of the sources, and of users who chose none. */
export const LANGUAGES = ['en', 'de'] as const;

export type Language = (typeof LANGUAGES)[number];

/** HTML that stands in a text as it is. Made by `markup`. */
export class Markup {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

/** Marks HTML as such for `rich`. */
export function markup(html: string): Markup {
  return new Markup(html);
}

/** Marks a text that `t` gets from a table, so that the catalogue has it. */
export function label<Text extends string>(text: Text): Text {
  return text;
}

/** What a text has in its places. */
export type TextValues = Readonly<Record<string, string | number | Date | null | undefined>>;

/** What a text with markup has in its places; functions make the element of a tag from what it holds. */
export type RichValues = Readonly<Record<string, TextValues[string] | Markup | ((held: string) => string)>>;

/** A language that is spoken here; null for others. */
export function knownLanguage(name: unknown): Language | null {
  return LANGUAGES.find((language) => language === name) ?? null;
}

/** The texts of one language. */
export interface Texts {
  readonly language: Language;
  /**
   * A text in this language, by its English source: an ICU message, with a context before `|` where one English word has several
   * meanings (`state|Open`). In English where the catalogue lacks it.
   */
  t(source: string, values?: TextValues): string;
  /** The same as HTML: values are escaped unless they are `markup`, and tags of the message are made by functions of their names. */
  rich(source: string, values?: RichValues): string;
}

const known = new Map<Language, Texts>();

/** The texts of a language, whose catalogue is read when it is first asked for. */
export function textsIn(language: Language): Texts {
  const found = known.get(language) ?? readTexts(language);
  known.set(language, found);
  return found;
}

/** Escapes text for HTML. */
export function escaped(text: unknown): string {
  return String(text ?? '').replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function readTexts(language: Language): Texts {
  const catalogue = language === 'en' ? {} : readCatalogue(language);
  const messages = new Map<string, IntlMessageFormat | string>();
  const messageOf = (source: string) => {
    const message = messages.get(source) ?? compile(catalogue[source] || withoutContext(source), language);
    messages.set(source, message);
    return message;
  };
  return {
    language,
    t(source, values) {
      const message = messageOf(source);
      return typeof message === 'string' ? message : String(message.format({ ...values }));
    },
    rich(source, values = {}) {
      const message = messageOf(source);
      if (typeof message === 'string') return message;
      return String(
        message.format(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, inHtml(value)]))),
      );
    },
  };
}

/** The texts of a language by their English sources. */
export function readCatalogue(language: Exclude<Language, 'en'>): Record<string, string> {
  return JSON.parse(readFileSync(packagePath(`pages/texts/${language}.json`), 'utf8')) as Record<string, string>;
}

/** An English source as it is read. */
export function withoutContext(source: string): string {
  return source.replace(/^[a-z_ ]+\|/, '');
}

/** Texts without places or tags need no formatting. */
function compile(message: string, language: Language): IntlMessageFormat | string {
  return /[{}<']/.test(message) ? new IntlMessageFormat(message, language) : message;
}

function inHtml(value: RichValues[string]) {
  if (value instanceof Markup) return value.html;
  if (typeof value === 'string') return escaped(value);
  return typeof value === 'function' ? (held: string[]) => value(held.join('')) : value;
}

import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { addressOf } from '#pages/engine/manual.ts';
import { ICONS_PATH } from '#pages/engine/shared_assets.ts';
import { words } from '#pages/engine/words.ts';
import { COLORS } from '#src/generated/languages.ts';
import { escaped, type Texts } from '#src/platform/texts/texts.ts';

export { lineSpan } from '#pages/engine/line_span.ts';
export { qrCode } from '#pages/engine/qr_code.ts';

/**
 * Functions of the templates, as `h`. Those that return markup are written with `<%~`. `spoken` adds those that speak the reader's
 * language.
 */

export { escaped, words };

/** Path of the icons, for what scripts show. */
export const icons = ICONS_PATH;

/** An icon of `assets/icons.svg`, for decoration: what it means is said in words beside it, or in `label`. */
export function icon(name: string, label?: string): string {
  const said = label === undefined ? 'aria-hidden="true"' : `role="img" aria-label="${escaped(label)}"`;
  return `<svg class="icon" width="16" height="16" ${said}><use href="${ICONS_PATH}#${escaped(name)}"/></svg>`;
}

/** A dot in a colour, as `#rrggbb`, of a label or a language. Without one it has that of what is quiet. */
export function swatch(color?: string): string {
  const fill = color === undefined ? '' : ` fill="${escaped(color)}"`;
  return `<svg class="swatch" viewBox="0 0 8 8" width="8" height="8" aria-hidden="true"><circle cx="4" cy="4" r="4"${fill}/></svg>`;
}

/** The colour that a programming language is known by; undefined without one. */
export function languageColor(name: string): string | undefined {
  return COLORS.get(name);
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 24 * 3600],
  ['month', 30 * 24 * 3600],
  ['week', 7 * 24 * 3600],
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
];

/** To make one takes forty times as long as to use it: those of a language are kept. */
function makeFormats(language: string) {
  return {
    relative: new Intl.RelativeTimeFormat(language, { numeric: 'auto' }),
    oneDigit: new Intl.NumberFormat(language, { maximumFractionDigits: 1 }),
    whole: new Intl.NumberFormat(language),
    // British English tells the day before the month, as German does.
    dates: language === 'en' ? 'en-GB' : language,
  };
}

const formats = new Map<string, ReturnType<typeof makeFormats>>();

function formatsOf(language: string) {
  const known = formats.get(language) ?? makeFormats(language);
  formats.set(language, known);
  return known;
}

/** By language, style and zone. Few servers have readers in more zones than that at a time. */
const momentFormats = new LRUCache<string, Intl.DateTimeFormat>({ max: 200 });

/** How moments are written in a language and zone; null where there is no such zone. */
function momentFormat(language: string, dateStyle: 'medium' | 'short', zone: string): Intl.DateTimeFormat | null {
  const key = `${language} ${dateStyle} ${zone}`;
  const known = momentFormats.get(key);
  if (known) return known;
  try {
    const made = new Intl.DateTimeFormat(language, { timeZone: zone, dateStyle, timeStyle: 'short' });
    momentFormats.set(key, made);
    return made;
  } catch {
    return null;
  }
}

/** The functions that speak a language, to readers in a time zone. */
export function spoken({ language, t }: Texts, timezone = 'UTC') {
  const ownZone = isZone(timezone) ? timezone : 'UTC';
  const { relative, oneDigit, whole, dates } = formatsOf(language);
  return {
    /** A moment in words relative to now, with the exact one on hover. */
    time(iso: string, now = Date.now()): string {
      const moment = new Date(iso);
      if (Number.isNaN(moment.getTime())) return escaped(iso);
      const seconds = Math.round((moment.getTime() - now) / 1000);
      const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['minute', 60];
      const words = Math.abs(seconds) < 60 ? t('just now') : relative.format(Math.trunc(seconds / length), unit);
      return `<time datetime="${moment.toISOString()}" title="${escaped(inZone(moment, ownZone))}">${words}</time>`;
    },

    /** The name of a user, which leads to the page of the user. Placeholders have no page, but a mark. */
    person({ name, username, placeholderSource }: Person): string {
      if (placeholderSource == null) return `<a href="/${escaped(username)}">${escaped(name)}</a>`;
      const why =
        placeholderSource === ''
          ? t('Imported from an archive; nobody has taken it over yet.')
          : t('Imported from {host}; nobody has taken it over yet.', { host: placeholderSource });
      return `<span>${escaped(name)} <span class="badge" title="${escaped(why)}">${escaped(t('Placeholder'))}</span></span>`;
    },

    /** A link to a document of the manual, from a page that it is about. */
    manual(document: string, anchor?: string): string {
      const words = escaped(t('About this in the manual'));
      return `<p class="manual-link"><a href="${escaped(addressOf(document, anchor))}">${icon('book')} ${words}</a></p>`;
    },

    /** Choices with their texts in the reader's language. */
    choices(options: readonly (readonly [value: string, text: string])[]): [string, string][] {
      return options.map(([value, text]) => [value, t(text)]);
    },

    /** A whole number. */
    number(number: number): string {
      return whole.format(number);
    },

    /** A number as the graph has those that it may not count to the end: with `+` behind it where there are more. */
    counted(text: string): string {
      return text.replace(/^\d+/, (digits) => whole.format(Number(digits)));
    },

    /** Bytes as people read them. */
    size(bytes: number): string {
      if (bytes < 1024) return t('{bytes, plural, one {# byte} other {# bytes}}', { bytes });
      const [unit, divisor] =
        bytes < 1024 ** 2 ? ['KB', 1024] : bytes < 1024 ** 3 ? ['MB', 1024 ** 2] : ['GB', 1024 ** 3];
      return `${oneDigit.format(bytes / Number(divisor))} ${unit}`;
    },

    /**
     * A moment to the minute in a time zone, whose name is told: the reader's own when absent, UTC where it is unknown. On hover, it is
     * in the zone that the reader chose; a script adds the time of the browser.
     */
    moment(iso: string, zone = ownZone): string {
      const date = new Date(iso);
      const known = isZone(zone) ? zone : 'UTC';
      const words = momentFormat(dates, 'medium', known)?.format(date);
      const inBrowser = t('{time} in your time zone', { time: '{time}' });
      const own = known === ownZone ? '' : ` title="${escaped(inZone(date, ownZone))}"`;
      return `<time datetime="${date.toISOString()}"${own} data-local="${escaped(inBrowser)}">${escaped(`${words} (${known})`)}</time>`;
    },
  };
}

/** The path of a place or file below the root, each part escaped for URLs. */
export function path(...parts: readonly (string | number)[]): string {
  return `/${parts
    .flatMap((part) => String(part).split('/'))
    .map(encodeURIComponent)
    .join('/')}`;
}

/** The present address with other parameters; those that are null are left out. */
export function here(url: URL, changes: Readonly<Record<string, string | number | null>>): string {
  const changed = new URLSearchParams(url.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) changed.delete(name);
    else changed.set(name, String(value));
  }
  const query = changed.toString();
  return url.pathname + (query === '' ? '' : `?${query}`);
}

/** The query of an address; what is empty is left out. */
export function query(parameters: readonly (readonly [name: string, value: string | undefined])[]): string {
  return new URLSearchParams(parameters.flatMap(([name, value]) => (value ? [[name, value]] : []))).toString();
}

/** Lines of a file that its page certainly has, unless they are very long. */
const FIRST_LINES = 200;

/** Lines that are shown above one that is linked to. */
const ABOVE = 20;

/** The address of a line on the page of a file, in the part of the file that has it. */
export function atLine(file: string, line: number): string {
  return `${file}?plain=1${line > FIRST_LINES ? `&from=${line - ABOVE}` : ''}#L${line}`;
}

/** The first characters of a commit's hash. */
export function short(sha: string): string {
  return sha.slice(0, 8);
}

interface Pictured {
  name: string;
  username?: string;
  avatarUrl: string | null;
}

/** A user's picture on this server, or the first letter of the name. */
export function avatar({ name, avatarUrl }: Pictured, pixels = 20): string {
  const own = avatarUrl !== null && /^https?:\/\/[^/]+\/uploads\//.test(avatarUrl) ? new URL(avatarUrl) : null;
  if (own)
    return `<img class="avatar" src="${escaped(own.pathname + own.search)}" alt="" width="${pixels}" height="${pixels}">`;
  const letter = [...name.trim()][0]?.toUpperCase() ?? '?';
  // The same person has one colour everywhere.
  const hue = [...name].reduce((sum, one) => sum + (one.codePointAt(0) ?? 0), 0) % 4;
  return `<span class="avatar" data-size="${pixels}" data-hue="${hue}" aria-hidden="true">${escaped(letter)}</span>`;
}

/** The SHA-256 of a text, in hexadecimal digits. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The box of a task in a rendered text. */
const TASK = /<input type="checkbox" class="task-list-item-checkbox"[^>]*>/g;

/** A rendered text whose boxes of tasks are buttons of the forms `tick-ID` and `untick-ID`, with how many there are. */
export function withTaskButtons(html: string, id: string): { html: string; count: number } {
  let count = 0;
  const made = html.replace(TASK, (box) => {
    count += 1;
    const [, name = ''] = / aria-label="([^"]*)"/.exec(box) ?? [];
    const isDone = / checked(?:[\s=/>])/.test(box);
    const form = `form="${isDone ? 'untick' : 'tick'}-${escaped(id)}" name="task" value="${count}"`;
    return `<button class="task" type="submit" role="checkbox" aria-checked="${isDone}" aria-label="${name}" ${form}></button>`;
  });
  return { html: made, count };
}

/** A user as pages name one. */
interface Person {
  name: string;
  username: string;
  /** Host of the user for whom a placeholder stands, empty where that is not known; null or absent for others. */
  placeholderSource?: string | null | undefined;
}

/**
 * The first thing that is wrong with a form which none of the named fields says itself: of the form as a whole, or of a field that is not
 * seen. A message continues the name of its field, unless it is a sentence.
 */
export function besides(problems: Readonly<Record<string, string>>, ...fields: readonly string[]): string | undefined {
  const [name, problem] = Object.entries(problems).find(([one]) => !fields.includes(one)) ?? [];
  if (!name || problem === undefined || /^\p{Lu}/u.test(problem)) return problem;
  return `${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${problem}`;
}

/** What makes a link of what a tag holds in a text of `rich`. */
export function link(href: string): (held: string) => string {
  return (held) => `<a href="${escaped(href)}">${held}</a>`;
}

/** What keeps what a tag holds in a text of `rich` for those who hear the page. */
export function unseen(held: string): string {
  return `<span class="unseen">${held}</span>`;
}

/** What makes what a tag holds in a text of `rich` strong. */
export function strong(held: string): string {
  return `<strong>${held}</strong>`;
}

/** What shows what a tag holds in a text of `rich` as code. */
export function code(held: string): string {
  return `<code>${held}</code>`;
}

/** The path of a URL of this server, as links on its pages have it. */
export function local(url: string): string {
  const { pathname, search, hash } = new URL(url);
  return pathname + search + hash;
}

/** Seconds as people read them: `45 s`, `3 min 5 s`, `1 h 2 min`. */
export function seconds(length: number): string {
  const whole = Math.round(length);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `2026-08-01 14:30 Europe/Berlin`. */
function inZone(moment: Date, zone: string): string {
  return `${momentFormat('sv', 'short', zone)?.format(moment)} ${zone}`;
}

function isZone(zone: string): boolean {
  return momentFormat('sv', 'short', zone) !== null;
}

/** The output of a program as plain text: without colors, moves of the cursor, marks of sections, and what was written over. */
export function plain(output: string): string {
  return output
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r') + 1).replace(SEQUENCES, ''))
    .join('\n');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const SEQUENCES = /\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b[@-Z\\-_]|[\x00-\x08\x0b-\x1f\x7f]/g;

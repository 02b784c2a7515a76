/** A day on which something is due. */
export interface DueDay {
  /** What it is, the same forever: `issue/1`. */
  key: string;
  title: string;
  /** Path of its page below the root. */
  path: string;
  /** `2026-12-01`. */
  day: string;
  /** When it last changed: ISO 8601. */
  updated: string;
}

/** Days, as programs with calendars show them. */
export interface Calendar {
  title: string;
  days: readonly DueDay[];
}

/** Bytes of the longest line. */
const MAX_LINE_BYTES = 75;

/** Days as iCalendar (RFC 5545). `self` is its URL. */
export function iCalendar({ title, days }: Calendar, self: URL): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Gantry//Due dates//EN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${escaped(title)}`,
    ...days.flatMap(({ key, title: summary, path, day, updated }) => [
      'BEGIN:VEVENT',
      `UID:${key}@${self.hostname}`,
      `DTSTAMP:${new Date(updated).toISOString().replace(/[-:]|\.\d+/g, '')}`,
      `DTSTART;VALUE=DATE:${day.replaceAll('-', '')}`,
      `SUMMARY:${escaped(summary)}`,
      `URL:${new URL(path, self.origin).href}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ];
  return `${lines.map(folded).join('\r\n')}\r\n`;
}

/** A text as the value of a property, without the characters that one cannot hold. */
function escaped(text: string): string {
  const plain = text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '');
  return plain.replace(/[\\;,]/g, '\\$&').replaceAll('\n', '\\n');
}

/** A line of which each part has at most 75 bytes: what follows begins with a space. */
function folded(line: string): string {
  const parts: string[] = [];
  let part = '';
  let bytes = 0;
  for (const char of line) {
    const length = Buffer.byteLength(char);
    if (bytes + length > MAX_LINE_BYTES) {
      parts.push(part);
      part = ' ';
      bytes = 1;
    }
    part += char;
    bytes += length;
  }
  return [...parts, part].join('\r\n');
}

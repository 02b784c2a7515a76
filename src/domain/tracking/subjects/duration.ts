/** Working time: a day has 8 hours, a week 5 days, a month 4 weeks (behaviour.md 7, Time stats). In seconds. */
const [MINUTE, HOUR] = [60, 3_600];
const DAY = 8 * HOUR;
const WEEK = 5 * DAY;
const MONTH = 4 * WEEK;

const UNITS: ReadonlyMap<string, number> = new Map(
  (
    [
      [MONTH, ['mo', 'mos', 'month', 'months']],
      [WEEK, ['w', 'wk', 'wks', 'week', 'weeks']],
      [DAY, ['d', 'day', 'days']],
      [HOUR, ['h', 'hr', 'hrs', 'hour', 'hours']],
      [MINUTE, ['m', 'min', 'mins', 'minute', 'minutes']],
      [1, ['s', 'sec', 'secs', 'second', 'seconds']],
    ] as const
  ).flatMap(([seconds, names]) => names.map((name) => [name, seconds] as const)),
);

/** Seconds of the longest duration, and of the total per record: they are 32-bit integers in the database and in GraphQL. */
export const MAX_DURATION_SECONDS = 2_147_483_647;

/** Characters of the longest text that is parsed. */
const MAX_TEXT_LENGTH = 255;

const PART = /^\s*(?:and\s+|,\s*)?(\d+(?:\.\d+)?)\s*([a-z]+)/;

/** Parses a duration (`3h30m`, `1w 2d`, `-1h`, plain seconds) into seconds; null if invalid. May exceed `MAX_DURATION_SECONDS`. */
export function parseDuration(text: string): number | null {
  if (text.length > MAX_TEXT_LENGTH) return null;
  const trimmed = text.trim().toLowerCase();
  const isNegative = trimmed.startsWith('-');
  const seconds = secondsOf(trimmed.replace(/^[-+]\s*/, ''));
  if (seconds === null) return null;
  return isNegative && seconds > 0 ? -seconds : seconds;
}

function secondsOf(text: string): number | null {
  if (/^\d+$/.test(text)) return Number(text);
  let [sum, rest] = [0, text];
  do {
    const [part, number, unit = ''] = PART.exec(rest) ?? [];
    const seconds = UNITS.get(unit);
    if (part === undefined || seconds === undefined) return null;
    sum += Number(number) * seconds;
    rest = rest.slice(part.length);
  } while (rest !== '');
  return Math.round(sum);
}

/** Formats seconds as `1w 2d 3h 30m`; null for 0. */
export function formatDuration(seconds: number): string | null {
  const parts: string[] = [];
  let rest = Math.abs(seconds);
  for (const [unit, name] of [
    [MONTH, 'mo'],
    [WEEK, 'w'],
    [DAY, 'd'],
    [HOUR, 'h'],
    [MINUTE, 'm'],
    [1, 's'],
  ] as const) {
    if (rest >= unit) parts.push(`${Math.floor(rest / unit)}${name}`);
    rest %= unit;
  }
  if (parts.length === 0) return null;
  return `${seconds < 0 ? '-' : ''}${parts.join(' ')}`;
}

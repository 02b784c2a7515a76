/** Characters of the longest date that is parsed, without superfluous white space. */
const MAX_DATE_LENGTH = 60;

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const NUMBERS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

/** Milliseconds of a day in UTC, which are all equally long. */
const DAY = 86_400_000;
/** The latest year of a due date. */
const LAST_YEAR = 9999;

/** A date format: takes the words in lower case, and returns the start of the day in UTC. Null if they do not match. */
type Form = (words: readonly string[], today: number) => number | null;

/**
 * Parses a day such as `tomorrow`, `in 2 days`, `this Friday`, `December 31st` or `2017-04-01`: returns `YYYY-MM-DD`, in UTC.
 * Without a year it is the next such day. Null for anything else. Takes time proportional to the length of the text.
 */
export function dueDate(text: string, now: Date): string | null {
  const words = wordsOf(text);
  if (words === null) return null;
  const today = Math.floor(now.getTime() / DAY) * DAY;
  for (const form of FORMS) {
    const day = form(words, today);
    if (day !== null) return formatDay(day);
  }
  return null;
}

/** The words of a date, without introductory ones. */
function wordsOf(text: string): string[] | null {
  const words = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  if (words.length === 0 || words.join(' ').length > MAX_DATE_LENGTH) return null;
  while (['by', 'on', 'due', 'until', 'before', 'the'].includes(words[0] ?? '')) words.shift();
  // A weekday before a date is redundant, and the time of day is dropped.
  if (words.length > 2 && weekdayOf(words[0]) !== null) words.shift();
  return withoutTime(words).filter((word) => word !== 'of');
}

function withoutTime(words: readonly string[]): string[] {
  const last = words.findIndex(
    (word, at) => at > 0 && (word === 'at' || /^\d{1,2}(?::\d{2}|am|pm|:\d{2}(?:am|pm))$/.test(word)),
  );
  return words.slice(0, last < 0 ? words.length : last);
}

const FORMS: readonly Form[] = [named, numeric, distance, dayOfWeek, nextUnit, dayOfMonth];

function named(words: readonly string[], today: number): number | null {
  switch (words.join(' ')) {
    case 'today':
    case 'tonight':
    case 'now':
      return today;
    case 'tomorrow':
      return today + DAY;
    case 'yesterday':
      return today - DAY;
    case 'day after tomorrow':
      return today + 2 * DAY;
    default:
      return null;
  }
}

/** `2017-04-01`, also followed by a time, `2017/4/1`, and, month first, `4/1/2017` and `4/1`. */
function numeric([word = '', ...more]: readonly string[], today: number): number | null {
  if (more.length > 0) return null;
  const [, year, month, day] =
    /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:t[\d:.]{1,15}(?:z|[-+]\d{2}:?\d{2})?)?$/.exec(word) ?? [];
  if (year !== undefined) return dayIn(Number(year), Number(month), Number(day));
  const [, first, second, third] = /^(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?$/.exec(word) ?? [];
  if (first === undefined) return null;
  return third === undefined
    ? comingDay(Number(first), Number(second), today)
    : dayIn(Number(third), Number(first), Number(second));
}

/** `in 2 days`, `2 days from now`, `a week later`, `3 days ago`. */
function distance(words: readonly string[], today: number): number | null {
  const isAhead = words[0] === 'in';
  const [count = '', unit = '', ...behind] = isAhead ? words.slice(1) : words;
  const direction = isAhead ? (behind.length === 0 ? 1 : null) : directionOf(behind.join(' '));
  const number = countOf(count);
  return direction === null || number === null ? null : move(today, direction * number, unit);
}

function directionOf(words: string): 1 | -1 | null {
  if (words === 'ago') return -1;
  return ['from now', 'from today', 'later'].includes(words) ? 1 : null;
}

function countOf(word: string): number | null {
  if (/^\d{1,4}$/.test(word)) return Number(word);
  if (word === 'a' || word === 'an') return 1;
  const number = NUMBERS.indexOf(word);
  return number < 0 ? null : number;
}

/** `Friday` and `this Friday`: the next one or today; `next Friday`: that of next week, which begins on Monday. */
function dayOfWeek(words: readonly string[], today: number): number | null {
  const [which, name, ...more] = words.length === 1 ? ['this', ...words] : words;
  const weekday = weekdayOf(name);
  if (weekday === null || more.length > 0) return null;
  const now = new Date(today).getUTCDay();
  const ahead = (weekday - now + 7) % 7;
  if (which === 'this' || which === 'coming') return today + ahead * DAY;
  if (which === 'last') return today + (ahead - 7) * DAY;
  if (which !== 'next') return null;
  return today + (7 - ((now + 6) % 7) + ((weekday + 6) % 7)) * DAY;
}

/** `next week`, `next month`, `next year`. */
function nextUnit([which, unit = '', ...more]: readonly string[], today: number): number | null {
  return which === 'next' && more.length === 0 ? move(today, 1, unit) : null;
}

/** `December 31st`, `31 Dec 2026`, `December 2026`. */
function dayOfMonth(words: readonly string[], today: number): number | null {
  const isMonthFirst = monthOf(words[0]) !== null;
  const month = monthOf(isMonthFirst ? words[0] : words[1]);
  const rest = isMonthFirst ? words.slice(1) : [words[0] ?? '', ...words.slice(2)];
  if (month === null || rest.length > 2) return null;
  const [day, year = null] = yearOf(rest[0]) === null ? rest : ['1', ...rest];
  const number = dayNumber(day ?? '1');
  if (number === null) return null;
  if (year === null) return comingDay(month, number, today);
  const wanted = yearOf(year);
  return wanted === null ? null : dayIn(wanted, month, number);
}

function weekdayOf(word = ''): number | null {
  return nameAt(WEEKDAYS, word);
}

/** 1 to 12. */
function monthOf(word = ''): number | null {
  const found = nameAt(MONTHS, word);
  return found === null ? null : found + 1;
}

/** Index of a name, of which three letters suffice. */
function nameAt(names: readonly string[], word: string): number | null {
  const short = word.endsWith('.') ? word.slice(0, -1) : word;
  const found = short.length < 3 ? -1 : names.findIndex((name) => name.startsWith(short));
  return found < 0 ? null : found;
}

function dayNumber(word: string): number | null {
  const [, digits] = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word) ?? [];
  return digits === undefined ? null : Number(digits);
}

function yearOf(word = ''): number | null {
  return /^\d{4}$/.test(word) ? Number(word) : null;
}

/** The start of a day; null if it does not exist. */
function dayIn(year: number, month: number, day: number): number | null {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isThere = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isThere ? date.getTime() : null;
}

/** The next such day, this year or later: February 29 may be years away. */
function comingDay(month: number, day: number, today: number): number | null {
  const year = new Date(today).getUTCFullYear();
  for (let ahead = 0; ahead <= 8; ahead++) {
    const found = dayIn(year + ahead, month, day);
    if (found !== null && found >= today) return found;
  }
  return null;
}

/** Adds units. Days beyond the end of a month are clamped: a month after January 31 is the last of February. */
function move(today: number, count: number, unit: string): number | null {
  const name = unit.endsWith('s') ? unit.slice(0, -1) : unit;
  if (name === 'day') return today + count * DAY;
  if (name === 'week') return today + count * 7 * DAY;
  if (name !== 'month' && name !== 'year') return null;
  const date = new Date(today);
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth() + count * (name === 'year' ? 12 : 1);
  const [year, month] = [Math.floor(months / 12), (months % 12) + 1];
  return dayIn(year, month, Math.min(date.getUTCDate(), lastOf(year, month)));
}

/** Number of days of a month. */
function lastOf(year: number, month: number): number {
  return [31, 30, 29].find((day) => dayIn(year, month, day) !== null) ?? 28;
}

function formatDay(day: number): string | null {
  const [text = ''] = new Date(day).toISOString().split('T');
  const year = new Date(day).getUTCFullYear();
  return year > 0 && year <= LAST_YEAR ? text : null;
}

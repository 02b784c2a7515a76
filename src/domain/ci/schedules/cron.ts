import { CronExpressionParser } from 'cron-parser';

/** Characters of the longest expression. */
const MAX_CRON_LENGTH = 255;
const WORDS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);
/** A field of numbers or names, with `*`, lists, ranges and steps. */
const PART = String.raw`(?:\*|(?:\d{1,2}|[a-z]{3})(?:-(?:\d{1,2}|[a-z]{3}))?)(?:/\d{1,2})?`;
const FIELD = new RegExp(`^${PART}(?:,${PART})*$`, 'i');

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Days that are looked through: eight years without 29 February stand around 2100. */
const MAX_DAYS = 9 * 366;

/** Whether it is a cron expression of five fields, or a word such as `@daily`. */
export function isCron(expression: string): boolean {
  return fieldsOf(expression) !== null;
}

/**
 * The first time after another one that the expression names, by the clocks of a time zone; null if there is none, such as 30 February.
 * A time that the clocks leave out comes as much later as they go forward. Of one that they show twice the first counts, unless the
 * expression means every hour.
 *
 * @param zone a name of the IANA database
 */
export function nextTime(expression: string, zone: string, after: Date): Date | null {
  const fields = fieldsOf(expression);
  if (fields === null) return null;
  const clocks = new Clocks(zone);
  // The calendar day on which `after` is there, and the one before, as clocks may go back over midnight.
  const first = Math.floor(clocks.local(after.getTime()) / DAY) - 1;
  for (let day = first; day < first + MAX_DAYS; day++) {
    if (!isDayOf(fields, new Date(day * DAY))) continue;
    const found = clocks.firstOn(day * DAY, fields, after.getTime());
    if (found !== null) return new Date(found);
  }
  return null;
}

type Fields = ReturnType<typeof CronExpressionParser.parse>['fields'];

/** Null if the expression is invalid. */
function fieldsOf(expression: string): Fields | null {
  const text = expression.trim();
  if (text.length > MAX_CRON_LENGTH) return null;
  const fields = (WORDS.get(text.toLowerCase()) ?? text).split(/\s+/);
  if (fields.length !== 5 || !fields.every((field) => FIELD.test(field))) return null;
  try {
    return CronExpressionParser.parse(fields.join(' '), { tz: 'UTC' }).fields;
  } catch {
    return null;
  }
}

/** Whether a day, of UTC, is one of the expression: of days of the month and of the week, if both are given, one is enough. */
function isDayOf({ month, dayOfMonth, dayOfWeek }: Fields, day: Date): boolean {
  const has = (values: readonly unknown[], value: number) => values.includes(value);
  if (!has(month.values, day.getUTCMonth() + 1)) return false;
  const isOfMonth = has(dayOfMonth.values, day.getUTCDate());
  const isOfWeek = has(dayOfWeek.values, day.getUTCDay());
  if (dayOfMonth.isWildcard) return dayOfWeek.isWildcard || isOfWeek;
  return dayOfWeek.isWildcard ? isOfMonth : isOfMonth || isOfWeek;
}

/** What the clocks of a time zone show. */
class Clocks {
  readonly #format: Intl.DateTimeFormat;

  constructor(zone: string) {
    const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      second: 'numeric',
      ...numeric,
    });
  }

  /** What they show at a time, as the milliseconds at which clocks of UTC show the same. */
  local(time: number): number {
    const found: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(time)) found[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = found;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }

  /** The first time after another one at which they show an hour and minute of the expression on a day; null if there is none. */
  firstOn(day: number, { hour, minute }: Fields, after: number): number | null {
    const [before, behind] = [this.#offset(day - DAY), this.#offset(day + 2 * DAY)];
    let least: number | null = null;
    for (const hours of hour.values) {
      for (const minutes of minute.values) {
        const shown = day + (hours * 60 + minutes) * MINUTE;
        if (before !== behind) {
          const times = this.#timesOf(shown, before, behind);
          const later = (hour.isWildcard ? times : times.slice(0, 1)).find((time) => time > after);
          if (later !== undefined) least = Math.min(later, least ?? later);
        } else if (shown - before > after) return shown - before;
      }
    }
    return least;
  }

  /** The times at which they show that, in order, on a day near to which the clocks change; where they leave it out, one after that. */
  #timesOf(shown: number, before: number, behind: number): number[] {
    const times = [shown - before, shown - behind].filter((time) => this.local(time) === shown);
    return times.length > 0 ? times.sort((one, other) => one - other) : [shown - before];
  }

  #offset(time: number): number {
    return this.local(time) - time;
  }
}

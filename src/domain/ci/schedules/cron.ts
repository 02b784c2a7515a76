import { CronExpressionParser } from 'cron-parser';

/** Characters of the longest expression. */
const MAX_CRON_LENGTH = 255;
const WORDS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
/** A field of numbers or names, with `*`, lists, ranges and steps. */
const PART = String.raw`(?:\*|(?:\d{1,2}|[a-z]{3})(?:-(?:\d{1,2}|[a-z]{3}))?)(?:/\d{1,2})?`;
const FIELD = new RegExp(`^${PART}(?:,${PART})*$`, 'i');

/** Whether it is a cron expression of five fields, or a word such as `@daily`. */
export function isCron(expression: string): boolean {
  return parse(expression, 'UTC', new Date(0)) !== null;
}

/**
 * The first time after another one that the expression names, by the clocks of a time zone; null if there is none.
 *
 * @param zone a name of the IANA database
 */
export function nextTime(expression: string, zone: string, after: Date): Date | null {
  const times = parse(expression, zone, after);
  try {
    return times?.next().toDate() ?? null;
  } catch {
    // Such as 30 February.
    return null;
  }
}

function parse(expression: string, tz: string, currentDate: Date) {
  const text = expression.trim();
  if (text.length > MAX_CRON_LENGTH) return null;
  const fields = (WORDS[text.toLowerCase()] ?? text).split(/\s+/);
  if (fields.length !== 5 || !fields.every((field) => FIELD.test(field))) return null;
  try {
    return CronExpressionParser.parse(fields.join(' '), { tz, currentDate });
  } catch {
    return null;
  }
}

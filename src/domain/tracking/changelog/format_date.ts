const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

const two = (number: number) => String(number).padStart(2, '0');

const DIRECTIVES: Record<string, (date: Date) => string> = {
  Y: (date) => String(date.getUTCFullYear()),
  y: (date) => two(date.getUTCFullYear() % 100),
  m: (date) => two(date.getUTCMonth() + 1),
  d: (date) => two(date.getUTCDate()),
  e: (date) => String(date.getUTCDate()).padStart(2),
  B: (date) => MONTHS[date.getUTCMonth()] ?? '',
  b: (date) => (MONTHS[date.getUTCMonth()] ?? '').slice(0, 3),
  A: (date) => DAYS[date.getUTCDay()] ?? '',
  a: (date) => (DAYS[date.getUTCDay()] ?? '').slice(0, 3),
  H: (date) => two(date.getUTCHours()),
  M: (date) => two(date.getUTCMinutes()),
  S: (date) => two(date.getUTCSeconds()),
  F: (date) => date.toISOString().slice(0, 10),
  Z: () => 'UTC',
  z: () => '+0000',
  '%': () => '%',
};

/** A time, in UTC, by a format of strftime. What is not known of it stays as it is. */
export function formatDate(date: Date, format: string): string {
  return format.replace(/%(-?)([A-Za-z%])/g, (whole, plain: string, name: string) => {
    const text = Object.hasOwn(DIRECTIVES, name) ? DIRECTIVES[name]?.(date) : undefined;
    if (text === undefined) return whole;
    return plain === '-' ? text.replace(/^[0 ](?=\d)/, '') : text;
  });
}

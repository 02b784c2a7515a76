/** A day of a calendar, with its place in weeks (columns) and days of the week (rows, from Sunday). */
export interface CalendarDay {
  day: string;
  count: number;
  week: number;
  weekday: number;
  /** 0 for nothing, to 3 for much. */
  level: number;
}

export interface Calendar {
  days: CalendarDay[];
  total: number;
  /** The days with contributions, newest first. */
  active: CalendarDay[];
}

const DAY = 24 * 3600 * 1000;

/** The last year, day by day (UTC), ending with `now`. */
export function calendar(counts: readonly { day: string; count: number }[], now: Date): Calendar {
  const of = new Map(counts.map(({ day, count }) => [day, count]));
  const most = Math.max(1, ...of.values());
  const end = Math.floor(now.getTime() / DAY) * DAY;
  const begin = end - 364 * DAY;
  const shift = new Date(begin).getUTCDay();
  const days = Array.from({ length: 365 }, (_, at) => {
    const day = new Date(begin + at * DAY).toISOString().slice(0, 10);
    const count = of.get(day) ?? 0;
    const level = count === 0 ? 0 : Math.ceil((count / most) * 3);
    return { day, count, level, week: Math.floor((at + shift) / 7), weekday: (at + shift) % 7 };
  });
  const active = days.filter(({ count }) => count > 0).reverse();
  return { days, active, total: active.reduce((sum, { count }) => sum + count, 0) };
}

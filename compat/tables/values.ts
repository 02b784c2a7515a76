import { of } from '#compat/engine/entries.ts';
import type { Entry } from '#compat/engine/table.ts';

/** A timestamp in UTC without fractions: `2031-01-02T03:04:05Z`. Commits have one with the offset of their author. */
export function timeOf(value: string): string {
  const moment = new Date(value);
  return `${moment.toISOString().slice(0, 19)}Z`;
}

export const time = (field: string): Entry => of(field, timeOf);

export const lowerCase = (field: string): Entry => of<string>(field, (value) => value.toLowerCase());

/** A number as text, as many IDs within projects are. */
export const text = (field: string): Entry => of(field, String);

/** Levels as numbers. */
const LEVELS: Readonly<Record<string, number>> = {
  GUEST: 10,
  REPORTER: 20,
  DEVELOPER: 30,
  MASTER: 40,
  MAINTAINER: 40,
  OWNER: 50,
};

/** The number of a level of the core graph; 0 for none. */
export function levelOf(level: unknown): number {
  return LEVELS[String(level)] ?? 0;
}

/** The name of a level of the core graph. */
export function levelName(level: unknown): string {
  if (level == null) return 'NO_ACCESS';
  return level === 'MASTER' ? 'MAINTAINER' : String(level);
}

/** Values of archives of GitLab, which may be anything: each function gives what can be used of one, or null. */

/** An object of JSON. */
export type Given = Readonly<Record<string, unknown>>;

/** What is an object; null if it is none. */
export function object(value: unknown): Given | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Given) : null;
}

/** The objects in a list, or the one object that stands in its place. */
export function objects(value: unknown): Given[] {
  const one = object(value);
  if (one) return [one];
  return Array.isArray(value) ? value.flatMap((each): Given[] => objects(object(each))) : [];
}

/** A text without the characters that cannot be stored. */
export function text(value: unknown): string | null {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : null;
}

/** A text that is not empty. */
export function named(value: unknown): string | undefined {
  return text(value)?.trim() || undefined;
}

/** A time in ISO 8601; earlier versions wrote `2019-11-20 17:01:53 UTC`. */
export function time(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 40) return null;
  const at = Date.parse(value.replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?) UTC$/, '$1T$2Z'));
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

export function integer(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}

export function flag(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

/** When a record was made and last changed. */
export function times({ created_at: createdAt, updated_at: updatedAt }: Given) {
  return { createdAt: time(createdAt), updatedAt: time(updatedAt) ?? time(createdAt) };
}

/** The levels of visibility are numbers in archives, and words in the API. */
export function visibility(level: unknown): string | null {
  return oneOf(level, { 0: 'private', 10: 'internal', 20: 'public' });
}

/** The name of a value that is written by its name or its number. */
export function oneOf(value: unknown, names: Readonly<Record<string, string>>): string | null {
  if (typeof value === 'string' && Object.values(names).includes(value)) return value;
  return Object.hasOwn(names, String(value)) ? (names[String(value)] ?? null) : null;
}

/** The color of a label; those that are written by a name get another one. */
export function labelColor({ color }: Given): string {
  return typeof color === 'string' && /^#[0-9a-f]{6}$/i.test(color) ? color : '#6699cc';
}

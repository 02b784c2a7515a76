import { setImmediate as nextTurn } from 'node:timers/promises';

/** Names that are looked at before other requests have their turn. */
const NAMES_PER_YIELD = 500;

/** Records in the order of the versions that their names say, the lowest first; those of one version stay in their order. */
export async function byVersion<T extends { name: string }>(records: readonly T[]): Promise<T[]> {
  const keyed: { key: string; record: T }[] = [];
  for (const record of records) {
    if (keyed.length % NAMES_PER_YIELD === NAMES_PER_YIELD - 1) await nextTurn();
    keyed.push({ key: versionKey(record.name), record });
  }
  keyed.sort((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)));
  return keyed.map(({ record }) => record);
}

/**
 * A text that compares as the name does as a version: numbers by value, in any case, and what has a `-` behind it comes before the
 * release. A repository may have very many tags: each is taken apart once, not for each comparison.
 */
function versionKey(name: string): string {
  const version = name.replace(/^v(?=\d)/i, '').toLowerCase();
  const dash = version.indexOf('-');
  const marked = dash < 0 ? `${version}\u0001` : `${version.slice(0, dash)}\u0000${version.slice(dash + 1)}`;
  return marked.replace(/\d+/g, (digits) => {
    const number = digits.replace(/^0+(?=\d)/, '');
    return `0${String.fromCharCode(number.length)}${number}`;
  });
}

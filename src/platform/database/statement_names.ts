import type { Prisma } from '#src/generated/prisma/client.ts';
import { currentBudget } from '#src/platform/limits/budget.ts';

/** How many texts get a name, how many of these for operations that clients wrote, and how many characters one has at most. */
const LIMITS = { all: 600, foreign: 200, longest: 48 * 1024 };

/** A statement as the database gets it; the name is empty for one that is not prepared. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/**
 * Names statements, by which PostgreSQL plans each text once for a connection and keeps that plan. Past the limit they have no
 * name. The texts of the program are few, but for those with lists of varying length; what clients select makes any number of
 * them, so theirs have a share, which leaves names for all others.
 */
export class StatementNames {
  readonly #limits: typeof LIMITS;
  readonly #names = new Map<string, string>();
  #ofClients = 0;
  /** Named texts with the parts that they are made of, by a cheap hash of these. */
  readonly #known = new Map<number, (NamedText & Pick<Prisma.Sql, 'strings'>)[]>();

  constructor(limits: Partial<typeof LIMITS> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** The name of a text; empty when there are too many, or it is too long. */
  nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const { all, foreign, longest } = this.#limits;
    const isForeign = currentBudget()?.isForeign === true;
    if (text.length > longest || this.#names.size >= all || (isForeign && this.#ofClients >= foreign)) return '';
    if (isForeign) this.#ofClients += 1;
    const name = `g${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }

  /**
   * The text of a statement and its name. A text is many parts that are put together anew each time; to compare the parts
   * takes a fifth of the time that it takes to join and to hash them.
   */
  textOf(statement: Prisma.Sql): NamedText {
    const { strings } = statement;
    const told = strings.reduce((sum, part) => sum + part.length, strings.length * 1e7);
    const alike = this.#known.get(told);
    const same = alike?.find((one) => isSame(one.strings, strings));
    if (same) return same;
    const { text } = statement;
    const found = { name: this.nameOf(text), text, strings };
    if (found.name !== '') this.#known.set(told, [...(alike ?? []), found]);
    return found;
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index]);
}

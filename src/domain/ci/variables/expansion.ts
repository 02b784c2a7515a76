/** A variable, whose value may refer to others. */
export interface Expandable {
  value: string;
  /** Whether the value is not looked into: of raw ones and files, and what the server itself says. */
  isFixed?: boolean | undefined;
  /** Whether the runner puts the path of a file in its place. */
  isFile?: boolean | undefined;
  /** Whether logs may not show it. */
  isSecret?: boolean | undefined;
}

/** Characters of the longest value with what it refers to, and of all that is read and made for one pipeline or job. */
const MAX_VALUE_LENGTH = 256 * 1024;
const MAX_TOTAL_LENGTH = 8 * 1024 * 1024;

/** References in a text, and what looks like them: `$$` stands for one dollar sign, and `${A_${B}}` for itself. */
const REFERENCE = /\$\$|\$\{\w*\$\{\w*\}\w*\}|\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g;

/** Counts the characters that expansions may still read and make. */
export class ExpansionBudget {
  #left = MAX_TOTAL_LENGTH;

  /** Whether that many are left, which are then gone. */
  spend(characters: number): boolean {
    if (characters > this.#left) return false;
    this.#left -= characters;
    return true;
  }
}

/**
 * `final`: nothing is left to be replaced, unset names become empty, and `$$` one dollar sign. `again`: somebody who knows more replaces
 * once more, so that unset names, files and `$$` stay, and the dollar signs of values that are not looked into are doubled.
 */
type Mode = 'final' | 'again';

/** A variable while it is sorted. */
interface Visit {
  name: string;
  index: number;
  /** The least index that it leads back to. */
  low: number;
  refersToItself: boolean;
  open: string[];
}

/** A part of a text, as it is or a name. */
type Piece = { text: string } | { name: string; written: string };

/**
 * Puts the values of variables in the place of references to them. Variables are sorted by what they refer to, as far as somebody asks, so
 * that a value is complete before it stands in another. Those that refer to themselves, also by others, stay as they are written, and so
 * does what would become too long.
 */
export class Expansion {
  readonly #find: (name: string) => Expandable | undefined;
  readonly #mode: Mode;
  readonly #budget: ExpansionBudget;
  /** The finished values, and those as they stand in others. */
  readonly #values = new Map<string, string>();
  readonly #inserted = new Map<string, string>();
  readonly #pieces = new Map<string, Piece[]>();
  /** Those that have a secret in their values. */
  readonly #secret = new Set<string>();

  constructor(find: (name: string) => Expandable | undefined, mode: Mode, budget = new ExpansionBudget()) {
    this.#find = find;
    this.#mode = mode;
    this.#budget = budget;
  }

  /** A variable as it was given. */
  given(name: string): Expandable | undefined {
    return this.#find(name);
  }

  /** The value of a variable; undefined if it is not set. */
  value(name: string): string | undefined {
    const variable = this.#find(name);
    if (!variable) return undefined;
    if (!isOpen(variable)) return variable.value;
    if (!this.#values.has(name)) this.#sort(name);
    return this.#values.get(name) ?? variable.value;
  }

  /**
   * A text with the values of the variables that it names. If that is longer than `longest` it is cut there, or stays as it is where
   * somebody replaces once more.
   */
  text(text: string, longest: number, unset: 'stay' | 'vanish' = 'stay'): string {
    if (!text.includes('$')) return text;
    const pieces = this.#split(text);
    for (const piece of pieces) if ('name' in piece) this.value(piece.name);
    if (this.#mode === 'again') return this.#join(pieces, longest, 'stay') ?? text;
    let made = '';
    for (const piece of pieces) {
      if (made.length >= longest) break;
      made += ('text' in piece ? piece.text : this.#inPlaceOf(piece, unset)).slice(0, longest - made.length);
    }
    return made;
  }

  /** Whether a variable is secret, or has the value of one in its own. */
  isSecret(name: string): boolean {
    this.value(name);
    return this.#secret.has(name) || this.#find(name)?.isSecret === true;
  }

  /** The names of all variables that a text refers to, directly or by others. */
  names(text: string): string[] {
    const found = new Set<string>();
    const open: string[] = [];
    const look = (pieces: readonly Piece[]) => {
      for (const piece of pieces) if ('name' in piece && !found.has(piece.name)) open.push(piece.name);
    };
    look(this.#split(text));
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      const variable = found.has(name) ? undefined : this.#find(name);
      if (!variable) continue;
      found.add(name);
      if (isOpen(variable)) look(this.#piecesOf(name, variable));
    }
    return [...found];
  }

  /** Finishes a variable, after all that it refers to: Tarjan's algorithm, without recursion as chains may be long. */
  #sort(start: string): void {
    const visits = new Map<string, Visit>();
    const path: Visit[] = [];
    const waiting: Visit[] = [];
    const enter = (name: string) => {
      const variable = this.#find(name);
      const open = variable
        ? this.#piecesOf(name, variable).flatMap((piece) => ('name' in piece ? [piece.name] : []))
        : [];
      const visit = { name, index: visits.size, low: visits.size, refersToItself: open.includes(name), open };
      visits.set(name, visit);
      path.push(visit);
      waiting.push(visit);
    };
    enter(start);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.open.pop();
      if (next !== undefined) {
        const variable = this.#find(next);
        const known = visits.get(next);
        if (this.#values.has(next)) continue;
        if (known) top.low = Math.min(top.low, known.index);
        else if (variable && isOpen(variable)) enter(next);
        continue;
      }
      path.pop();
      const above = path.at(-1);
      if (above) above.low = Math.min(above.low, top.low);
      if (top.low === top.index) this.#finish(waiting.splice(waiting.lastIndexOf(top)));
    }
  }

  /** Finishes variables that refer to each other, or one alone. */
  #finish(group: readonly Visit[]): void {
    const isCycle = group.length > 1 || group[0]?.refersToItself === true;
    for (const { name } of group) {
      const variable = this.#find(name);
      if (!variable) continue;
      const pieces = this.#piecesOf(name, variable);
      const made = isCycle ? null : this.#join(pieces, MAX_VALUE_LENGTH, 'vanish');
      const isTold = (one: string) => this.#secret.has(one) || this.#find(one)?.isSecret === true;
      if (made !== null && pieces.some((piece) => 'name' in piece && isTold(piece.name))) this.#secret.add(name);
      this.#values.set(name, made ?? variable.value);
    }
  }

  #piecesOf(name: string, { value }: Expandable): Piece[] {
    const known = this.#pieces.get(name);
    if (known) return known;
    const pieces = this.#split(value);
    this.#pieces.set(name, pieces);
    return pieces;
  }

  /** The pieces of a text; one if there is no room left to look into it. */
  #split(text: string): Piece[] {
    if (!this.#budget.spend(text.length)) return [{ text }];
    const pieces: Piece[] = [];
    let end = 0;
    for (const match of text.matchAll(REFERENCE)) {
      const [written, braced, plain] = match;
      const name = braced ?? plain;
      if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
      end = match.index + written.length;
      if (name !== undefined) pieces.push({ name, written });
      else pieces.push({ text: written === '$$' && this.#mode === 'final' ? '$' : written });
    }
    pieces.push({ text: text.slice(end) });
    return pieces;
  }

  /** The pieces in one; null if that is too long, which is counted before it is made. */
  #join(pieces: readonly Piece[], longest: number, unset: 'stay' | 'vanish'): string | null {
    const texts = pieces.map((piece) => ('text' in piece ? piece.text : this.#inPlaceOf(piece, unset)));
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    return length > longest || !this.#budget.spend(length) ? null : texts.join('');
  }

  #inPlaceOf({ name, written }: { name: string; written: string }, unset: 'stay' | 'vanish'): string {
    const known = this.#inserted.get(name);
    if (known !== undefined) return known;
    const variable = this.#find(name);
    if (!variable) return this.#mode === 'again' || unset === 'stay' ? written : '';
    if (this.#mode === 'again' && variable.isFile) return written;
    const value = this.#values.get(name) ?? variable.value;
    const isDoubled = this.#mode === 'again' && variable.isFixed && value.includes('$');
    const inserted = isDoubled ? value.replaceAll('$', '$$$$') : value;
    this.#inserted.set(name, inserted);
    return inserted;
  }
}

/** The names that a text refers to itself. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, braced, plain]) => braced ?? plain ?? []);
}

function isOpen({ value, isFixed, isFile }: Expandable): boolean {
  return !isFixed && !isFile && value.includes('$');
}

/** Rows and columns of a table that are shown, and characters of a cell. */
const TABLE_LIMITS: TableLimits = { rows: 500, columns: 50, characters: 1_000 };

/** What is kept of a table. */
export interface TableLimits {
  rows: number;
  columns: number;
  /** Of a cell. */
  characters: number;
}

export type Separator = ',' | '\t' | ';';

/** A table from text. */
export interface Table {
  /** Each with the same number of cells. */
  rows: string[][];
  /** Whether rows, columns or parts of cells were left out. */
  isCut: boolean;
}

/** The table of values that are separated by commas, semicolons or tabs (RFC 4180); null if quotes in it are wrong. */
export function parseTable(text: string, separator: Separator, limits: TableLimits = TABLE_LIMITS): Table | null {
  const rows: string[][] = [[]];
  let isCut = false;
  let at = 0;
  while (at < text.length) {
    if (rows.length > limits.rows) {
      isCut = true;
      break;
    }
    const isQuoted = text[at] === '"';
    const end = isQuoted ? endOfQuoted(text, at + 1) : endOfPlain(text, at, separator);
    if (end < 0) return null;
    const raw = isQuoted ? text.slice(at + 1, end).replaceAll('""', '"') : text.slice(at, end);
    const row = rows.at(-1) ?? [];
    if (row.length < limits.columns) row.push(raw.slice(0, limits.characters));
    if (row.length > limits.columns || raw.length > limits.characters) isCut = true;
    at = isQuoted ? end + 1 : end;
    if (text[at] === separator) {
      at++;
      if (at === text.length || text[at] === '\n' || text[at] === '\r') row.push('');
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at++;
    if (text[at] === '\n') {
      at++;
      rows.push([]);
    } else if (isQuoted && at < text.length && text[at - 1] !== separator) return null;
  }
  const filled = rows.filter((row) => row.length > 0).slice(0, limits.rows);
  const width = Math.max(0, ...filled.map((row) => row.length));
  return { rows: filled.map((row) => [...row, ...Array(width - row.length).fill('')]), isCut };
}

/** Where the quotation mark is that ends a cell; -1 if there is none. */
function endOfQuoted(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return -1;
}

function endOfPlain(text: string, start: number, separator: string): number {
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === separator || character === '\n') return at;
    if (character === '\r' && text[at + 1] === '\n') return at;
  }
  return text.length;
}

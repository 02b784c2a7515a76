import { textOfCell } from '#src/domain/tracking/issue_tables/cells.ts';
import { refusedTable, sentTable } from '#src/domain/tracking/issue_tables/sent_table.ts';

/** Bytes and rows that a table may have. */
export const MAX_TABLE_BYTES = 2 * 1024 * 1024;
export const MAX_ROWS = 10_000;
const MAX_COLUMNS = 20;
/** Characters of a cell. */
const MAX_CHARACTERS = 600;

/** A filled row: who a user of a source is. */
export interface ReassignmentRow {
  /** Number of the row, of which that of the names is the first. */
  line: number;
  host: string;
  identifier: string;
  /** Username of the account, or empty; then there is an address. */
  username: string;
  /** Public address of the account in lower case, or empty. */
  email: string;
}

/** The columns that are read, in lower case; what else a table has is for people. */
const COLUMNS: Readonly<Record<string, keyof Omit<ReassignmentRow, 'line'>>> = {
  'source host': 'host',
  'source user identifier': 'identifier',
  'gitlab username': 'username',
  'gitlab public email': 'email',
};

/** The rows of a table in CSV that name an account; its first row names the columns. Throws ValidationFailed. */
export function readTable(content: Buffer): ReassignmentRow[] {
  const limits = { rows: MAX_ROWS + 1, columns: MAX_COLUMNS, characters: MAX_CHARACTERS };
  const [head = [], ...rows] = sentTable(content, limits, 'has more than 10,000 rows, or cells that are too long');
  const columns = head.map((name) => COLUMNS[name.trim().toLowerCase()]);
  for (const [name, column] of Object.entries(COLUMNS)) {
    if (!columns.includes(column)) throw refusedTable(`has no column with the name ${name}`);
  }
  const filled = rows
    .map((cells, at) => rowOf(columns, cells, at + 2))
    .filter(({ username, email }) => username !== '' || email !== '');
  if (filled.length === 0) throw refusedTable('names no accounts');
  return filled;
}

function rowOf(columns: readonly (string | undefined)[], cells: readonly string[], line: number): ReassignmentRow {
  const cell = (name: string) => textOfCell(cells[columns.indexOf(name)] ?? '').trim();
  return {
    line,
    host: cell('host')
      .toLowerCase()
      .replace(/^https?:\/\//, '')
      .replace(/\/$/, ''),
    identifier: cell('identifier'),
    username: cell('username').replace(/^@/, ''),
    email: cell('email').toLowerCase(),
  };
}

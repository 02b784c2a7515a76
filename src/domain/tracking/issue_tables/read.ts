import { textOfCell } from '#src/domain/tracking/issue_tables/cells.ts';
import { refusedTable, sentTable } from '#src/domain/tracking/issue_tables/sent_table.ts';

/** Bytes, issues, and characters of a cell that a table may have. */
export const MAX_TABLE_BYTES = 1024 * 1024;
const MAX_ISSUES = 1_000;
const MAX_COLUMNS = 100;

/** An issue as a table has it: texts as people wrote them, of which only the title must be there. */
export interface TableRow {
  /** Number of the row, of which that of the names is the first. */
  line: number;
  title: string;
  description?: string;
  labels?: string;
  milestone?: string;
  assignees?: string;
  dueDate?: string;
  confidential?: string;
  type?: string;
}

/** The names of the columns that are read, in lower case; others are passed over. */
const COLUMNS: Readonly<Record<string, keyof Omit<TableRow, 'line'>>> = {
  title: 'title',
  description: 'description',
  labels: 'labels',
  milestone: 'milestone',
  assignee_usernames: 'assignees',
  'assignee username': 'assignees',
  due_date: 'dueDate',
  'due date': 'dueDate',
  confidential: 'confidential',
  type: 'type',
};

/** The issues of a table in CSV, whose first row names the columns. Throws ValidationFailed. */
export function readIssueTable(content: Buffer): TableRow[] {
  const limits = { rows: MAX_ISSUES + 1, columns: MAX_COLUMNS, characters: MAX_TABLE_BYTES };
  const [head = [], ...rows] = sentTable(content, limits, `has more than ${MAX_ISSUES} rows or ${MAX_COLUMNS} columns`);
  const columns = head.map((name) => COLUMNS[name.trim().toLowerCase()]);
  if (!columns.includes('title')) throw refusedTable('has no column with the name title');
  const filled = rows
    .map((cells, at) => ({ line: at + 2, cells }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (filled.length === 0) throw refusedTable('has no issues');
  return filled.map(({ line, cells }) => {
    const given = columns.flatMap((name, at) => {
      const value = name && textOfCell(cells[at] ?? '');
      return value ? [[name, value] as const] : [];
    });
    return { title: '', ...Object.fromEntries(given), line };
  });
}

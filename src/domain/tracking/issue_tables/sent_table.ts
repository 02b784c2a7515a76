import { parseTable, type Separator, type TableLimits } from '#src/domain/repository/csv.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

/**
 * The rows of a table that somebody sent as a file, the names of its columns first: text in UTF-8 with commas, semicolons or tabs. Throws
 * ValidationFailed.
 *
 * @param limits whose rows count that of the names, too
 * @param isTooLarge what is said of a table beyond the limits
 */
export function sentTable(content: Buffer, limits: TableLimits, isTooLarge: string): readonly string[][] {
  const text = textOf(content);
  const end = text.search(/[\r\n]/);
  const names = end < 0 ? text : text.slice(0, end);
  const separator = (['\t', ';'] as const satisfies Separator[]).find((one) => names.includes(one)) ?? ',';
  const table = parseTable(text, separator, limits);
  if (!table) throw refusedTable('has a quotation mark in the wrong place');
  if (table.isCut) throw refusedTable(isTooLarge);
  return table.rows;
}

function textOf(content: Buffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    if (!text.includes('\0')) return text;
  } catch {
    // Not UTF-8.
  }
  throw refusedTable('must be text in UTF-8');
}

/** The error about a table that cannot be taken. */
export function refusedTable(message: string): ValidationFailed {
  return new ValidationFailed({ file: [message] });
}

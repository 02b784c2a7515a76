import { snakeCase } from '#src/base/text.ts';
import { CHECKS } from '#src/domain/project_archives/checks.ts';
import type { Kind } from '#src/domain/project_archives/kinds.ts';
import { ArchiveInvalid, type Line } from '#src/domain/project_archives/lines.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { factsOf } from '#src/platform/records/model.ts';

/** Columns of a record that is to be stored, by Prisma's names. */
export type Row = Record<string, unknown>;

/**
 * The columns of a record that an archive has as they are. Throws ArchiveInvalid, which names the record as `where` does.
 *
 * @param textOf what a text becomes
 */
export async function checkedColumns(
  { model, columns }: Pick<Kind, 'model' | 'columns'>,
  record: Line['record'],
  where: string,
  textOf = (text: string) => text,
): Promise<Row> {
  const row: Row = {};
  const { columns: facts } = factsOf(model);
  for (const [column, check] of Object.entries(columns)) {
    const value = record[snakeCase(column)];
    if (value === undefined) continue;
    const type = facts[column]?.type ?? '';
    if (value !== null && !(await check(value, type))) {
      throw new ArchiveInvalid(`${where} has a value of ${snakeCase(column)} that is not allowed.`);
    }
    const hasFiles = check === CHECKS.text || check === CHECKS.releaseUrl;
    row[column] = hasFiles && value !== null ? textOf(value as string) : stored(value, type);
  }
  return row;
}

function stored(value: unknown, type: string): unknown {
  if (type === 'Json') return value === null ? Prisma.DbNull : value;
  if (value === null) return null;
  return type === 'DateTime' || type === 'Date' ? new Date(value as string) : value;
}

/** IDs that no record of a model has. */
export async function newIds(tx: Transaction, { model }: Pick<Kind, 'model'>, count: number): Promise<number[]> {
  const { table } = factsOf(model);
  const rows = await tx.$queryRaw<{ id: number }[]>`
    SELECT nextval(pg_get_serial_sequence(${table}, 'id'))::int AS id FROM generate_series(1, ${count}::int)`;
  return rows.map(({ id }) => id);
}

import { Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { ownValues } from '#src/platform/records/own_values.ts';

declare module '#src/platform/records/own_values.ts' {
  interface OwnValues {
    BoardList: {
      /** How many lists of the board stand before it. */
      position: number;
    };
  }
}

const { sql } = Prisma;
const other = alias('BoardList', 'obl');

ownValues('BoardList', {
  position: ({ id, boardId, rank }) => sql`(SELECT count(*) FROM ${table(other)} WHERE ${other.boardId} = ${boardId}
    AND (${other.rank}, ${other.id}) < (${rank}, ${id}))`,
});

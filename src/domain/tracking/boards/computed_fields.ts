import { Prisma } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { computedFields } from '#src/platform/records/computed_fields.ts';

const { sql } = Prisma;
const other = alias('BoardList', 'obl');

computedFields('BoardList', {
  position: ({ id, boardId, rank }) => sql`(SELECT count(*) FROM ${table(other)} WHERE ${other.boardId} = ${boardId}
    AND (${other.rank}, ${other.id}) < (${rank}, ${id}))`,
});

import type { Transaction } from '#src/platform/database/db.ts';
import { LimitReached } from '#src/platform/errors.ts';

/** Flags, and user lists, of one project. */
export const MAX_FLAGS = 200;
export const MAX_USER_LISTS = 200;

/** Strategies of one flag, and scopes of one strategy. */
export const MAX_STRATEGIES = 50;
export const MAX_SCOPES = 50;

/** Characters of all IDs of users that clients of a project read, and of the other parameters of strategies. */
const MAX_READ_LENGTH = 1_048_576;

/** Lets changes of the flags of a project wait for each other, so that numbers and sizes are counted by one at a time. */
export async function holdFlags(tx: Transaction, { id }: { id: number }): Promise<void> {
  await tx.$queryRaw`SELECT id FROM projects WHERE id = ${id} FOR NO KEY UPDATE`;
}

/** After a change: throws LimitReached if clients would have to read too much. */
export async function requireReadable(tx: Transaction, { id }: { id: number }): Promise<void> {
  const [found] = await tx.$queryRaw<{ length: bigint }[]>`
    SELECT COALESCE(sum(length(s.parameters::text) + COALESCE(length(l.user_xids), 0)), 0)::bigint AS length
    FROM feature_flags f JOIN feature_flag_strategies s ON s.feature_flag_id = f.id
      LEFT JOIN feature_flag_user_lists l ON l.id = s.user_list_id
    WHERE f.project_id = ${id}`;
  if (found && found.length > MAX_READ_LENGTH) {
    throw new LimitReached(`The strategies of a project can name users with at most ${MAX_READ_LENGTH} characters`);
  }
}

/** Throws LimitReached if a project that was imported has more than it could have been given one by one. */
export async function requireFewFlags(tx: Transaction, { id }: { id: number }): Promise<void> {
  const [found] = await tx.$queryRaw<{ flags: bigint; lists: bigint; strategies: bigint; scopes: bigint }[]>`
    SELECT (SELECT count(*) FROM feature_flags WHERE project_id = ${id}) AS flags,
      (SELECT count(*) FROM feature_flag_user_lists WHERE project_id = ${id}) AS lists,
      (SELECT COALESCE(max(n), 0) FROM (SELECT count(*) AS n FROM feature_flags f
        JOIN feature_flag_strategies s ON s.feature_flag_id = f.id WHERE f.project_id = ${id} GROUP BY f.id) c) AS strategies,
      (SELECT COALESCE(max(n), 0) FROM (SELECT count(*) AS n FROM feature_flags f JOIN feature_flag_strategies s
        ON s.feature_flag_id = f.id JOIN feature_flag_scopes e ON e.strategy_id = s.id WHERE f.project_id = ${id} GROUP BY s.id) c) AS scopes`;
  if (!found) return;
  const { flags, lists, strategies, scopes } = found;
  const isMore = flags > MAX_FLAGS || lists > MAX_USER_LISTS || strategies > MAX_STRATEGIES || scopes > MAX_SCOPES;
  if (isMore) throw new LimitReached('The project has more feature flags than it can have');
  await requireReadable(tx, { id });
}

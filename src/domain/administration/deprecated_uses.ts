import { type Actor, type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import { originalOf } from '#src/platform/database/copies.ts';
import type { Db } from '#src/platform/database/db.ts';

/** How often a program used something deprecated. */
export interface DeprecatedUseRow {
  /** Coordinate in the GraphQL schema. */
  field: string;
  /** `oauth`, `personal_token`, another kind of credential, or `visitor`. */
  credential: string;
  /** As the program calls itself; null if it does not say. */
  client: string | null;
  applicationName: string | null;
  tokenName: string | null;
  /** Who owns the token. */
  username: string | null;
  count: number;
  firstUsedAt: Date;
  lastUsedAt: Date;
}

/** How many are listed: those used last. */
export const MAX_LISTED_USES = 500;
/** How many may wait in memory, and be kept in the table for one field; what comes after them is counted without its program. */
const MAX_WAITING = 5_000;
const MAX_PROGRAMS = 500;
/** Days after which what was not used again is forgotten. */
const DAYS = 180;

interface Use {
  field: string;
  program: string;
  client: string;
  count: number;
  last: number;
}

/** Counts uses in memory, until they are written down. */
export class DeprecatedUses {
  #waiting = new Map<string, Use>();

  /** Counts one use of each field. */
  note(actor: Actor | null, client: string | null, fields: readonly string[], now = Date.now()): void {
    // Anybody may call themselves anything; only the names that users give are kept.
    const [program, name] = actor ? [programOf(actor), client ?? ''] : ['visitor', ''];
    for (const field of fields) this.#count({ field, program, client: name, count: 1, last: now });
  }

  /** Writes down what was counted, in one statement. What fails is counted with the next. */
  async flush(db: Db): Promise<void> {
    const uses = [...this.#waiting.values()];
    if (uses.length === 0) return;
    this.#waiting = new Map();
    try {
      await db.$executeRaw`
        WITH forgotten AS (DELETE FROM deprecated_uses WHERE last_used_at < now() - make_interval(days => ${DAYS})),
        given AS (
          SELECT u.field, u.program, u.client, u.count, to_timestamp(u.last / 1000.0) AS last,
            EXISTS (SELECT 1 FROM deprecated_uses d WHERE (d.field, d.program, d.client) = (u.field, u.program, u.client))
            OR (SELECT count(*) FROM deprecated_uses d WHERE d.field = u.field)
              + row_number() OVER (PARTITION BY u.field ORDER BY u.program, u.client) <= ${MAX_PROGRAMS} AS fits
          FROM json_to_recordset(${JSON.stringify(uses)}::json) AS u (field text, program text, client text, count bigint, last float8))
        INSERT INTO deprecated_uses AS d (field, program, client, count, first_used_at, last_used_at)
        SELECT g.field, CASE WHEN g.fits THEN g.program ELSE 'other' END, CASE WHEN g.fits THEN g.client ELSE '' END,
          sum(g.count), min(g.last), max(g.last) FROM given g GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
        ON CONFLICT (field, program, client) DO UPDATE SET count = d.count + EXCLUDED.count,
          last_used_at = GREATEST(d.last_used_at, EXCLUDED.last_used_at)`;
    } catch (error) {
      for (const use of uses) this.#count(use);
      throw error;
    }
  }

  #count(use: Use): void {
    const key = JSON.stringify([use.field, use.program, use.client]);
    const known = this.#waiting.get(key);
    if (known) {
      known.count += use.count;
      known.last = Math.max(known.last, use.last);
    } else if (this.#waiting.size < MAX_WAITING) this.#waiting.set(key, { ...use });
  }
}

const known = new WeakMap<object, DeprecatedUses>();

/** The uses that this process counts for a database. */
export function deprecatedUsesOf(db: Db): DeprecatedUses {
  const original = originalOf(db);
  const uses = known.get(original) ?? new DeprecatedUses();
  known.set(original, uses);
  return uses;
}

/** What programs use that is deprecated, those used last first, at most MAX_LISTED_USES; for administrators. */
export async function listDeprecatedUses(context: Context): Promise<DeprecatedUseRow[]> {
  requireAdmin(context);
  await deprecatedUsesOf(context.db).flush(context.db);
  return context.db.$queryRaw<DeprecatedUseRow[]>`
    SELECT d.field, CASE WHEN d.program ~ '^application ' THEN 'oauth' WHEN d.program ~ '^token ' THEN 'personal_token' ELSE d.program END
        AS credential, NULLIF(d.client, '') AS client, a.name AS "applicationName", t.name AS "tokenName", u.username,
      d.count::float8 AS count, d.first_used_at AS "firstUsedAt", d.last_used_at AS "lastUsedAt"
    FROM deprecated_uses d
    LEFT JOIN oauth_applications a ON a.id = substring(d.program FROM '^application (\\d+)$')::int
    LEFT JOIN personal_access_tokens t ON t.id = substring(d.program FROM '^token (\\d+)$')::int
    LEFT JOIN users u ON u.id = t.user_id
    ORDER BY d.last_used_at DESC, d.field, d.program, d.client LIMIT ${MAX_LISTED_USES}`;
}

function programOf({ credential, applicationId, tokenId }: Actor): string {
  if (applicationId !== undefined) return `application ${applicationId}`;
  return tokenId === undefined ? credential : `token ${tokenId}`;
}

import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from './generated/prisma/client.ts';

export { Prisma };
/** The database: the one Prisma client of the process. */
export type Db = PrismaClient;
/** What runs inside an interactive transaction. */
export type Transaction = Prisma.TransactionClient;

/**
 * Settings of every connection. Statements are few and prepared, and planning the larger ones costs several times their
 * execution: each is planned once, for all values.
 */
const SESSION = '-c TimeZone=UTC -c plan_cache_mode=force_generic_plan';

/** Connects to the PostgreSQL at `url` (lazily, with up to `connections` connections). */
export function connect(url: string, { connections = 10 }: { connections?: number } = {}): Db {
  const adapter = new PrismaPg(
    { connectionString: url, max: connections, options: SESSION },
    { statementNameGenerator: statementNames() },
  );
  return new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] });
}

/**
 * Names statements so that PostgreSQL plans each text once a connection. Past the limit statements stay unnamed:
 * the texts of a program are few, but those with lists of varying length could grow without bound.
 */
function statementNames(limit = 500): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= limit) return '';
    const name = `g${names.size}`;
    names.set(sql, name);
    return name;
  };
}

/** Joins conditions with AND; no condition is true. */
export function all(conditions: Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0 ? Prisma.sql`TRUE` : Prisma.join(conditions, ' AND ');
}

/** The pattern that finds `text` anywhere with LIKE, its own wildcards taken literally. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** Whether an error of Prisma says that a unique constraint was violated; with a name, that very one. */
export function violates(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  const text = JSON.stringify(error.meta ?? {}) + error.message;
  const unique = error.code === 'P2002' || (error.code === 'P2010' && text.includes('23505'));
  return unique && (constraint === undefined || text.includes(constraint));
}

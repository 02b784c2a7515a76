import { containing, hasTrigrams, holds, Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/**
 * Whether the name or path of the namespace under alias `n` contains a text, ignoring case. A text with a slash is looked for in
 * the full path in place of its last part.
 */
export function namespaceMatches(text: string): Prisma.Sql {
  const pattern = containing(text);
  const path = text.includes('/') ? sql`full_path` : sql`path`;
  if (!hasTrigrams(text)) return sql`(${holds(sql`n.name`, pattern)} OR ${holds(sql`n.${path}`, pattern)})`;
  // One branch per column, so that each can use its own index.
  return sql`n.id IN (SELECT id FROM namespaces WHERE name ILIKE ${pattern}
    UNION SELECT id FROM namespaces WHERE ${path} ILIKE ${pattern})`;
}

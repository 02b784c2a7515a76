import { containing, hasTrigrams, holds, Prisma } from '#src/db.ts';

const { sql } = Prisma;

/** Whether a text is found anywhere in the name or path of the namespace under alias `n`, whatever its case. */
export function namespaceMatches(text: string): Prisma.Sql {
  const pattern = containing(text);
  if (!hasTrigrams(text)) return sql`(${holds('n.name', pattern)} OR ${holds('n.path', pattern)})`;
  // One branch for each column, so that each finds its namespaces by its own index.
  return sql`n.id IN (SELECT id FROM namespaces WHERE name ILIKE ${pattern}
    UNION SELECT id FROM namespaces WHERE path ILIKE ${pattern})`;
}

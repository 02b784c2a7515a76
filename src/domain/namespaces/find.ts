import type { Context } from '#src/access/permissions/actor.ts';
import { Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** Identifies a namespace: by ID, by full path, or as the personal one of a user. */
export type NamespaceRef = number | string | { readonly userId: number };

/** The ID of a namespace, whether or not the caller sees it; 0, which is never used, if there is none. */
export async function namespaceIdOf({ db }: Context, ref: NamespaceRef): Promise<number> {
  if (typeof ref === 'number') return ref;
  const wanted = typeof ref === 'string' ? sql`lower(full_path) = lower(${ref})` : sql`owner_id = ${ref.userId}`;
  const [found] = await db.$queryRaw<
    { id: number }[]
  >`SELECT id FROM namespaces WHERE ${wanted} AND deleted_at IS NULL`;
  return found?.id ?? 0;
}

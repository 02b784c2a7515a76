import type { Db } from '#src/platform/database/db.ts';
import type { Existing } from '#src/platform/errors.ts';

/** Models of types whose name differs. */
const MODELS: Readonly<Record<string, string>> = { Group: 'namespace' };

/** The number of the row that exists already; null if it is gone by now. Whether the caller may see it is not asked here. */
export async function idOfExisting(db: Db, existing: Extract<Existing, { where: unknown }>): Promise<number | null> {
  const { type, where } = existing;
  const model = MODELS[type] ?? `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const rows = (db as unknown as Record<string, { findFirst: (args: object) => Promise<{ id: number } | null> }>)[
    model
  ];
  return (await rows?.findFirst({ where, select: { id: true } }))?.id ?? null;
}

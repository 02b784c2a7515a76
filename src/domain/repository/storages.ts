import { randomInt } from 'node:crypto';
import type { Context } from '#src/access/permissions/actor.ts';
import type { RepositoryStore } from '#src/domain/repository/store.ts';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/**
 * Picks the storage for a new repository: a random one of those in the settings. Storages that are no longer configured are
 * ignored; if none is left, it is `default`, which always exists.
 */
export async function pickStorage({ db, repositories }: Pick<Context, 'db' | 'repositories'>): Promise<string> {
  const { repositoryStorages } = await currentSettings(db);
  const usable = repositoryStorages.filter((name) => repositories.storages.includes(name));
  return usable[randomInt(Math.max(1, usable.length))] ?? 'default';
}

/** Checks that every repository's storage is configured. Throws an Error that names the missing ones. */
export async function requireStorages(db: Db, { storages }: RepositoryStore): Promise<void> {
  const elsewhere = Prisma.sql`
    SELECT r.name, count(*)::int AS count FROM (SELECT repository_storage AS name FROM projects
      UNION ALL SELECT repository_storage FROM snippets WHERE repository_storage IS NOT NULL
      UNION ALL SELECT wiki_storage FROM namespaces WHERE wiki_storage IS NOT NULL) r
    WHERE r.name <> ALL(${storages}::text[]) GROUP BY 1 ORDER BY 1`;
  const missing = await queryRows<{ name: string; count: number }>(db, elsewhere);
  if (missing.length === 0) return;
  const list = missing.map(({ name, count }) => `"${name}" (${count} repositories)`).join(', ');
  throw new Error(`Repositories exist in storages missing from GANTRY_STORAGES: ${list}`);
}

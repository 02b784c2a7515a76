import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { migrate } from '#src/platform/database/migrate.ts';
import { freshDatabase } from '../support/database.ts';

it('A migration that needs an extension which PostgreSQL lacks says what to install', async () => {
  const url = await freshDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Of this database only the new migration is known.
  await client.query('DELETE FROM _prisma_migrations');
  await client.end();
  const directory = mkdtempSync(path.join(tmpdir(), 'gantry-migrations-'));
  try {
    mkdirSync(path.join(directory, '1_extension'));
    writeFileSync(path.join(directory, '1_extension', 'migration.sql'), 'CREATE EXTENSION no_such_thing;');
    const wanted = 'Gantry needs the extension no_such_thing, which this PostgreSQL lacks';
    await expect(migrate(url, undefined, directory)).rejects.toThrow(wanted);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

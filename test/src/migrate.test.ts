import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { migrate } from '#src/platform/database/migrate.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { freshDatabase } from '../support/database.ts';
import { scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';

const released = packagePath('prisma/migrations');
const clients: pg.Client[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
});

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  clients.push(client);
  await client.connect();
  return client;
}

/** A directory with migrations, each a script by its name. */
function migrations(scripts: Record<string, string>): string {
  const directory = scratch();
  for (const [name, sql] of Object.entries(scripts)) {
    mkdirSync(path.join(directory, name));
    writeFileSync(path.join(directory, name, 'migration.sql'), sql);
  }
  return directory;
}

/** A database of which only the given migrations are known. */
async function blank(): Promise<string> {
  const url = await freshDatabase();
  const client = await connected(url);
  await client.query('DELETE FROM _prisma_migrations');
  return url;
}

describe('Migrations', () => {
  it(
    'are applied once, however many processes start at the same moment, and indexes are built beside them',
    LONG,
    async () => {
      const url = await blank();
      const directory = migrations({
        '1_table': 'CREATE TABLE things (id int); INSERT INTO things SELECT generate_series(1, 10000);',
        '2_index': '-- For the list of things.\nCREATE INDEX CONCURRENTLY "things_id_idx" ON things (id);\n',
      });
      const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(url, undefined, directory)));
      expect(applied.flat().sort()).toEqual(['1_table', '2_index']);
      const client = await connected(url);
      const { rows } = await client.query(
        "SELECT indisvalid FROM pg_index WHERE indexrelid = 'things_id_idx'::regclass",
      );
      expect(rows).toEqual([{ indisvalid: true }]);
    },
  );

  it('build an index anew that was broken off', LONG, async () => {
    const url = await blank();
    const client = await connected(url);
    await client.query('CREATE TABLE things (id int); INSERT INTO things VALUES (1), (1)');
    const script = 'CREATE UNIQUE INDEX CONCURRENTLY things_key ON things (id);';
    const directory = migrations({ '1_index': script });
    await expect(migrate(url, undefined, directory)).rejects.toThrow(
      /1_index could not be applied: could not create unique index/,
    );
    await client.query('DELETE FROM things');
    expect(await migrate(url, undefined, directory)).toEqual(['1_index']);
  });

  it('are tried again when a deadlock broke them off', async () => {
    const url = await blank();
    const client = await connected(url);
    // What a sequence has counted stays counted when its transaction ends in an error.
    await client.query('CREATE SEQUENCE tries');
    const script = `CREATE TABLE things (id int);
      DO $$ BEGIN
        IF nextval('tries') < 3 THEN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = 'deadlock_detected'; END IF;
      END $$;`;
    expect(await migrate(url, undefined, migrations({ '1_table': script }))).toEqual(['1_table']);
    expect((await client.query('SELECT last_value::int AS tries FROM tries')).rows).toEqual([{ tries: 3 }]);
  });

  it('hold nobody up for long while they wait for a table', LONG, async () => {
    const url = await blank();
    const [reader, other] = [await connected(url), await connected(url)];
    await reader.query('CREATE TABLE things (id int)');
    await reader.query('BEGIN');
    await reader.query('SELECT * FROM things');
    const migrating = migrate(url, undefined, migrations({ '1_column': 'ALTER TABLE things ADD COLUMN name text' }));
    await new Promise((resolve) => setTimeout(resolve, 500));
    // Stands in line behind the migration, which gives way.
    expect((await other.query('SELECT count(*)::int AS n FROM things')).rows).toEqual([{ n: 0 }]);
    await reader.query('COMMIT');
    expect(await migrating).toEqual(['1_column']);
  });

  it('of a newer version do not matter, unless they took something away', LONG, async () => {
    const url = await freshDatabase();
    const client = await connected(url);
    const add = (name: string) =>
      client.query(
        `INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name) VALUES (gen_random_uuid(), 'x', now(), $1)`,
        [name],
      );
    await add('20990101000000_more');
    expect(await migrate(url, undefined, released)).toEqual([]);
    await add('20990102000000_contract_less');
    await expect(migrate(url, undefined, released)).rejects.toThrow('20990102000000_contract_less');
  });

  it('that were changed after they had been applied are refused', LONG, async () => {
    const url = await blank();
    await migrate(url, undefined, migrations({ '1_table': 'CREATE TABLE things (id int)' }));
    const changed = migrations({ '1_table': 'CREATE TABLE things (id bigint)' });
    await expect(migrate(url, undefined, changed)).rejects.toThrow('1_table was changed');
  });
});

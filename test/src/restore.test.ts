import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { RepositoryStore } from '#src/domain/repository/store.ts';
import { readChain } from '#src/entrances/backup/chain.ts';
import { readBackup } from '#src/entrances/backup/input.ts';
import { restore } from '#src/entrances/backup/restore.ts';
import { Stage } from '#src/entrances/backup/stage.ts';
import { migrate } from '#src/platform/database/migrate.ts';
import { openDatabase } from '#src/platform/lifecycle/database.ts';
import { databaseOf, emptyPlace, everything, into, quiet, startFilledWorld } from '../support/backup.ts';
import { administer, emptyDatabase } from '../support/database.ts';
import { scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { SECRET } from '../support/world.ts';

const { world, project, sql, backup, chain } = await startFilledWorld();

describe('A restore', { timeout: 300_000 }, () => {
  it('refuses a data directory, a storage or a database that is not empty', LONG, async () => {
    const file = await backup();
    const full = await emptyPlace();
    mkdirSync(full.dataDir, { recursive: true });
    writeFileSync(path.join(full.dataDir, 'credentials'), 'x');
    await expect(into(full, file)).rejects.toThrow(`${full.dataDir} is not empty: it has "credentials"`);
    expect(readdirSync(full.dataDir)).toContain('credentials');

    const storage = scratch();
    writeFileSync(path.join(storage, 'something'), 'x');
    const beside = await emptyPlace({ GANTRY_STORAGES: `default=${storage}` });
    await expect(into(beside, file)).rejects.toThrow(`${storage} is not empty`);
    expect(readdirSync(storage)).toEqual(['something']);

    const used = await emptyPlace();
    await migrate(databaseOf(used));
    await expect(into(used, file)).rejects.toThrow(
      'The database is not empty: it has a table public._prisma_migrations',
    );
    expect(readdirSync(used.dataDir)).toEqual(['lock']);
  });

  it('says what keeps it from reading what it has kept aside', async () => {
    const [staged, storage] = [scratch(), scratch()];
    const stage = new Stage(staged, { default: storage });
    expect(await stage.placeRepositories(new RepositoryStore({ default: storage }))).toEqual([]);
    await stage.placeFiles('uploads', world.uploads, undefined);
    symlinkSync('uploads', path.join(staged, 'uploads'));
    symlinkSync('.restoring', path.join(storage, '.restoring'));
    await expect(stage.placeFiles('uploads', world.uploads, undefined)).rejects.toThrow('ELOOP');
    await expect(stage.placeRepositories(new RepositoryStore({ default: storage }))).rejects.toThrow('ELOOP');
  });

  it('that did not end keeps servers from starting, and is not continued', LONG, async () => {
    const config = await emptyPlace();
    mkdirSync(path.join(config.dataDir, 'restoring'), { recursive: true });
    await expect(openDatabase(config, quiet, () => undefined)).rejects.toThrow(
      `A restore into ${config.dataDir} did not end`,
    );
    await expect(into(config, await backup())).rejects.toThrow('holds what a restore left that did not end');

    const { Loading } = await import('#src/platform/database/load.ts');
    const url = await emptyDatabase();
    {
      await using _ = await Loading.begin(url);
    }
    await expect(migrate(url)).rejects.toThrow('unfinished_gantry_restore');
    await expect(Loading.begin(url)).rejects.toThrow('The database holds what a restore left that did not end');
  });

  it(
    'that is told to stop does so wherever it is, clears away what it made, and names the database that is left',
    LONG,
    async () => {
      const file = await backup();
      const left = 'Before you try again, empty the database of DATABASE_URL: part of the backup is in there.';
      const sessions =
        'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
      for (const [step, said] of [
        ['reading the backup', 'Stopped.'],
        ['table issues', `Stopped. ${left}`],
        ['repositories and uploads', `Stopped. ${left}`],
      ]) {
        const config = await emptyPlace();
        const stop = new AbortController();
        const onStep = (text: string) => text === step && stop.abort(new Error('Stopped.'));
        const stopped = restore({ config, file, earlier: [], log: quiet, onStep, signal: stop.signal });
        await expect(stopped).rejects.toThrow(new Error(said));
        expect(readdirSync(config.dataDir)).toEqual(['lock']);
        await expect
          .poll(async () => (await administer(databaseOf(config), (client) => client.query(sessions))).rows)
          .toEqual([]);
      }
    },
  );

  it('that is told to stop does not wait for the rows of a table', LONG, async () => {
    const { Loading } = await import('#src/platform/database/load.ts');
    const url = await emptyDatabase();
    const stop = new AbortController();
    await using loading = await Loading.begin(url, stop.signal);
    async function* rows() {
      yield Buffer.from('x\n');
      stop.abort(new Error('Stopped.'));
      for (;;) yield Buffer.from('x\n'.repeat(10_000));
    }
    const table = { name: '_prisma_migrations', columns: ['id'], rows: 1 };
    await expect(loading.copyIn(table, rows())).rejects.toThrow();
  });

  it('that is told to stop, and a backup, do not go on reading an earlier backup', LONG, async () => {
    const { files, last } = await chain();
    const stopping = () => {
      const stop = new AbortController();
      return { signal: stop.signal, receiver: { onEntry: async () => stop.abort(new Error('Stopped.')) } };
    };
    const [first, later] = [stopping(), stopping()];
    await expect(readBackup(String(files[0]), first.receiver, first.signal)).rejects.toThrow('Stopped.');
    await expect(readChain(last, [], {}, () => later.receiver, later.signal)).rejects.toThrow('Stopped.');
    await expect(readBackup(last, {}, AbortSignal.abort(new Error('Stopped.')))).rejects.toThrow('Stopped.');
  });

  it('wants the secret of the server where the backup does not hold it, and none that does not fit', LONG, async () => {
    const without = await backup({ withSecret: false });
    await expect(into(await emptyPlace(), without)).rejects.toThrow(
      'The backup was made without the secret: set GANTRY_SECRET',
    );
    const wrong = await emptyPlace({ GANTRY_SECRET: 'x'.repeat(40) });
    await expect(into(wrong, without)).rejects.toThrow('The secret does not fit');
    await expect(into(wrong, await backup())).rejects.toThrow('The secret does not fit');
    expect(readdirSync(wrong.dataDir)).toEqual(['lock']);
    expect(zstdDecompressSync(readFileSync(without)).includes(SECRET.trim())).toBe(false);
  });

  it('brings the host keys for SSH along with the secret, and leaves those that are there', LONG, async () => {
    const keys = path.join(scratch(), 'ssh');
    mkdirSync(keys);
    const names = ['ssh_host_ed25519_key', 'ssh_host_rsa_key'];
    for (const name of names) writeFileSync(path.join(keys, name), `secret ${name}\n`);
    const config = await emptyPlace();
    await into(config, await backup({ hostKeys: keys }));
    for (const name of names) {
      const file = path.join(config.dataDir, 'ssh', name);
      expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([`secret ${name}\n`, 0o600]);
    }
    const own = path.join(scratch(), 'own');
    mkdirSync(own);
    writeFileSync(path.join(own, 'ssh_host_rsa_key'), 'other\n');
    await into(await emptyPlace({ GANTRY_SSH_HOST_KEYS: own }), await backup({ hostKeys: keys }));
    expect(readFileSync(path.join(own, 'ssh_host_rsa_key'), 'utf8')).toBe('other\n');
    const without = await backup({ hostKeys: keys, withSecret: false });
    expect(zstdDecompressSync(readFileSync(without)).includes('secret ssh_host')).toBe(false);
  });

  it('is possible with the secret in GANTRY_SECRET alone', LONG, async () => {
    const file = await backup({ withSecret: false, secret: undefined });
    const config = await emptyPlace();
    config.secret = SECRET;
    await into(config, file);
    expect(existsSync(path.join(config.dataDir, 'secret'))).toBe(false);
  });

  it('names the storages that the settings lack', LONG, async () => {
    await sql(`UPDATE projects SET repository_storage = 'fast' WHERE id = ${project.id}`);
    const stores = { repositories: new RepositoryStore({ default: scratch(), fast: scratch() }) };
    const file = await backup(stores);
    await sql(`UPDATE projects SET repository_storage = 'default' WHERE id = ${project.id}`);
    await expect(into(await emptyPlace(), file)).rejects.toThrow('storages missing from GANTRY_STORAGES: fast');
  });

  it('leaves out tables that are not of this server, and names them', LONG, async () => {
    await sql(
      'CREATE TABLE somebody_elses (id serial, text text); INSERT INTO somebody_elses (text) VALUES ($$kept$$)',
    );
    const file = await backup();
    await sql('DROP TABLE somebody_elses');
    expect((await into(await emptyPlace(), file)).foreign).toEqual(['somebody_elses']);
    expect((await readBackup(file)).manifest.sums.map((sum) => sum.path)).toContain('database/somebody_elses');
  });

  it('keeps the rows of tables with odd names apart, and in their place', LONG, async () => {
    const names = ['..', 'a/b', '../../escaped', 'Users', 'space and %2F', 'ünïcödé', '\n'];
    for (const name of names) await sql(`CREATE TABLE "${name}" (text text); INSERT INTO "${name}" VALUES ('kept')`);
    const file = await backup().finally(async () => {
      for (const name of names) await sql(`DROP TABLE "${name}"`);
    });
    const config = await emptyPlace();
    expect((await into(config, file)).foreign.sort()).toEqual(names.sort());
    const { users } = await everything(databaseOf(config));
    expect(users).toEqual((await everything(world.databaseUrl)).users);
    const members = execFileSync('tar', ['-t'], { input: zstdDecompressSync(readFileSync(file)), maxBuffer: 1 << 26 });
    const odd = members
      .toString()
      .split('\n')
      .filter((name) => !/^[\w.-]+(\/[\w.%-]+)*$/.test(name) || name.includes('/../'));
    expect(odd).toEqual(['']);
    expect(members.toString()).toContain('database/%2E%2E/000001.copy\n');
    expect(readdirSync(path.dirname(config.dataDir))).toEqual(['data']);
  });

  it('is refused by the backup already where a table has the name of what stands for waiting jobs', LONG, async () => {
    await sql('CREATE TABLE "pgboss.job" (text text)');
    await expect(backup().finally(() => sql('DROP TABLE "pgboss.job"'))).rejects.toThrow('named "pgboss.job"');
  });

  it('refuses a backup of a version with migrations that this one lacks', LONG, async () => {
    await sql(`INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
      VALUES ('later', '-', '29990101000000_later', now())`);
    const file = await backup();
    await sql("DELETE FROM _prisma_migrations WHERE id = 'later'");
    const config = await emptyPlace();
    await expect(into(config, file)).rejects.toThrow(
      'It has migration 29990101000000_later, which this version of Gantry does not know',
    );
  });

  it('is refused a wrong secret by the backup already', LONG, async () => {
    await expect(backup({ secret: 'y'.repeat(40) })).rejects.toThrow('The secret does not fit the database');
    await expect(backup({ secret: undefined })).rejects.toThrow('The secret of the server is not known');
  });
});

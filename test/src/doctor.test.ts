import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ok, runChecks } from '#src/entrances/doctor/check.ts';
import { judgeClocks } from '#src/entrances/doctor/database.ts';
import { examine } from '#src/entrances/doctor/examine.ts';
import { type Config, loadConfig } from '#src/platform/config/config.ts';
import { connect } from '#src/platform/database/db.ts';
import { migrate } from '#src/platform/database/migrate.ts';
import { agreeOnSecret } from '#src/platform/lifecycle/secret.ts';
import { administer, emptyDatabase, freshDatabase } from '../support/database.ts';
import { scratch } from '../support/git_program.ts';
import { ImapServer } from '../support/imap_server.ts';
import { LONG } from '../support/long.ts';
import { MAIL_IN } from '../support/mail_in.ts';
import { startMailbox } from '../support/mailbox.ts';
import { takenJob } from '../support/running_job.ts';
import { SECRET, startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const mailbox = await startMailbox();

/** Settings as a server of this world would have them. */
function settings(env: Record<string, string> = {}): Config {
  const data = path.join(scratch(), 'data');
  mkdirSync(data);
  const repositories = path.dirname(
    path.dirname(world.repositories.directory({ id: 1, repositoryStorage: 'default' })),
  );
  const usual = { GANTRY_DATA: data, GANTRY_STORAGES: `default=${repositories}` };
  return { ...loadConfig({ ...usual, ...env }, scratch()), secret: SECRET };
}

/** What a check says, such as `FAIL the reason → the advice`. */
async function said(name: string, config: Config, database: string | Error = world.databaseUrl): Promise<string> {
  const checked = (await examine(config, database)).find((check) => check.name === name);
  return `${checked?.status} ${checked?.summary}${checked?.advice ? ` → ${checked.advice}` : ''}`;
}

const sql = (text: string) => administer(world.databaseUrl, (client) => client.query(text));

describe('gantry doctor', () => {
  it('finds nothing wrong with a server that is well', LONG, async () => {
    const checked = await examine(settings(), world.databaseUrl);
    expect(checked.filter(({ status }) => status !== 'OK')).toEqual([]);
    expect(checked.map(({ name }) => name)).toEqual([
      'database',
      'migrations',
      'secret',
      'git',
      'data',
      'storages',
      'uploads',
      'clock',
      'queue',
      'mail',
      'mail in',
      'server',
      'url',
    ]);
  });

  it('says what is wrong with the database, and looks at everything else without it', async () => {
    const config = settings({ DATABASE_URL: 'postgresql://127.0.0.1:1/gantry' });
    const checked = await examine(config, 'postgresql://127.0.0.1:1/gantry');
    const failed = checked.filter(({ status }) => status === 'FAIL').map(({ name }) => name);
    expect(failed).toEqual(['database', 'migrations', 'clock', 'queue']);
    expect(checked[0]).toMatchObject({
      summary: expect.stringContaining('ECONNREFUSED'),
      advice: expect.stringContaining('DATABASE_URL'),
    });
    expect(await said('database', config, new Error('it did not start'))).toMatch(/^FAIL it did not start/);
  });

  it('gives each check a time, and lets no check stop another', async () => {
    const checked = await runChecks(
      [
        { name: 'hangs', run: () => new Promise(() => undefined) },
        { name: 'throws', run: () => Promise.reject(new Error('broken\nwith a stack')) },
        {
          name: 'throws at once',
          run: () => {
            throw new AggregateError([new Error('one'), new Error('two')]);
          },
        },
        { name: 'works', run: async () => ok('fine') },
      ],
      50,
    );
    expect(checked).toEqual([
      { name: 'hangs', status: 'FAIL', summary: 'no answer within 0.05 seconds' },
      { name: 'throws', status: 'FAIL', summary: 'broken' },
      { name: 'throws at once', status: 'FAIL', summary: 'one; two' },
      { name: 'works', status: 'OK', summary: 'fine' },
    ]);
  });

  it('names migrations that are pending, of a newer version, changed, or did not end', LONG, async () => {
    const config = settings();
    const url = await emptyDatabase();
    const change = (text: string) => administer(url, (client) => client.query(text));
    expect(await said('migrations', config, url)).toMatch(/^WARN the database is empty/);
    await migrate(url);
    expect(await said('migrations', config, url)).toMatch(/^OK all \d+ are applied$/);
    const later = (name: string) =>
      change(
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('${name}', '', '${name}', now())`,
      );
    await later('2999_added');
    expect(await said('migrations', config, url)).toMatch(/^WARN of a newer version: 2999_added → Update Gantry/);
    await change("DELETE FROM _prisma_migrations WHERE migration_name = '20261121200500_accounts'");
    expect(await said('migrations', config, url)).toMatch(
      /^WARN pending: 20261121200500_accounts → Run `gantry migrate`/,
    );
    await change("UPDATE _prisma_migrations SET checksum = 'x' WHERE migration_name = '20261121000000_init'");
    expect(await said('migrations', config, url)).toMatch(/^FAIL not those of this version: 20261121000000_init/);
    await later('2999_contract_names');
    expect(await said('migrations', config, url)).toMatch(
      /^FAIL of a newer version, which took .*: 2999_contract_names/,
    );
    await change("INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('2', '', '2999_half')");
    expect(await said('migrations', config, url)).toMatch(/^FAIL did not end: 2999_half/);
  });

  it('tells a secret that is missing, too short, does not fit, or that others can read', LONG, async () => {
    const config = settings();
    const file = path.join(config.dataDir, 'secret');
    expect(await said('secret', config)).toBe('OK GANTRY_SECRET fits the database');
    expect(await said('secret', { ...config, secret: 'x'.repeat(40) })).toMatch(
      /^FAIL GANTRY_SECRET does not fit the database/,
    );
    const { secret: _, ...kept } = config;
    expect(await said('secret', kept)).toMatch(/^FAIL neither GANTRY_SECRET nor .*secret is there/);
    expect(await said('secret', kept, await emptyDatabase())).toMatch(/^OK not there yet/);
    writeFileSync(file, 'short', { mode: 0o600 });
    expect(await said('secret', kept)).toMatch(
      /^FAIL .*secret is damaged: a key of at least 32 characters was expected/,
    );
    expect(await said('secret', config)).toBe('OK GANTRY_SECRET fits the database');
    writeFileSync(file, 'y'.repeat(40));
    chmodSync(file, 0o644);
    expect(await said('secret', kept)).toMatch(/^FAIL .* does not fit/);
    expect(await said('secret', kept, new Error('away'))).toMatch(/^WARN .* others can read the file → Run `chmod 600/);
  });

  it(
    'tells a secret that is not the one that the database was used with, although nothing is encrypted in it',
    LONG,
    async () => {
      const url = await freshDatabase();
      const db = connect(url);
      await agreeOnSecret(db, settings());
      await db.$disconnect();
      expect(await said('secret', settings(), url)).toBe('OK GANTRY_SECRET fits the database');
      const other = { ...settings(), secret: 'x'.repeat(40) };
      expect(await said('secret', other, url)).toMatch(/^FAIL GANTRY_SECRET does not fit the database/);
    },
  );

  it('wants as much room as the server does (GANTRY_MIN_FREE_BYTES)', LONG, async () => {
    const config = { ...settings(), minFreeBytes: Number.MAX_SAFE_INTEGER };
    for (const place of [String(config.storages.default), path.join(config.dataDir, 'uploads')])
      mkdirSync(place, { recursive: true });
    for (const name of ['data', 'storages', 'uploads'])
      expect(await said(name, config)).toMatch(/^FAIL .* free.* → Make room: .* \(GANTRY_MIN_FREE_BYTES\)/);
  });

  it('tells storages that are not known, gone, or no directories', LONG, async () => {
    const config = settings();
    const project = await world.project({ owner });
    await sql(
      `INSERT INTO recorded_refs (project_id, name, oid) VALUES (${project.id}, 'refs/heads/main', '${'0'.repeat(40)}')`,
    );
    mkdirSync(String(config.storages.default), { recursive: true });
    const missing = path.join(scratch(), 'storage');
    expect(await said('storages', { ...config, storages: { default: missing } })).toMatch(
      /^FAIL default: .* does not exist, but repositories lie there/,
    );
    writeFileSync(missing, '');
    expect(await said('storages', { ...config, storages: { default: missing } })).toMatch(
      /^FAIL default: .* is not a directory/,
    );
    rmSync(missing);
    symlinkSync(missing, missing);
    expect(await said('storages', { ...config, storages: { default: missing } })).toMatch(
      /^FAIL default: .* cannot be reached: ELOOP → /,
    );
    rmSync(missing);
    const more = { ...config.storages, spare: path.join(missing, 'deeper') };
    expect(await said('storages', { ...config, storages: more })).toMatch(
      /^FAIL default: .* is writable.*; spare: .* does not exist/,
    );
    await sql(`UPDATE projects SET repository_storage = 'fast' WHERE id = ${project.id}`);
    expect(await said('storages', config)).toMatch(
      /^FAIL repositories lie in "fast" \(1 projects\), whose directory is not known/,
    );
    await sql(`DELETE FROM projects WHERE id = ${project.id}`);
  });

  it('tells a data directory that is not there although the database knows of a server', LONG, async () => {
    const missing = path.join(scratch(), 'mistyped');
    const config = settings({ GANTRY_DATA: missing });
    expect(await said('data', config)).toMatch(/^FAIL There is no Gantry in .*mistyped, which does not exist/);
    expect(await said('data', config, await emptyDatabase())).toMatch(/^OK .*mistyped is not there yet/);
    const elsewhere = { ...config, uploads: { directory: scratch() } };
    expect(await said('data', elsewhere)).toMatch(/^OK .*mistyped is not there yet/);
    expect(existsSync(missing)).toBe(false);
  });

  it('tells uploads that are missing', LONG, async () => {
    const config = settings();
    const project = await world.project({ owner });
    const place = { projectId: project.id, secret: 'a'.repeat(32), fileName: 'f.txt' };
    await world.db.upload.create({ data: { ...place, size: 3 } });
    expect(await said('uploads', config)).toMatch(/^FAIL 1 of the latest 1 uploads are missing .* f?/);
    const directory = path.join(config.dataDir, 'uploads', String(project.id), place.secret);
    mkdirSync(directory, { recursive: true });
    writeFileSync(path.join(directory, 'f.txt'), 'abc');
    expect(await said('uploads', config)).toMatch(/^OK .*; the latest 1 uploads are there$/);
    const { id: jobId } = await takenJob(world, owner, project);
    const artifacts = { ...place, jobId, fileName: 'artifacts.zip', size: 3 };
    await world.db.jobArtifacts.create({ data: artifacts });
    expect(await said('uploads', config)).toMatch(/^FAIL 1 of the latest 1 artifacts of jobs are missing/);
    const below = path.join(config.dataDir, 'uploads/artifacts', String(project.id), place.secret);
    mkdirSync(below, { recursive: true });
    writeFileSync(path.join(below, 'artifacts.zip'), 'abc');
    expect(await said('uploads', config)).toMatch(/^OK .*; the latest 1 uploads and 1 artifacts are there$/);
    await sql(`DELETE FROM projects WHERE id = ${project.id}`);
  });

  it('tells clocks that differ', () => {
    expect(judgeClocks(-12)).toEqual({ status: 'OK', summary: 'the database is 12 ms behind this machine' });
    expect(judgeClocks(5_000).status).toBe('WARN');
    expect(judgeClocks(-90_000).status).toBe('FAIL');
  });

  it('tells jobs that wait for long, and jobs that were given up', LONG, async () => {
    const config = settings();
    expect(await said('queue', config)).toMatch(/^OK processes at work: 1, jobs waiting: 0, given up: 0$/);
    await sql(`INSERT INTO pgboss.job (name, start_after, created_on, singleton_key)
      SELECT name, now() - interval '1 hour', now() - interval '1 hour', 'odd' FROM pgboss.queue WHERE name = 'dead_letters'`);
    expect(await said('queue', config)).toMatch(/^WARN .* given up: 1 → See `gantry jobs dead`/);
    await sql("DELETE FROM pgboss.job WHERE name = 'dead_letters'");
    await sql(`INSERT INTO pgboss.queue (name, policy, retry_limit, retry_delay, retry_backoff, expire_seconds, retention_seconds, deletion_seconds, partition, table_name)
      SELECT 'odd', policy, retry_limit, retry_delay, retry_backoff, expire_seconds, retention_seconds, deletion_seconds, partition, table_name
      FROM pgboss.queue WHERE name = 'dead_letters'`);
    await sql(
      "INSERT INTO pgboss.job (name, created_on, start_after) VALUES ('odd', now() - interval '1 hour', now() - interval '1 hour')",
    );
    expect(await said('queue', config)).toMatch(
      /^WARN processes at work: 1, jobs waiting: 1 \(the oldest for 36\d\d s\)/,
    );
    await sql("DELETE FROM pgboss.job WHERE name = 'odd'");
  });

  it('opens the mailbox of incoming mail and takes nothing', LONG, async () => {
    const server = new ImapServer();
    await server.start();
    const uid = server.deliver(Buffer.from('From: a@example.org\r\n\r\nHello'));
    const address = { GANTRY_MAIL_IN_ADDRESS: MAIL_IN };
    const answer = await said('mail in', settings({ ...address, GANTRY_MAIL_IN_IMAP: server.url }));
    expect(answer).toMatch(/^OK the mailbox at 127\.0\.0\.1:\d+ can be opened/);
    expect(server.flagsOf(uid)).toEqual([]);
    const wrong = settings({ ...address, GANTRY_MAIL_IN_IMAP: server.url.replace('p%40ss', 'hidden') });
    const refused = await said('mail in', wrong);
    expect(refused).toMatch(/^FAIL 127\.0\.0\.1:\d+ cannot be used: .* → Correct GANTRY_MAIL_IN_IMAP/);
    expect(refused).not.toContain('hidden');
    await server.stop();
    expect(await said('mail in', settings(address))).toMatch(/^OK mail to .* is received by gantry mail-in/);
    expect(await said('mail in', settings())).toMatch(/^OK GANTRY_MAIL_IN_ADDRESS is not set/);
  });

  it('connects to the mail server and sends nothing', LONG, async () => {
    const config = settings({ SMTP_URL: mailbox.url, MAIL_FROM: 'gantry@example.org' });
    expect(await said('mail', config)).toMatch(/^OK 127\.0\.0\.1:\d+ accepts connections/);
    expect(mailbox.received).toEqual([]);
    const closed = settings({ SMTP_URL: 'smtp://user:hidden@127.0.0.1:1', MAIL_FROM: 'gantry@example.org' });
    const answer = await said('mail', closed);
    expect(answer).toMatch(/^FAIL 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED.* → Correct SMTP_URL/);
    expect(answer).not.toContain('hidden');
    expect(await said('mail', settings())).toMatch(/^OK SMTP_URL is not set/);
  });

  it('gives up a mail server that says nothing', { ...LONG, timeout: 30_000 }, async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as { port: number };
    const config = settings({ SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'gantry@example.org' });
    expect(await said('mail', config)).toMatch(/^FAIL 127\.0\.0\.1:\d+ cannot be used/);
    silent.close();
  });

  it('follows GANTRY_URL to the server', LONG, async () => {
    expect(await said('url', settings({ GANTRY_URL: world.url }))).toBe(`OK ${world.url} leads to the server`);
    expect(await said('url', settings({ GANTRY_URL: `${world.url}/elsewhere` }))).toMatch(
      /^WARN .* answers 404 → Correct GANTRY_URL/,
    );
    const config = settings({ SMTP_URL: mailbox.url, MAIL_FROM: 'gantry@example.org' });
    expect(await said('url', config)).toMatch(/^WARN GANTRY_URL is not set, and links in mail/);
  });
});

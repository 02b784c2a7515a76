import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type pg from 'pg';
import { pack } from 'tar-stream';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { mayRemoveObjects } from '#src/domain/repository/lock.ts';
import { RepositoryStore } from '#src/domain/repository/store.ts';
import { Archive } from '#src/entrances/backup/archive.ts';
import { readChain } from '#src/entrances/backup/chain.ts';
import { type BackupOptions, createBackup } from '#src/entrances/backup/create.ts';
import { BadBackup, readBackup } from '#src/entrances/backup/input.ts';
import { Known } from '#src/entrances/backup/known.ts';
import type { Missing } from '#src/entrances/backup/manifest.ts';
import { objectFiles } from '#src/entrances/backup/objects.ts';
import { writeBackup } from '#src/entrances/backup/output.ts';
import { restore } from '#src/entrances/backup/restore.ts';
import { Stage } from '#src/entrances/backup/stage.ts';
import { loadConfig } from '#src/platform/config/config.ts';
import { Exclusion } from '#src/platform/database/exclude.ts';
import { migrate } from '#src/platform/database/migrate.ts';
import { openDatabase } from '#src/platform/lifecycle/database.ts';
import { administer, emptyDatabase } from '../support/database.ts';
import { commitFile, run, workingCopy } from '../support/git_client.ts';
import { git, gitLines, scratch, unpack } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { SECRET, startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const quiet = { info: () => undefined, warn: console.warn, error: console.error };
let project: ProjectRow;
let work: string;

/** A project with a history, some refs, issues, an upload, and a job that waits. */
beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
  work = scratch('file');
  await run(work, 'init', '--quiet', '--initial-branch=main');
  await run(work, 'remote', 'add', 'origin', remoteOf(project));
  for (let at = 0; at < 5; at++) await commitFile(work, `f${at}.txt`, `${at}\n`.repeat(100));
  await run(work, 'tag', '-a', '-m', 'One', 'v1');
  await run(work, 'branch', 'feature/ünïcödé');
  await run(work, 'push', '--quiet', 'origin', 'main', 'v1', 'feature/ünïcödé');
  for (let at = 0; at < 3; at++) {
    await world.issue(project, owner, { title: `Tab\t, back\\slash, "quotes" and 🐚 ${at}` });
  }
  await upload('first.txt', 'The first upload');
  await world.idle();
  await sql(`INSERT INTO pgboss.job (name, data, start_after, retry_limit, priority)
    VALUES ('projects.remove', '{"projectId": 0}', now() + interval '1 day', 7, 3)`);
});

/** The rows of a statement. */
const sql = async (text: string) => (await administer(world.databaseUrl, (client) => client.query(text))).rows;

const remoteOf = ({ fullPath }: ProjectRow) =>
  `${world.url.replace('http://', `http://oauth2:${owner.token}@`)}/${fullPath}.git`;

async function upload(name: string, content: string): Promise<void> {
  const form = new FormData();
  form.append('file', new File([content], name));
  const address = `${world.url}/api/v4/projects/${project.id}/uploads`;
  const answer = await fetch(address, { method: 'POST', body: form, headers: { 'private-token': owner.token } });
  expect(answer.status).toBe(201);
}

function contents(more: Partial<BackupOptions> = {}) {
  const { databaseUrl, repositories, uploads } = world;
  return createBackup({
    databaseUrl,
    repositories,
    uploads,
    secret: SECRET,
    withSecret: true,
    name: 'test.gantry',
    ...more,
  });
}

async function backup(more: Partial<BackupOptions> = {}): Promise<string> {
  const file = path.join(scratch(), more.name ?? 'test.gantry');
  await writeBackup(file, contents(more));
  return file;
}

/** Settings for an empty data directory and an empty database. */
async function emptyPlace(env: Record<string, string> = {}) {
  const directory = path.join(scratch(), 'data');
  return loadConfig({ GANTRY_DATA: directory, DATABASE_URL: await emptyDatabase(), ...env }, scratch());
}

type Place = Awaited<ReturnType<typeof emptyPlace>>;
const into = (config: Place, file: string, earlier: string[] = []) => restore({ config, file, earlier, log: quiet });
const databaseOf = (config: Place) => String(config.databaseUrl);
const repositoryOf = (config: Place, of: ProjectRow) => new RepositoryStore(config.storages).directory(of);

const TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1";
const WAITING = "SELECT to_jsonb(j) - 'state' AS row FROM pgboss.job j WHERE state < 'completed' ORDER BY id";
const STRUCTURE = `
  SELECT 'constraint' AS kind, conrelid::regclass::text AS of, conname AS name, pg_get_constraintdef(oid) AS text
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
  UNION ALL SELECT 'index', tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT 'trigger', tgrelid::regclass::text, tgname, tgenabled::text || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT 'sequence', sequencename, '', concat(last_value) FROM pg_sequences WHERE schemaname = 'public'
  ORDER BY 1, 2, 3`;

/** Everything in a database; what a running server notes of itself aside. */
async function everything(url: string): Promise<Record<string, unknown>> {
  return administer(url, async (client: pg.Client) => {
    const found: Record<string, unknown> = {};
    for (const { relname } of (await client.query(TABLES)).rows) {
      if (relname === 'job_processes') continue;
      const { rows } = await client.query(`SELECT to_jsonb(t) AS row FROM "${relname}" t ORDER BY t::text`);
      found[relname] = rows.map(({ row }) => row);
    }
    found['waiting jobs'] = (await client.query(WAITING)).rows;
    found.structure = (await client.query(STRUCTURE)).rows;
    return found;
  });
}

describe('A backup', { timeout: 300_000 }, () => {
  it(
    'is restored into another database with every record, and all constraints, indexes, triggers and sequences',
    LONG,
    async () => {
      const config = await emptyPlace();
      const file = await backup();
      const before = await everything(world.databaseUrl);
      const { missing, dangling } = await into(config, file);
      expect({ missing, dangling }).toEqual({ missing: [], dangling: [] });
      const after = await everything(databaseOf(config));
      expect(Object.keys(before).length).toBeGreaterThan(50);
      expect(before.issues).toHaveLength(3);
      expect(before['waiting jobs']).toHaveLength(1);
      expect(after).toEqual(before);
    },
  );

  it(
    'is restored with repositories that have the recorded refs and are sound, with uploads and the secret',
    LONG,
    async () => {
      const config = await emptyPlace();
      await into(config, await backup());
      const [from, to] = [world.repositories.directory(project), repositoryOf(config, project)];
      expect(gitLines(to, ['for-each-ref'])).toEqual(gitLines(from, ['for-each-ref']));
      expect(gitLines(to, ['for-each-ref'])).toHaveLength(3);
      expect(git(to, ['symbolic-ref', 'HEAD'])).toBe('refs/heads/main\n');
      expect(git(to, ['fsck', '--strict', '--no-dangling'])).toBe('');
      const [row] = await sql('SELECT secret FROM uploads');
      const uploaded = path.join(config.dataDir, 'uploads', String(project.id), String(row?.secret), 'first.txt');
      expect(readFileSync(uploaded, 'utf8')).toBe('The first upload');
      const secret = path.join(config.dataDir, 'secret');
      expect(readFileSync(secret, 'utf8')).toBe(`${SECRET}\n`);
      expect(statSync(secret).mode & 0o777).toBe(0o600);
      expect(readdirSync(config.dataDir).sort()).toEqual(['lock', 'repositories', 'secret', 'uploads']);
    },
  );

  it('shows the moment when it was begun: refs and records that come later are not in it', LONG, async () => {
    const config = await emptyPlace();
    const file = path.join(scratch(), 'test.gantry');
    const tip = git(world.repositories.directory(project), ['rev-parse', 'main']);
    let rounds = 0;
    async function* whileOthersWrite() {
      let count = 0;
      for await (const chunk of contents()) {
        yield chunk;
        if (count++ % 25 !== 0 || rounds === 5) continue;
        rounds += 1;
        await commitFile(work, 'later.txt', `${rounds}\n`);
        await run(work, 'commit', '--quiet', '--amend', '-m', `Round ${rounds}`);
        await run(work, 'push', '--quiet', '--force', 'origin', 'main', 'main:later');
        await run(work, 'push', '--quiet', 'origin', ':later');
        await world.issue(project, owner, { title: 'Later' });
      }
    }
    const issues = await sql('SELECT id FROM issues');
    await writeBackup(file, whileOthersWrite());
    expect(rounds).toBeGreaterThan(3);
    await into(config, file);
    expect(git(repositoryOf(config, project), ['rev-parse', 'main'])).toBe(tip);
    expect(gitLines(repositoryOf(config, project), ['for-each-ref'])).toHaveLength(3);
    const restored = await administer(databaseOf(config), (client) => client.query('SELECT id FROM issues'));
    expect(restored.rows).toHaveLength(issues.length);
  });

  it(
    'is a file of mode 600 that takes the place of another one only if told so, and leaves nothing half done',
    LONG,
    async () => {
      const file = await backup();
      expect(statSync(file).mode & 0o777).toBe(0o600);
      await expect(writeBackup(file, contents())).rejects.toThrow(`${file} exists`);
      await writeBackup(file, contents(), { force: true });
      async function* failing() {
        yield Buffer.from('something');
        throw new Error('The disk is full');
      }
      const other = path.join(path.dirname(file), 'other.gantry');
      await expect(writeBackup(other, failing())).rejects.toThrow('The disk is full');
      await expect(writeBackup(other, contents(), { signal: AbortSignal.abort() })).rejects.toThrow();
      expect(readdirSync(path.dirname(file))).toEqual(['test.gantry']);
    },
  );

  it('is a tar archive that people can look into', LONG, async () => {
    const archive = zstdDecompressSync(readFileSync(await backup()));
    const names = execFileSync('tar', ['-t'], { input: archive, maxBuffer: 1 << 26 })
      .toString()
      .split('\n');
    expect(names).toContain('database/issues/000001.copy');
    expect(names).toContain(`repositories/default/${project.id}.git/packed-refs`);
    expect(names.at(-2)).toBe('manifest.json');
  });

  it('survives repositories that are repacked all the while', LONG, async () => {
    const directory = world.repositories.directory(project);
    let stopped = false;
    const repacking = (async () => {
      for (let at = 0; !stopped; at++) {
        await run(directory, 'repack', '-q', ...(at % 2 ? ['-d'] : ['-a', '-d', '-F']));
        await commitFile(work, `r${at}.txt`, `${at}\n`);
        await run(work, 'push', '--quiet', 'origin', 'main');
      }
    })();
    try {
      for (let round = 0; round < 2; round++) {
        const config = await emptyPlace();
        const { dangling } = await into(config, await backup());
        expect(dangling).toEqual([]);
        expect(git(repositoryOf(config, project), ['fsck', '--strict', '--no-dangling'])).toBe('');
      }
    } finally {
      stopped = true;
      await repacking;
    }
  });

  it('is not made where the directory of a storage is missing in which there are repositories', async () => {
    const missing = path.join(scratch(), 'mistyped', 'repositories');
    const repositories = new RepositoryStore({ default: missing });
    await expect(backup({ repositories })).rejects.toThrow(
      `The directory ${missing} of the storage "default" does not exist, but the database knows of repositories in it`,
    );
  });

  it('is not made where a repository is there and cannot be read', LONG, async () => {
    const odd = await world.project({ owner });
    const directory = world.repositories.directory(odd);
    mkdirSync(path.dirname(directory), { recursive: true });
    symlinkSync(directory, directory);
    try {
      await expect(backup()).rejects.toThrow('ELOOP');
    } finally {
      rmSync(directory);
      await sql(`DELETE FROM projects WHERE id = ${odd.id}`);
    }
  });

  it('gives files of a repository whole that a repack removes while they are read', LONG, async () => {
    const directory = path.join(scratch(), 'clone.git');
    await run(work, 'clone', '--quiet', '--bare', work, directory);
    unpack(directory);
    const found = new Map<string, number>();
    let repacked = false;
    for await (const { name, size, content } of objectFiles(directory)) {
      if (!repacked) git(directory, ['repack', '-a', '-d', '-q']);
      repacked = true;
      let read = 0;
      for await (const chunk of content()) read += chunk.length;
      found.set(name, read - size);
    }
    expect([...found.values()].every((difference) => difference === 0)).toBe(true);
    expect([...found.keys()].filter((name) => name.endsWith('.pack'))).toHaveLength(1);
  });

  it('keeps old objects from being removed while it is made', async () => {
    const may = () => world.db.$transaction((tx) => mayRemoveObjects(tx, project.id));
    expect(await may()).toBe(true);
    {
      await using _ = await Exclusion.open(world.databaseUrl);
      expect(await may()).toBe(false);
      await expect(Exclusion.open(world.databaseUrl, 50)).rejects.toThrow('Another backup is being made');
    }
    expect(await may()).toBe(true);
  });

  it('has projects deleted that were deleted, and lost files, while it was made', LONG, async () => {
    const doomed = await world.project({ owner });
    const copy = await workingCopy();
    await commitFile(copy, 'f.txt', 'text');
    await run(copy, 'push', '--quiet', remoteOf(doomed), 'main');
    const file = path.join(scratch(), 'test.gantry');
    async function* deletedMeanwhile() {
      let deleted = false;
      for await (const chunk of contents()) {
        yield chunk;
        if (deleted) continue;
        deleted = true;
        await sql(`UPDATE projects SET deleted_at = now() WHERE id = ${doomed.id}`);
        rmSync(world.repositories.directory(doomed), { recursive: true });
      }
    }
    await writeBackup(file, deletedMeanwhile());
    const config = await emptyPlace();
    const { missing } = await into(config, file);
    expect(missing).toEqual([
      { kind: 'repository', projectId: doomed.id, path: `repositories/default/${doomed.id}.git`, gone: true },
    ]);
    const query = `SELECT deleted_at IS NOT NULL AS deleted,
      (SELECT count(*)::int FROM pgboss.job WHERE name = 'projects.remove' AND data->>'projectId' = '${doomed.id}') AS jobs
      FROM projects WHERE id = ${doomed.id}`;
    const { rows } = await administer(databaseOf(config), (client) => client.query(query));
    expect(rows).toEqual([{ deleted: true, jobs: 1 }]);
    await sql(`DELETE FROM projects WHERE id = ${doomed.id}`);
  });
});

describe('A backup that is not whole', { timeout: 300_000 }, () => {
  /** What is left in a place where a restore failed. */
  async function leftIn(config: Place) {
    const { rows } = await administer(databaseOf(config), (client) => client.query(TABLES));
    return { files: readdirSync(config.dataDir), tables: rows };
  }
  const nothing = { files: ['lock'], tables: [] };

  it('is refused by name when it was cut off anywhere, and leaves nothing', LONG, async () => {
    const whole = readFileSync(await backup());
    const config = await emptyPlace();
    const file = path.join(scratch(), 'cut.gantry');
    for (const part of [0.05, 0.3, 0.6, 0.9, 0.999]) {
      writeFileSync(file, whole.subarray(0, Math.floor(whole.length * part)));
      await expect(into(config, file)).rejects.toThrow(new RegExp(`^${file} is (incomplete|damaged)`));
      expect(await leftIn(config)).toEqual(nothing);
    }
    for (const missing of [1, 3, 4, 5]) {
      writeFileSync(file, whole.subarray(0, whole.length - missing));
      await expect(readBackup(file)).rejects.toThrow(`${file} is incomplete: it was cut off`);
    }
  });

  it('is refused by name when any byte is another one', LONG, async () => {
    const whole = readFileSync(await backup());
    const file = path.join(scratch(), 'damaged.gantry');
    let refused = 0;
    for (let at = 12; at < whole.length; at += Math.floor(whole.length / 40)) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      writeFileSync(file, damaged);
      const said = await readBackup(file).then(
        () => null,
        (error: Error) => error.message,
      );
      if (said === null) {
        // Here and there zstd has a bit that means nothing: then all that was packed is as it was.
        expect(zstdDecompressSync(damaged).equals(zstdDecompressSync(whole))).toBe(true);
      } else {
        refused += 1;
        expect(said).toContain(file);
      }
    }
    expect(refused).toBeGreaterThan(35);
  });

  it('is refused with the name of what was changed in it', LONG, async () => {
    const archive = zstdDecompressSync(readFileSync(await backup()));
    const config = await emptyPlace();
    const file = path.join(scratch(), 'changed.gantry');
    const changed = Buffer.from(archive);
    changed.write('X', changed.indexOf('The first upload'));
    writeFileSync(file, zstdCompressSync(changed));
    await expect(into(config, file)).rejects.toThrow(
      /changed\.gantry is damaged: uploads\/.*first\.txt is not what was backed up/,
    );
    expect(await leftIn(config)).toEqual(nothing);
  });

  const HEAD = JSON.stringify({
    format: 1,
    id: 'x',
    name: 'x',
    createdAt: '',
    version: '',
    earlier: [],
    storages: [],
    sample: null,
    secret: true,
  });

  /** A backup of these members. */
  async function made(members: Record<string, string>, missing: Missing[] = []): Promise<string> {
    const archive = new Archive();
    const chunks: Buffer[] = [];
    for (const [name, content] of Object.entries(members))
      for await (const chunk of archive.addBytes(name, content)) chunks.push(chunk);
    for await (const chunk of archive.finish({ id: 'x', elsewhere: [], missing })) chunks.push(chunk);
    const file = path.join(scratch(), 'made.gantry');
    writeFileSync(file, zstdCompressSync(Buffer.concat(chunks)));
    return file;
  }

  it(
    'is refused by name when something that it tells of itself is unreadable, too large or missing',
    LONG,
    async () => {
      const odd = [
        'text',
        'null',
        '{}',
        '{"migrations": [], "sequences": [], "tables": [{"name": "users", "rows": 1}]}',
        '{"migrations": [], "sequences": [], "tables": [{"name": "users", "columns": ["id"], "rows": -1}]}',
        '{"migrations": [null], "sequences": [], "tables": []}',
        '{"migrations": [], "sequences": [{"name": "x", "value": "1; x", "called": true}], "tables": []}',
      ];
      const database =
        '{"migrations": [], "sequences": [], "tables": [{"name": "users", "columns": ["id"], "rows": 1}]}';
      const cases: [string, string][] = [
        ...(await Promise.all(
          odd.map(async (text): Promise<[string, string]> => {
            return [await made({ 'backup.json': HEAD, 'database.json': text }), 'database.json cannot be read'];
          }),
        )),
        [await made({ 'backup.json': 'null' }), 'backup.json cannot be read'],
        [await made({ 'backup.json': '{"format": 1, "version": "1"}' }), 'backup.json cannot be read'],
        [await made({ 'backup.json': HEAD }, [null as unknown as Missing]), 'manifest.json cannot be read'],
        [await made({ 'backup.json': HEAD, secret: 'x'.repeat(70_000) }), 'secret has more than 65536 bytes'],
        [
          await made({ 'backup.json': HEAD, 'repositories/default/1.git/HEAD': 'x'.repeat(70_000) }),
          'HEAD has more than',
        ],
        [await made({ 'backup.json': HEAD, secret: SECRET }), 'database.json is not in it'],
        [await made({ 'backup.json': HEAD, secret: SECRET, 'database.json': database }), 'table users are not in it'],
      ];
      for (const [file, reason] of cases) {
        const config = await emptyPlace();
        const failed = into(config, file);
        await expect(failed).rejects.toThrow(BadBackup);
        await expect(failed).rejects.toThrow(`${file} is damaged: `);
        await expect(failed).rejects.toThrow(reason);
        expect(readdirSync(config.dataDir)).toEqual(['lock']);
      }
    },
  );

  it('is refused when it names a place that is not its own', LONG, async () => {
    const names = [
      'uploads/1/../../../escaped',
      'uploads/1/abcdef/..',
      'repositories/default/1.git/hooks/update',
      'repositories/default/../1.git/HEAD',
      'repositories/__proto__/1.git/HEAD',
      'database/../escaped/1.copy',
      'database/../1.copy',
      'database/%2e%2E/1.copy',
      'database/%FF/1.copy',
      'database/a b/1.copy',
      '/etc/escaped',
    ];
    for (const name of names) {
      const file = await made({ 'backup.json': HEAD, [name]: 'text' });
      const config = await emptyPlace();
      await expect(into(config, file)).rejects.toThrow(/something unknown|GANTRY_STORAGES does not tell/);
      expect(await leftIn(config)).toEqual(nothing);
    }
  });

  it('is refused when it says more of a member than is kept in memory, or holds what is not a file', async () => {
    const file = path.join(scratch(), 'odd.gantry');
    for (const [header, reason] of [
      [{ name: 'x'.repeat(3 * 1024 * 1024) }, 'a header is too long'],
      [{ name: 'backup.json', type: 'symlink', linkname: '/etc/passwd' }, 'backup.json is not a file'],
    ] as const) {
      const archive = pack();
      archive.entry(header).end();
      archive.finalize();
      writeFileSync(file, zstdCompressSync(await buffer(archive)));
      await expect(readBackup(file)).rejects.toThrow(`${file} is damaged: ${reason}`);
    }
  });

  it('is refused when it is something else', async () => {
    const file = path.join(scratch(), 'other.gantry');
    for (const content of [
      Buffer.alloc(0),
      Buffer.from('text'),
      zstdCompressSync(Buffer.from('text')),
      zstdCompressSync(Buffer.alloc(2048)),
    ]) {
      writeFileSync(file, content);
      await expect(readBackup(file)).rejects.toThrow(file);
    }
    await expect(readBackup(`${file}.absent`)).rejects.toThrow(`${file}.absent does not exist`);
  });
});

/** Three backups that build on each other. */
async function chain() {
  const directory = scratch();
  const files: string[] = [];
  for (const name of ['monday.gantry', 'tuesday.gantry', 'wednesday.gantry']) {
    const file = path.join(directory, name);
    const last = files.at(-1);
    const known = new Known(
      last === undefined ? undefined : { name: path.basename(last), ...(await readBackup(last)) },
    );
    await writeBackup(file, contents({ name, known }));
    files.push(file);
    await commitFile(work, `${name}.txt`, `${randomUUID()}\n`);
    await run(work, 'push', '--quiet', 'origin', 'main');
    await upload(`${name}.txt`, name);
  }
  return { directory, files, last: String(files.at(-1)) };
}

describe('A chain of backups', { timeout: 300_000 }, () => {
  it('holds packs and uploads once, and is restored from all of its files', LONG, async () => {
    const { files, last } = await chain();
    const { manifest } = await readBackup(last);
    expect(manifest.elsewhere.length).toBeGreaterThan(3);
    expect(new Set(manifest.elsewhere.map((file) => file.in)).size).toBe(2);
    const uploads = await Promise.all(files.map(async (file) => (await readBackup(file)).manifest.sums));
    expect(uploads.map((sums) => sums.filter((sum) => sum.path.endsWith('monday.gantry.txt')).length)).toEqual([
      0, 1, 0,
    ]);

    const config = await emptyPlace();
    const { dangling } = await into(config, last);
    expect(dangling).toEqual([]);
    expect(git(repositoryOf(config, project), ['fsck', '--strict', '--no-dangling'])).toBe('');
    const kept = readdirSync(path.join(config.dataDir, 'uploads', String(project.id)), { recursive: true });
    expect(kept.filter((name) => String(name).endsWith('.gantry.txt'))).toHaveLength(2);
  });

  it('names the file that is missing, and takes it from elsewhere when told', LONG, async () => {
    const { directory, files, last } = await chain();
    const moved = path.join(scratch(), 'moved.gantry');
    writeFileSync(moved, readFileSync(String(files[0])));
    rmSync(String(files[0]));
    await expect(into(await emptyPlace(), last)).rejects.toThrow(
      /wednesday\.gantry builds on an earlier backup that is missing: "monday\.gantry"/,
    );
    writeFileSync(path.join(directory, 'monday.gantry'), readFileSync(last));
    await expect(readChain(last, [], {})).rejects.toThrow('"monday.gantry"');
    await readChain(last, [moved], {});
    expect((await into(await emptyPlace(), last, [moved])).dangling).toEqual([]);
  });

  it('names the file of it that is damaged', LONG, async () => {
    const { files, last } = await chain();
    const first = String(files[0]);
    const bytes = readFileSync(first);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(first, bytes);
    await expect(into(await emptyPlace(), last)).rejects.toThrow(first);
  });
});

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
    await stage.placeUploads(world.uploads);
    symlinkSync('uploads', path.join(staged, 'uploads'));
    symlinkSync('.restoring', path.join(storage, '.restoring'));
    await expect(stage.placeUploads(world.uploads)).rejects.toThrow('ELOOP');
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
    await expect(into(await emptyPlace(), file)).rejects.toThrow('GANTRY_STORAGES does not tell the directory: fast');
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

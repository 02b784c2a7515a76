// One part in depth, which the long run has.
// @module-tag long
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { mayRemoveObjects } from '#src/domain/repository/lock.ts';
import { RepositoryStore } from '#src/domain/repository/store.ts';
import { readChain } from '#src/entrances/backup/chain.ts';
import { readBackup } from '#src/entrances/backup/input.ts';
import { objectFiles } from '#src/entrances/backup/objects.ts';
import { writeBackup } from '#src/entrances/backup/output.ts';
import { Exclusion } from '#src/platform/database/exclude.ts';
import { databaseOf, emptyPlace, everything, into, repositoryOf, startFilledWorld } from '../support/backup.ts';
import { sha256 } from '../support/container_client.ts';
import { administer } from '../support/database.ts';
import { commitFile, run, workingCopy } from '../support/git_client.ts';
import { git, gitLines, scratch, unpack } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { SECRET } from '../support/world.ts';

const { world, owner, project, work, sql, remoteOf, contents, backup, chain } = await startFilledWorld();

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
      // What was being pushed is not in it.
      expect(before.container_uploads).toHaveLength(1);
      expect(after).toEqual({ ...before, container_uploads: [], container_upload_parts: [] });
    },
  );

  it(
    'is restored with repositories that have the recorded refs and are sound, with uploads, packages and the secret',
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
      const [file] = await sql('SELECT secret, stored_as FROM package_files');
      const inStore = ['packages', String(project.id), String(file?.secret), String(file?.stored_as)];
      expect(readFileSync(path.join(config.dataDir, 'uploads', ...inStore), 'utf8')).toBe('The first package');
      const [layer] = await sql(`SELECT secret FROM container_blobs WHERE digest = '${sha256('The first layer')}'`);
      const shard = String(Number.parseInt(String(layer?.secret).slice(0, 2), 16));
      const blob = path.join(config.dataDir, 'uploads', 'containers', shard, String(layer?.secret), 'blob');
      expect(readFileSync(blob, 'utf8')).toBe('The first layer');
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

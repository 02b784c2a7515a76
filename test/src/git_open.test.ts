// One part in depth, which the long run has.
// @module-tag long
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { archive } from '#src/git/archive.ts';
import { ProgramFailed } from '#src/git/base/errors.ts';
import { diffCommit } from '#src/git/diff/diff.ts';
import { IsomorphicReader } from '#src/git/isomorphic.ts';
import { openRepository } from '#src/git/open.ts';
import type { CatFile } from '#src/git/program/cat_file.ts';
import { forgetProgram, programVersion } from '#src/git/program/detect.ts';
import { CatFilePool } from '#src/git/program/pool.ts';
import { runProgram } from '#src/git/program/run.ts';
import { ProgramReader } from '#src/git/program.ts';
import { Repositories } from '#src/git/repositories.ts';
import { RoutedStore } from '#src/git/routed_store.ts';
import { oddHistory, randomHistory } from '../support/git_fixtures.ts';
import { HistoryBuilder } from '../support/git_history.ts';
import { git, gitBytes, gitLines, scratch } from '../support/git_program.ts';
import { entriesOf } from '../support/git_tree.ts';
import { everyNth, LONG } from '../support/long.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  forgetProgram();
});

describe('Opening a repository', () => {
  it('uses the git program where there is one', LONG, async () => {
    expect(await programVersion()).toMatch(/^\d+\.\d+/);
    expect(await openRepository(randomHistory(2, 5))).toBeInstanceOf(ProgramReader);
  });

  it('does everything without a git program', LONG, async () => {
    const directory = oddHistory({ packed: true });
    const start = git(directory, ['rev-parse', 'main']).trim();
    const log = gitLines(directory, ['rev-list', start]);
    vi.stubEnv('PATH', scratch());
    forgetProgram();
    const reader = await openRepository(directory);
    expect(reader).toBeInstanceOf(IsomorphicReader);
    expect((await reader.log({ start })).map(({ oid }) => oid)).toEqual(log);
    expect(await reader.contributors({ tip: start, lines: true })).toHaveLength(2);
    expect((await diffCommit(reader, log.at(-1) ?? '')).entries.length).toBeGreaterThan(10);
    const chunks = await (await archive(reader, start, { format: 'zip', prefix: 'p' })).toArray();
    expect(chunks.length).toBeGreaterThan(10);
    await expect(runProgram(directory, ['log'])).rejects.toThrow(ProgramFailed);
  });

  it('takes a program for none that is too old', async () => {
    const folder = scratch();
    writeFileSync(path.join(folder, 'git'), '#!/bin/sh\necho git version 2.37.9\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
    forgetProgram();
    expect(await programVersion()).toBeNull();
    writeFileSync(path.join(folder, 'git'), '#!/bin/sh\necho git version 2.38.0.windows.1\n');
    forgetProgram();
    expect(await programVersion()).toBe('2.38.0.windows.1');
  });

  for (const [options, ways] of everyNth(2, [true, false])) {
    it.each(ways)('gives the same answers by both ways (large packs: %s)', options, async (large) => {
      const directory = randomHistory(4, 40);
      const start = git(directory, ['rev-parse', 'main']).trim();
      const all = gitLines(directory, ['rev-list', start]);
      const reader = new ProgramReader(directory, new RoutedStore(directory, () => large));
      expect(await reader.resolve('main')).toBe(start);
      expect((await reader.log({ start }, { limit: 3 })).map(({ oid }) => oid)).toEqual(all.slice(0, 3));
      expect((await reader.log({ start }, { offset: 2 })).map(({ oid }) => oid)).toEqual(all.slice(2));
      expect(await reader.count({ start })).toBe(all.length);
      const entries = (await entriesOf(reader, start, '', { recursive: true })) ?? [];
      expect(entries.map(({ oid }) => oid).toSorted()).toEqual(
        gitLines(directory, ['ls-tree', '-rt', '--object-only', start]).toSorted(),
      );
      for (const { type, path: name, oid } of entries) {
        if (type !== 'blob') continue;
        expect((await reader.lastCommit(start, name))?.oid).toBe(
          gitLines(directory, ['rev-list', '-1', start, '--', name])[0],
        );
        expect(await reader.blob(oid, 1_000)).toEqual(gitBytes(directory, ['cat-file', 'blob', oid]));
      }
      await reader.close();
    });
  }

  it('keeps a bounded number of readers', LONG, async () => {
    const repositories = new Repositories(2);
    const directories = [1, 2, 3].map((seed) => randomHistory(seed, 3));
    const first = await repositories.open(directories[0] ?? '');
    expect(await repositories.open(directories[0] ?? '')).toBe(first);
    for (const directory of directories.slice(1)) await repositories.open(directory);
    const again = await repositories.open(directories[0] ?? '');
    expect(again).not.toBe(first);
    expect(await first.resolve('main')).toBe(await again.resolve('main'));
    const fresh = await repositories.create(path.join(scratch(), 'new.git'), 'main');
    expect([await fresh.branches(), await fresh.resolve('HEAD'), await fresh.defaultBranch()]).toEqual([
      [],
      null,
      'main',
    ]);
    await repositories.close();
  });
});

describe('The git program', () => {
  it('runs a bounded number of times at once, and answers all', LONG, async () => {
    const pool = new CatFilePool(2, 50);
    const directories = [1, 2, 3, 4, 5].map((seed) => randomHistory(seed, 4));
    const questions = directories.flatMap((directory) =>
      gitLines(directory, ['rev-list', '--all']).map((oid) => ({ directory, oid })),
    );
    const answers = await Promise.all(
      questions.map(({ directory, oid }) => pool.ask(directory, (program) => program.read(oid))),
    );
    for (const answer of answers) expect(answer?.type).toBe('commit');
    expect(pool.size).toBeLessThanOrEqual(2);
    await expect.poll(() => pool.size, { timeout: 3_000 }).toBe(0);
  });

  it('answers those who ask about very many repositories at once', LONG, async () => {
    const pool = new CatFilePool(2, 50);
    const directory = randomHistory(1, 4);
    const [oid = ''] = gitLines(directory, ['rev-list', '--all']);
    // As many paths to the same place.
    const directories = Array.from({ length: 30 }, (_, at) => `${directory}${'/.'.repeat(at)}`);
    let asked = 0;
    const ask = (program: CatFile) => {
      asked++;
      return program.read(oid);
    };
    const answers = await Promise.all(directories.map((place) => pool.ask(place, ask)));
    expect(answers.map((answer) => answer?.type)).toEqual(directories.map(() => 'commit'));
    expect(asked).toBe(30);
  });

  it('tells apart what was asked of one program at the same time', LONG, async () => {
    const pool = new CatFilePool(1, 50);
    const h = new HistoryBuilder();
    const contents = ['', '\n', 'blob 3\n', `${'x'.repeat(100_000)}\n`];
    h.commit({ branch: 'main', changes: contents.map((content, at) => ({ path: `${at}`, content })) });
    const directory = h.build();
    const there = gitLines(directory, ['rev-list', '--all', '--objects', '--no-object-names']);
    const oids = there.flatMap((oid, at) => [oid, `${at}`.repeat(40).slice(0, 40)]);
    const sizes = oids.map((oid) => (there.includes(oid) ? Number(git(directory, ['cat-file', '-s', oid])) : null));
    const ask = async (start: number) => {
      // No name of an object, so the program is not asked for it.
      const part = [...oids.slice(start), 'HEAD'];
      if (start % 2 === 0) {
        const headers = await pool.ask(directory, (program) => program.headers(part));
        return headers.map((header) => header?.size ?? null);
      }
      const objects = await pool.ask(directory, (program) => program.readAll(part));
      return objects.map((object) => object?.content.length ?? null);
    };
    const answers = await Promise.all(oids.map((_, start) => ask(start)));
    expect(answers).toEqual(oids.map((_, start) => [...sizes.slice(start), null]));
  });

  it(
    'names the same paths as a walk, and reads the same commits, when it is asked for many at once',
    LONG,
    async () => {
      const h = new HistoryBuilder();
      const names = ['a\tb', 'a"b', 'a\\b', 'a\nb', 'a b', 'é', '\udce9', 'z'];
      const files = (label: string) => names.map((name) => ({ path: `${name}/${name}`, content: label }));
      const first = h.commit({ branch: 'main', changes: [...files('old'), { path: 'z-', content: 'gone' }] });
      const kinds = [
        { path: 'é/é', content: 'a', mode: '120000' as const },
        { path: 'z-', remove: true as const },
      ];
      h.commit({ branch: 'main', from: [first], changes: [...files('new'), ...kinds, { path: 'z-/c', content: 'c' }] });
      const directory = h.build();
      const [to = '', from = ''] = gitLines(directory, ['log', '--format=%T', 'main']);
      const [own, other] = [new ProgramReader(directory), new IsomorphicReader(directory)];
      for (const most of [3, 8, undefined]) {
        const found = await own.changes(from, to, { most });
        expect(found).toEqual(await other.changes(from, to, { most }));
        expect(found.isComplete).toBe(most === undefined);
      }
      const oids = gitLines(directory, ['rev-list', 'main']);
      const many = Array.from({ length: 300 }, (_, at) => oids[at % 2] ?? '');
      expect(await own.commits(many)).toEqual(await other.commits(many));
      await expect(own.commits([...many, from])).rejects.toThrow(/no commit/);
      await own.close();
    },
  );

  it('fails with a reason for what is no repository, takes no longer and says no more than it may', LONG, async () => {
    const directory = scratch();
    await expect(runProgram(directory, ['rev-list', '--all'])).rejects.toThrow(/not a git repository/);
    await expect(new ProgramReader(directory).commit('1'.repeat(40))).rejects.toThrow(ProgramFailed);
    const history = randomHistory(6, 30);
    await expect(runProgram(history, ['rev-list', '--all'], { limit: 100 })).rejects.toThrow(/more than 100 bytes/);
    // Nobody ever writes to it: on a busy machine any other command may be over before the clock is looked at.
    const pipe = path.join(directory, 'pipe');
    execFileSync('mkfifo', ['--', pipe]);
    await expect(runProgram(history, ['hash-object', '--', pipe], { timeout: 1 })).rejects.toThrow(/longer than 1 ms/);
  });

  it('heeds no settings of users, and no names that look like options', async () => {
    const directory = randomHistory(6, 5);
    const home = scratch();
    writeFileSync(path.join(home, '.gitconfig'), '[log]\n\tmailmap = nonsense\n[core]\n\tabbrev = nonsense\n');
    vi.stubEnv('HOME', home);
    vi.stubEnv('GIT_DIR', '/nonexistent');
    vi.stubEnv('GIT_CONFIG_COUNT', '1');
    const reader = new ProgramReader(directory);
    const start = (await reader.resolve('main')) ?? '';
    expect(await reader.count({ start })).toBeGreaterThan(0);
    await expect(reader.count({ start: '--all' })).rejects.toThrow(TypeError);
    await expect(reader.isAncestor('--all', start)).rejects.toThrow(TypeError);
    expect(await reader.log({ start, path: ':(exclude)d1' })).toEqual([]);
    expect(await reader.log({ start, path: '--all' })).toEqual([]);
    expect(await reader.commit('HEAD')).toBeNull();
    await reader.close();
  });

  it('streams large blobs out of a pack', LONG, async () => {
    const h = new HistoryBuilder();
    const content = randomBytes(5_000_000);
    h.commit({ branch: 'main', changes: [{ path: 'large', content }] });
    const directory = h.build({ packed: true });
    const reader = await openRepository(directory);
    const entry = await reader.entry((await reader.resolve('main')) ?? '', 'large');
    const streamed = await reader.blobStream(entry?.oid ?? '');
    expect(streamed?.size).toBe(content.length);
    expect(Buffer.concat((await streamed?.stream.toArray()) ?? []).equals(content)).toBe(true);
    const half = await reader.blobStream(entry?.oid ?? '');
    for await (const _ of half?.stream ?? []) break;
    expect(half?.stream.destroyed).toBe(true);
    await reader.close();
  });
});

describe('Programs that compare', () => {
  it('end when the process has nothing else to do', LONG, () => {
    const directory = randomHistory(2, 5);
    const [to = '', from = ''] = gitLines(directory, ['rev-list', '--first-parent', 'main']);
    const [diff, open] = ['diff/diff', 'open'].map((name) => new URL(`../../src/git/${name}.ts`, import.meta.url).href);
    const script = `const { diffTrees } = await import(${JSON.stringify(diff)});
      const { openRepository } = await import(${JSON.stringify(open)});
      const reader = await openRepository(${JSON.stringify(directory)});
      console.log((await diffTrees(reader, ${JSON.stringify(from)}, ${JSON.stringify(to)})).overflow);`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { timeout: 10_000 });
    expect(output.toString().trim()).toBe('false');
  });
});

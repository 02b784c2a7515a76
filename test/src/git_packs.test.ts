// Each test takes long: the long run has them all.
// @module-tag long
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { initRepository } from '#src/git/init.ts';
import { applyDelta } from '#src/git/objects/delta.ts';
import { IsomorphicStore } from '#src/git/objects/isomorphic.ts';
import { ObjectWriter } from '#src/git/write/objects.ts';
import { text } from '../support/git_fixtures.ts';
import { HistoryBuilder, randomizer } from '../support/git_history.ts';
import { git, gitBytes, gitLines, scratch, unpack } from '../support/git_program.ts';

/** Many versions of some files, so that packs hold long chains of differences. */
function chains(): string {
  const random = randomizer(11);
  const h = new HistoryBuilder();
  const content = text(400, 'x').split('\n');
  const noise = randomBytes(300_000);
  let mark = 0;
  for (let at = 0; at < 80; at++) {
    content.splice(Math.floor(random() * content.length), 1, `changed ${at} ${random()}`);
    noise[Math.floor(random() * noise.length)] = at;
    const changes = [
      { path: 'text', content: content.join('\n') },
      { path: `many/${at}`, content: `${at}` },
      ...(at % 8 === 0 ? [{ path: 'noise', content: Buffer.from(noise) }] : []),
    ];
    mark = h.commit({ branch: 'main', from: mark === 0 ? [] : [mark], changes });
  }
  h.tag('v1', mark, 'tag\n');
  return h.build();
}

const run = promisify(execFile);

describe('Packs', () => {
  it.each([
    ['differences by offset', ['repack', '-adqf', '--depth=100', '--window=50']],
    ['differences by name', ['-c', 'repack.useDeltaBaseOffset=false', 'repack', '-adqf', '--depth=100', '--window=50']],
    ['offsets in the table for 2 GB and more', ['repack', '-adqf', '-n']],
  ])('are read object by object as git reads them: %s', async (_, args) => {
    const directory = chains();
    git(directory, args);
    // Such an index is made for any pack when told from which offset on to use the table.
    const folder = path.join(directory, 'objects/pack');
    for (const pack of args.includes('-n') ? readdirSync(folder).filter((name) => name.endsWith('.pack')) : []) {
      const file = path.join(folder, pack);
      const index = file.replace('.pack', '.idx');
      const before = statSync(index).size;
      git(directory, ['index-pack', '--index-version=2,0x40', '-o', index, file]);
      expect(statSync(index).size).toBeGreaterThan(before);
    }
    const store = new IsomorphicStore(directory);
    const all = gitLines(directory, ['cat-file', '--batch-all-objects', '--batch-check']);
    expect(all.length).toBeGreaterThan(300);
    for (const [at, line] of all.entries()) {
      const [oid = '', type, size] = line.split(' ');
      expect(await store.header(oid)).toEqual({ type, size: Number(size) });
      if (at % 5 > 0) continue;
      const content = gitBytes(directory, ['cat-file', type ?? '', oid]);
      const object = await store.read(oid);
      expect([oid, object?.type, object?.content.equals(content)]).toEqual([oid, type, true]);
      const streamed = Buffer.concat(await (await store.stream(oid)).toArray());
      expect([oid, streamed.equals(content)]).toEqual([oid, true]);
    }
    expect(await store.read('f'.repeat(40))).toBeNull();
    expect(await store.header('f'.repeat(40))).toBeNull();
    await expect(store.stream('f'.repeat(40))).rejects.toThrow('There is no object');
    await store.close();
  });

  it('may be replaced while they are read', async () => {
    const directory = chains();
    const store = new IsomorphicStore(directory);
    const oids = gitLines(directory, ['rev-list', '--objects', '--all']).map((line) => line.slice(0, 40));
    for (let round = 0; round < 4; round++) {
      git(directory, ['repack', round % 2 === 0 ? '-adqf' : '-adq', `--window=${round}`]);
      const found = await Promise.all(oids.map((oid) => store.read(oid)));
      expect(found.filter((object) => object === null)).toEqual([]);
      git(directory, ['prune-packed']);
      git(directory, ['update-ref', 'refs/heads/extra', oids[0] ?? '']);
    }
    await store.close();
  });

  it('take over single objects while these are read', async () => {
    const directory = chains();
    const reader = new IsomorphicStore(directory);
    const all = gitLines(directory, ['rev-list', '--objects', '--all']).map((line) => line.slice(0, 40));
    for (let round = 0; round < 3; round++) {
      const before = unpack(directory);
      const streams = await Promise.all(all.slice(0, 100).map((oid) => reader.stream(oid)));
      const packing = run('git', [`--git-dir=${directory}`, 'repack', '-adq']);
      let done = false;
      void packing.finally(() => {
        done = true;
      });
      while (!done) {
        const found = await Promise.all(all.map((oid) => reader.read(oid)));
        expect(found.filter((object) => object === null)).toEqual([]);
        const headers = await Promise.all(all.map((oid) => reader.header(oid)));
        expect(headers.filter((header) => header === null)).toEqual([]);
        const [first = ''] = all;
        expect(await reader.matching(first.slice(0, 8))).toEqual([first]);
      }
      await packing;
      // Streams that were begun go on, though the files have been removed.
      expect(before.filter((file) => existsSync(file))).toEqual([]);
      for (const [at, stream] of streams.entries()) {
        const content = Buffer.concat(await stream.toArray());
        expect(content.equals((await reader.read(all[at] ?? ''))?.content ?? Buffer.alloc(0))).toBe(true);
      }
      await reader.close();
    }
  });

  it('are found that came within the same tick of the clock', async () => {
    const directory = path.join(scratch(), 'r.git');
    await initRepository(directory, 'main');
    const folder = path.join(directory, 'objects/pack');
    const store = new IsomorphicStore(directory);
    const now = Date.now() / 1000;
    for (let at = 0; at < 3; at++) {
      const objects = new ObjectWriter(directory);
      const oids = Array.from({ length: 13 }, (_, index) => objects.add('blob', Buffer.from(`${at} ${index}`)));
      await objects.flush();
      utimesSync(folder, now, now);
      expect(await store.read(oids[0] ?? '')).not.toBeNull();
      expect(await store.matching(oids[1]?.slice(0, 8) ?? '')).toEqual([oids[1]]);
    }
    await store.close();
  });

  it('of several kinds find short names in all of them', async () => {
    const directory = chains();
    git(directory, ['repack', '-dq']);
    git(directory, ['-c', 'user.name=x', '-c', 'user.email=x@x', 'commit-tree', '-m', 'loose', 'HEAD^{tree}']);
    const store = new IsomorphicStore(directory);
    const all = gitLines(directory, ['cat-file', '--batch-all-objects', '--batch-check']).map((line) =>
      line.slice(0, 40),
    );
    for (const prefix of new Set(all.map((oid) => oid.slice(0, 4))))
      expect((await store.matching(prefix)).toSorted()).toEqual(all.filter((oid) => oid.startsWith(prefix)).toSorted());
    expect(await store.matching('0000')).toEqual(all.filter((oid) => oid.startsWith('0000')));
    await store.close();
  });

  it('that are damaged are reported and not believed', async () => {
    const directory = chains();
    git(directory, ['repack', '-adq']);
    const [tip = ''] = gitLines(directory, ['rev-parse', 'main']);
    const folder = path.join(directory, 'objects/pack');
    const pack = path.join(folder, readdirSync(folder).find((name) => name.endsWith('.pack')) ?? '');
    const bytes = readFileSync(pack);
    chmodSync(pack, 0o644);
    writeFileSync(pack, Buffer.concat([bytes.subarray(0, 12), Buffer.alloc(bytes.length - 12, 0xaa)]));
    await expect(new IsomorphicStore(directory).read(tip)).rejects.toThrow();
    expect(() => applyDelta(Buffer.from('base'), Buffer.from([5, 1, 1, 65]))).toThrow('another base');
    expect(() => applyDelta(Buffer.from('base'), Buffer.from([4, 9, 1, 65]))).toThrow('damaged');
  });
});

describe('Very many packs', () => {
  it.runIf(existsSync('/proc/self/fd'))(
    'are read with a bounded number of open files, also when they are replaced by one',
    async () => {
      const directory = path.join(scratch(), 'r.git');
      await initRepository(directory, 'main');
      const oids: string[] = [];
      for (let at = 0; at < 300; at++) {
        const objects = new ObjectWriter(directory);
        for (let index = 0; index < 13; index++) oids.push(objects.add('blob', Buffer.from(`${at} ${index}`)));
        await objects.flush();
      }
      expect(readdirSync(path.join(directory, 'objects/pack'))).toHaveLength(600);
      const store = new IsomorphicStore(directory);
      const before = readdirSync('/proc/self/fd').length;
      const readAll = async () => {
        for (const oid of oids) expect((await store.read(oid))?.type).toBe('blob');
      };
      await readAll();
      expect(readdirSync('/proc/self/fd').length - before).toBeLessThanOrEqual(260);
      git(directory, ['repack', '-adq', '--keep-unreachable']);
      await readAll();
      await store.close();
      expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before);
    },
  );
});

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { Archive } from '#src/entrances/backup/archive.ts';
import { BadBackup, readBackup } from '#src/entrances/backup/input.ts';
import type { Missing } from '#src/entrances/backup/manifest.ts';
import { databaseOf, emptyPlace, into, type Place, startFilledWorld, TABLES } from '../support/backup.ts';
import { administer } from '../support/database.ts';
import { scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { SECRET } from '../support/world.ts';

const { backup } = await startFilledWorld();

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
      await expect(into(config, file)).rejects.toThrow(/something unknown|missing from GANTRY_STORAGES/);
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

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bootstrapAdministrator } from '#src/domain/users/bootstrap.ts';
import { connect, type Db } from '#src/platform/database/db.ts';
import { agreeOnSecret } from '#src/platform/lifecycle/secret.ts';
import { freshDatabase } from '../support/database.ts';
import { LONG } from '../support/long.ts';

const directories: string[] = [];
const databases: Db[] = [];
afterAll(async () => {
  for (const directory of directories) rmSync(directory, { recursive: true });
  for (const db of databases) await db.$disconnect();
});

function directory(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'gantry-secret-'));
  directories.push(made);
  return made;
}

async function database(): Promise<Db> {
  const db = connect(await freshDatabase());
  databases.push(db);
  return db;
}

/** As a version left it that did not note by what secret the database is used. */
async function used(secret: string): Promise<Db> {
  const db = await database();
  await bootstrapAdministrator(db, secret, { password: 'a long password', privateToken: 'a-token-0123456789012' });
  return db;
}

const [one, another] = ['one secret of thirty-two characters', 'another secret of many characters'];

describe('The secret of a database', () => {
  it('is made at the first start, kept in a file, and the same from then on', async () => {
    const [db, dataDir] = [await database(), directory()];
    const made = await agreeOnSecret(db, { dataDir });
    expect(readFileSync(path.join(dataDir, 'secret'), 'utf8').trim()).toBe(made);
    expect(await agreeOnSecret(db, { dataDir })).toBe(made);
    expect(await agreeOnSecret(db, { dataDir: directory(), secret: made })).toBe(made);
  });

  it('is refused when it is another one, with words that say what to do', async () => {
    const db = await database();
    await agreeOnSecret(db, { dataDir: directory(), secret: one });
    const wrong = agreeOnSecret(db, { dataDir: directory(), secret: another });
    await expect(wrong).rejects.toThrow(
      /^GANTRY_SECRET does not hold the secret with which this database has been used/,
    );
  });

  it('is held against what is encrypted in a database that an earlier version used', LONG, async () => {
    const db = await used(one);
    await expect(agreeOnSecret(db, { dataDir: directory(), secret: another })).rejects.toThrow(
      /does not hold the secret/,
    );
    expect(await agreeOnSecret(db, { dataDir: directory(), secret: one })).toBe(one);
    await expect(agreeOnSecret(db, { dataDir: directory(), secret: another })).rejects.toThrow(
      /does not hold the secret/,
    );
  });

  it('is not made anew when it is missing', LONG, async () => {
    for (const db of [await used(one), await database()]) {
      await agreeOnSecret(db, { dataDir: directory(), secret: one });
      const dataDir = directory();
      await expect(agreeOnSecret(db, { dataDir })).rejects.toThrow(/^The secret of this database is missing/);
      expect(existsSync(path.join(dataDir, 'secret'))).toBe(false);
    }
  });

  it(
    'is one for servers that start at once on an empty database: the others are told, and keep no file',
    LONG,
    async () => {
      const db = await database();
      const places = [directory(), directory(), directory()];
      const starts = await Promise.allSettled(places.map((dataDir) => agreeOnSecret(db, { dataDir })));
      expect(starts.filter(({ status }) => status === 'fulfilled').length).toBe(1);
      expect(places.filter((dataDir) => existsSync(path.join(dataDir, 'secret'))).length).toBe(1);
      const together = await database();
      const dataDir = directory();
      const same = await Promise.all([1, 2, 3].map(() => agreeOnSecret(together, { dataDir })));
      expect(new Set(same).size).toBe(1);
    },
  );
});

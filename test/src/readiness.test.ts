import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { connect } from '#src/platform/database/db.ts';
import { findProblems, freeBytes } from '#src/platform/lifecycle/checks.ts';
import { drain } from '#src/platform/lifecycle/drain.ts';
import { Readiness } from '#src/platform/lifecycle/readiness.ts';
import { freshDatabase } from '../support/database.ts';
import { LONG } from '../support/long.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'gantry-ready-'));
const storage = path.join(directory, 'repositories');
mkdirSync(storage);
let statements = 0;
const heard = () => {
  statements += 1;
};
const db = connect(await freshDatabase(), { heard });
const nowhere = connect('postgresql://nobody@127.0.0.1:1/none');
afterAll(async () => {
  await Promise.all([db.$disconnect(), nowhere.$disconnect()]);
  rmSync(directory, { recursive: true });
});

const places = { dataDir: directory, storages: { default: storage } };
const names = async (...given: Parameters<typeof findProblems>) =>
  (await findProblems(...given)).map(({ name }) => name);

describe('What a server needs', () => {
  it('is there', async () => {
    // As a server has done before anybody asks it: the first statement of a process takes its time.
    await db.$queryRaw`select 1`;
    expect(await findProblems(db, { ...places, minFreeBytes: 0 })).toEqual([]);
  });

  it('is missed by name: the database, within its time', LONG, async () => {
    const begun = performance.now();
    expect(await names(nowhere, { ...places, minFreeBytes: 0 })).toEqual(['database']);
    expect(performance.now() - begun).toBeLessThan(30_000);
  });

  it('is missed by name: the disk, when less is free than there has to be', async () => {
    const free = await freeBytes(directory);
    const problems = await findProblems(db, { ...places, minFreeBytes: free * 2 });
    expect(problems.map(({ name }) => name)).toEqual(['disk']);
    expect(problems[0]?.reason).toMatch(/^\d+ MiB are free in /);
  });

  it('is missed by name: each storage that is gone, or no directory', async () => {
    const file = path.join(directory, 'file');
    writeFileSync(file, '');
    const storages = { default: storage, gone: path.join(directory, 'gone'), odd: file };
    expect(await names(db, { dataDir: directory, storages, minFreeBytes: 0 })).toEqual(['storage gone', 'storage odd']);
  });
});

describe('Readiness', () => {
  it('is looked at once a second, however often it is asked for', async () => {
    statements = 0;
    const readiness = new Readiness(db, places);
    await Promise.all(Array.from({ length: 200 }, () => readiness.problems()));
    for (let count = 0; count < 20; count += 1) await readiness.problems();
    expect(statements).toBe(1);
  });

  it('tells of problems when they come and when they go', LONG, async () => {
    const passing = path.join(directory, 'passing');
    const told: string[] = [];
    const places = { dataDir: directory, storages: { passing }, minFreeBytes: 0 };
    const readiness = new Readiness(db, places, (problems) => told.push(problems.map(({ name }) => name).join()));
    const look = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_050));
      await readiness.problems();
    };
    await readiness.problems();
    await look();
    mkdirSync(passing);
    await look();
    await look();
    expect(told).toEqual(['storage passing', '']);
  });
});

describe('A server that is to end', () => {
  const timed = async (...given: Parameters<typeof drain>) => {
    const begun = performance.now();
    await drain(...given);
    return performance.now() - begun;
  };

  it('is left without delay after Ctrl+C, and where nobody asks whether it is ready', async () => {
    const readiness = new Readiness(db, places);
    expect(await timed(readiness, 'SIGINT', 60_000)).toBeLessThan(1_000);
    expect(await timed(readiness, 'SIGTERM')).toBeLessThan(1_000);
    expect(readiness.isStopping).toBe(true);
  });

  it('waits for the time that is set, or a usual one where somebody asks', LONG, async () => {
    const readiness = new Readiness(db, places);
    expect(await timed(readiness, 'SIGTERM', 300)).toBeGreaterThan(290);
    await readiness.problems();
    expect(await timed(readiness, 'SIGTERM')).toBeGreaterThan(4_000);
  });
});

import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { connect } from '#src/platform/database/db.ts';
import { Listener } from '#src/platform/database/listener.ts';
import { currentSettings } from '#src/platform/settings/current.ts';
import { watchSettings } from '#src/platform/settings/watch.ts';
import { freshDatabase } from '../support/database.ts';
import { LONG } from '../support/long.ts';
import { until } from '../support/server_process.ts';

const url = await freshDatabase();
const db = connect(url);
const name = new URL(url).pathname.slice(1);
const elsewhere = new URL(url);
elsewhere.pathname = '/postgres';
const administrator = new pg.Client({ connectionString: elsewhere.href });
await administrator.connect();
const reports: unknown[] = [];
const listener = await Listener.open(url, (error) => reports.push(error));
await watchSettings(db, listener);
afterAll(async () => {
  await listener.close();
  await administrator.end();
  await db.$disconnect();
});

async function listeners(): Promise<number> {
  const { rows } = await administrator.query(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'gantry listener' AND datname = $1",
    [name],
  );
  return rows[0].count;
}

async function endListeners(): Promise<void> {
  await administrator.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gantry listener' AND datname = $1",
    [name],
  );
}

const holds = (condition: () => Promise<boolean>) => until(async () => (await condition()) || undefined);

describe('The watch over the settings', () => {
  it('is one connection again after an outage, however many tries failed meanwhile', LONG, async () => {
    await administrator.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`);
    await endListeners();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await listeners()).toBe(0);
    await administrator.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`);
    await holds(async () => (await listeners()) === 1);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await listeners()).toBe(1);
    expect(reports.length).toBe(1);
  });

  it('hears of changes made before and after it is back', async () => {
    await currentSettings(db);
    await administrator.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`);
    await endListeners();
    await administrator.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`);
    const change = (text: string) => db.$executeRaw`UPDATE application_settings SET sign_in_text = ${text}`;
    await change('during');
    await holds(async () => (await currentSettings(db)).signInText === 'during');
    await holds(async () => (await listeners()) === 1);
    await change('after');
    await holds(async () => (await currentSettings(db)).signInText === 'after');
  });
});

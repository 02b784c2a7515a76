import pg from 'pg';
import { openClient } from './client.ts';

/**
 * Settings of every session, by their names. Statements are few and prepared, and planning the larger ones costs several
 * times their execution: each is planned once, for all values.
 */
export const SESSION: Readonly<Record<string, string>> = { TimeZone: 'UTC', plan_cache_mode: 'force_generic_plan' };

/**
 * Gives the settings of a session to the role of the URL, in this database alone: sessions that come through a pooler can
 * bring none along.
 *
 * @param directUrl of the database itself
 */
export async function prepareRole(directUrl: string): Promise<void> {
  const client = await openClient({ connectionString: directUrl });
  try {
    const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name');
    const database = pg.escapeIdentifier(rows[0]?.name ?? '');
    for (const [name, value] of Object.entries(SESSION)) {
      await client.query(`ALTER ROLE CURRENT_USER IN DATABASE ${database} SET ${name} = ${pg.escapeLiteral(value)}`);
    }
  } finally {
    await client.end();
  }
}

/**
 * Makes sure that sessions have their settings.
 *
 * @throws Error that says what to do at the pooler
 */
export async function requireSession(url: string): Promise<void> {
  const client = await openClient({ connectionString: url });
  try {
    for (const [name, wanted] of Object.entries(SESSION)) {
      const { rows } = await client.query<{ value: string }>('SELECT current_setting($1) AS value', [name]);
      if (rows[0]?.value === wanted) continue;
      throw new Error(
        `Sessions of DATABASE_URL have ${name} = ${rows[0]?.value} in place of ${wanted}: have the pooler connect anew ` +
          '(RECONNECT of PgBouncer), and give both URLs the same user.',
      );
    }
  } finally {
    await client.end();
  }
}

import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type pg from 'pg';
import { expect } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { RepositoryStore } from '#src/domain/repository/store.ts';
import { type BackupOptions, createBackup } from '#src/entrances/backup/create.ts';
import { readBackup } from '#src/entrances/backup/input.ts';
import { Known } from '#src/entrances/backup/known.ts';
import { writeBackup } from '#src/entrances/backup/output.ts';
import { restore } from '#src/entrances/backup/restore.ts';
import { loadConfig } from '#src/platform/config/config.ts';
import { blobOf, ContainerClient, imageOf } from './container_client.ts';
import { administer, emptyDatabase } from './database.ts';
import { commitFile, run } from './git_client.ts';
import { scratch } from './git_program.ts';
import { SECRET, startWorld } from './world.ts';

/** A log that tells of troubles alone. */
export const quiet = { info: () => undefined, warn: console.warn, error: console.error };

/** A world to make backups of: a project with a history, some refs, issues, an upload, and a job that waits. */
export async function startFilledWorld() {
  const world = await startWorld();
  const owner = await world.user();
  const project = await world.project({ owner, visibility: 'public' });
  const work = scratch('file');

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
  const address = `${world.url}/api/v4/projects/${project.id}/packages/generic/app/1.0/bin/app.txt`;
  await fetch(address, { method: 'PUT', body: 'The first package', headers: { 'private-token': owner.token } });
  const images = new ContainerClient(world.url, owner);
  const image = imageOf({ layers: [blobOf('The first layer')] });
  await images.pushImage(`${project.fullPath.toLowerCase()}/app`, 'v1', image);
  const begun = await images.send(`/v2/${project.fullPath.toLowerCase()}/app/blobs/uploads/`, { method: 'POST' });
  await images.send(begun.headers.get('location') ?? '', { method: 'PATCH', body: 'half' });
  await world.idle();
  await sql(`INSERT INTO pgboss.job (name, data, start_after, retry_limit, priority)
    VALUES ('projects.remove', '{"projectId": 0}', now() + interval '1 day', 7, 3)`);
  return { world, owner, project, work, sql, remoteOf, contents, backup, chain };
}

/** Settings for an empty data directory and an empty database. */
export async function emptyPlace(env: Record<string, string> = {}) {
  const directory = path.join(scratch(), 'data');
  return loadConfig({ GANTRY_DATA: directory, DATABASE_URL: await emptyDatabase(), ...env }, scratch());
}

export type Place = Awaited<ReturnType<typeof emptyPlace>>;

/** Restores a backup into a place. */
export const into = (config: Place, file: string, earlier: string[] = []) =>
  restore({ config, file, earlier, log: quiet });
export const databaseOf = (config: Place) => String(config.databaseUrl);
export const repositoryOf = (config: Place, of: ProjectRow) => new RepositoryStore(config.storages).directory(of);

/** Names of all tables. */
export const TABLES =
  "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1";
const WAITING = "SELECT to_jsonb(j) - 'state' AS row FROM pgboss.job j WHERE state < 'completed' ORDER BY id";
const STRUCTURE = `
  SELECT 'constraint' AS kind, conrelid::regclass::text AS of, conname AS name, pg_get_constraintdef(oid) AS text
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
  UNION ALL SELECT 'index', tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT 'trigger', tgrelid::regclass::text, tgname, tgenabled::text || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT 'sequence', sequencename, '', concat(last_value) FROM pg_sequences WHERE schemaname = 'public'
  ORDER BY 1, 2, 3`;

/** Everything in a database; what a running server notes of itself aside. */
export async function everything(url: string): Promise<Record<string, unknown>> {
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

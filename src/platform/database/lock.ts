import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeDataDirectory } from '#src/platform/database/directories.ts';

/** What the holder of a data directory tells others about itself. */
export interface Holder {
  pid: number;
  /** What it is doing, e.g. `gantry serve`. */
  command: string;
  /** Connection URL of its database, once that accepts connections. */
  databaseUrl?: string;
  /** URL under which it is reached, once it is. */
  url?: string;
}

export interface DataLock {
  /** Tells others, who find the directory locked, where database and server are. */
  publish(found: Pick<Holder, 'databaseUrl' | 'url'>): void;
  release(): void;
}

/** Another process uses the data directory; the message names it. */
export class LockedError extends Error {
  override name = 'LockedError';

  constructor(dataDir: string, holder: Holder | undefined) {
    const who = holder === undefined ? 'another process' : `process ${holder.pid} (${holder.command})`;
    super(
      `The data directory ${dataDir} is in use by ${who}. Stop that first, or set GANTRY_DATA to another directory.`,
    );
  }
}

const sqliteBusy = 5;

/**
 * Takes the data directory for this process alone, or together with others that share it: servers on a database of their
 * own in it must be alone, those on another one need not.
 *
 * The lock is one of the operating system's on a file, which SQLite takes for us as Node has no call for that: it is
 * held without a race, and gone with the process however that ends. The other file only informs: of several processes,
 * it names the last one.
 *
 * @param command what this process is doing, for the message that others get
 * @throws LockedError if another process has it; Error if the directory cannot be used
 */
export function lockDataDirectory(dataDir: string, command: string, { shared = false } = {}): DataLock {
  makeDataDirectory(dataDir);
  const holderFile = path.join(dataDir, 'holder.json');
  const database = openLocked(dataDir, holderFile, shared);
  const holder: Holder & { instance: string } = { pid: process.pid, command, instance: randomUUID() };
  const write = () => {
    const growing = `${holderFile}.${holder.instance}`;
    writeFileSync(growing, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
    renameSync(growing, holderFile);
  };
  write();
  return {
    publish(found) {
      Object.assign(holder, found);
      write();
    },
    release() {
      if (!database.isOpen) return;
      const last = parseHolder(holderFile) as typeof holder | undefined;
      if (last?.instance === holder.instance) rmSync(holderFile, { force: true });
      database.close();
    },
  };
}

/** What the present holder of the directory has published, if anything. */
export function readHolder(dataDir: string): Holder | undefined {
  return parseHolder(path.join(dataDir, 'holder.json'));
}

function openLocked(dataDir: string, holderFile: string, shared: boolean): DatabaseSync {
  const database = new DatabaseSync(path.join(dataDir, 'lock'), { timeout: 0 });
  try {
    // A read within a transaction only excludes exclusive locks.
    const take = shared
      ? 'begin; select count(*) from sqlite_schema'
      : 'pragma locking_mode = exclusive; begin exclusive';
    database.exec(`pragma journal_mode = memory; ${take}`);
    return database;
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) throw new LockedError(dataDir, parseHolder(holderFile));
    throw error;
  }
}

function parseHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // Not written yet, or being written just now.
    return undefined;
  }
}

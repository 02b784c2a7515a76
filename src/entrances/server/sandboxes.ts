import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '#src/platform/config/config.ts';
import { openClient } from '#src/platform/database/client.ts';
import { copyTree } from '#src/platform/lifecycle/copy_tree.ts';

/** A copy of the data of an ephemeral server, to be used and thrown away. */
export interface Sandbox {
  /** The settings, with the directories of the copy. */
  config: Config;
  /** Connection URL of its database. */
  url: string;
  /** Drops the database, whoever is connected to it, and removes the files. */
  remove(): Promise<void>;
}

/**
 * Copies the database and the files of an ephemeral server, to which nothing writes any more.
 */
export class Sandboxes {
  readonly #config: Config;
  readonly #url: URL;
  #count = 0;

  /** @param url of the database to copy, to which nobody may be connected */
  constructor(config: Config, url: string) {
    this.#config = config;
    this.#url = new URL(url);
  }

  async make(): Promise<Sandbox> {
    this.#count += 1;
    const name = `sandbox_${this.#count}`;
    const directory = path.join(this.#config.dataDir, name);
    const { storages, uploads } = this.#config;
    const copyOf = (original: string) => path.join(directory, path.basename(original));
    const originals = [...Object.values(storages), ...('directory' in uploads ? [uploads.directory] : [])];
    await Promise.all([
      this.#administer(`CREATE DATABASE ${name} TEMPLATE ${this.#database} STRATEGY FILE_COPY`),
      // A server that has no uploads yet has no directory for them.
      ...originals.filter((original) => existsSync(original)).map((original) => copyTree(original, copyOf(original))),
    ]);
    const config = {
      ...this.#config,
      storages: Object.fromEntries(Object.entries(storages).map(([key, original]) => [key, copyOf(original)])),
      uploads: 'directory' in uploads ? { directory: copyOf(uploads.directory) } : uploads,
    };
    const remove = async () => {
      await this.#administer(`DROP DATABASE ${name} WITH (FORCE)`);
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    };
    return { config, url: this.#urlOf(name), remove };
  }

  get #database(): string {
    return this.#url.pathname.slice(1);
  }

  #urlOf(database: string): string {
    const url = new URL(this.#url);
    url.pathname = `/${database}`;
    return url.href;
  }

  async #administer(statement: string): Promise<void> {
    const client = await openClient({ connectionString: this.#urlOf('postgres') });
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }
}

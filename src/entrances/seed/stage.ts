import { activeUser } from '#src/access/credentials/authenticate.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { hashPassword } from '#src/access/sign_in/hash_password.ts';
import { moment, StoryClock } from '#src/entrances/seed/clock.ts';
import { LaterJobs } from '#src/entrances/seed/later.ts';
import type { SampleSecrets } from '#src/entrances/seed/secrets.ts';
import type { JobHandlers } from '#src/platform/background/queue.ts';

/** What writing the sample data needs. */
export interface Stores extends Pick<Context, 'db' | 'secret' | 'repositories' | 'uploads' | 'imports' | 'followers'> {
  /** Handlers of the background jobs that commands enqueue. */
  handlers: JobHandlers;
}

/** An event in the history of the sample data, at a moment in UTC: `2025-01-06 09:00`. */
export interface Scene {
  at: string;
  play(stage: Stage): Promise<unknown>;
}

/** Runs the history of the sample data: its people act through the same commands as requests. */
export class Stage {
  readonly stores: Stores;
  readonly secrets: SampleSecrets;
  readonly clock = new StoryClock();
  /** IDs of users by name, of namespaces and projects by path, and of milestones by path and title. */
  readonly users = new Map<string, number>();
  readonly namespaces = new Map<string, number>();
  readonly projects = new Map<string, number>();
  readonly milestones = new Map<string, number>();
  readonly #actors = new Map<string, Actor>();
  readonly #hashes = new Map<string, Promise<string>>();
  readonly #jobs = new LaterJobs();

  constructor(stores: Stores, secrets: SampleSecrets) {
    this.stores = stores;
    this.secrets = secrets;
  }

  /** Plays scenes in chronological order, each followed by its background jobs. */
  async play(scenes: readonly Scene[]): Promise<void> {
    const timed = scenes.map((scene) => ({ ...scene, time: moment(scene.at) }));
    for (const { time, play } of timed.toSorted((one, other) => one.time - other.time)) {
      await this.clock.at(time);
      await play(this);
      await this.work();
    }
  }

  /** The hash of a password, which takes a tenth of a second: computed once per password. */
  passwordHash(password: string): Promise<string> {
    const hashed = this.#hashes.get(password) ?? hashPassword(password, null);
    this.#hashes.set(password, hashed);
    return hashed;
  }

  /** Runs the background jobs enqueued so far. */
  work(): Promise<void> {
    return this.#jobs.work(this.stores.handlers);
  }

  /** The context of a request by that user. */
  async as(username: string): Promise<Context> {
    const known = this.#actors.get(username) ?? (await activeUser(this.stores.db, this.user(username)));
    if (!known) throw new Error(`${username} is not active`);
    const actor: Actor = { ...known, credential: 'private_token' };
    this.#actors.set(username, actor);
    return { ...this.stores, actor, jobs: this.#jobs, clientAddress: null };
  }

  user(username: string): number {
    return found(this.users, username);
  }

  project(path: string): number {
    return found(this.projects, path);
  }

  milestone(path: string, title: string): number {
    return found(this.milestones, `${path} ${title}`);
  }
}

function found(ids: ReadonlyMap<string, number>, key: string): number {
  const id = ids.get(key);
  if (id === undefined) throw new Error(`There is no "${key}" in the sample data`);
  return id;
}

import type { JobQueue } from '#src/platform/background/queue.ts';
import type { Db } from '#src/platform/db.ts';
import { Forbidden, InsufficientScope, Unauthenticated } from '#src/platform/errors.ts';

/**
 * By what an actor was known. `password`, `ssh_key`, `deploy_key`: of a client of git. `job`: the token of a job, which reaches one
 * repository. `server`: by none, where the server acts in the name of a user, as for the token of a trigger.
 */
export type CredentialKind =
  | 'session'
  | 'private_token'
  | 'personal_token'
  | 'oauth'
  | 'password'
  | 'ssh_key'
  | 'deploy_key'
  | 'job'
  | 'server';

/** Who asks, as told by a credential. */
export interface Actor {
  readonly id: number;
  readonly username: string;
  readonly admin: boolean;
  readonly external: boolean;
  readonly canCreateGroup: boolean;
  readonly projectsLimit: number;
  readonly credential: CredentialKind;
  /** What the credential reaches: `api` is everything. */
  readonly scopes: readonly string[];
  /** Of the token of a job: the only project that it reaches, whose repository it reads. */
  readonly jobProjectId?: number;
  /** The administrator who acts as this user through `sudo`. */
  readonly impersonator?: number;
}

/** What every command and reader of the domain gets. Rooms above this one add what they keep: repositories, uploads, imports. */
export interface Context {
  readonly db: Db;
  readonly actor: Actor | null;
  /** Key material for encrypted columns. */
  readonly secret: string;
  /** Where commands leave work for later. */
  readonly jobs: JobQueue;
  /** IP address from which the request came; null without a request. */
  readonly clientAddress: string | null;
  /** The response of the request, which identifies the request's work; absent without a request. */
  readonly answer?: { readonly destroyed: boolean; once(event: 'close', listener: () => void): unknown } | undefined;
}

/** The signed-in actor with full reach. Throws Unauthenticated or InsufficientScope. */
export function requireActor({ actor }: Context): Actor {
  if (!actor) throw new Unauthenticated();
  requireApiScope(actor);
  return actor;
}

/** The signed-in actor for reads of users and of the own account, which `read_user` reaches too. */
export function requireAccount({ actor }: Context): Actor {
  if (!actor) throw new Unauthenticated();
  if (!actor.scopes.includes('api') && !actor.scopes.includes('read_user')) {
    throw new InsufficientScope(['api', 'read_user']);
  }
  return actor;
}

/** The signed-in administrator. Throws Unauthenticated, InsufficientScope, Forbidden. */
export function requireAdmin(context: Context): Actor {
  const actor = requireActor(context);
  if (!actor.admin) throw new Forbidden();
  return actor;
}

/** A credential, where there is one, must reach beyond users. Anonymous callers pass: visibility decides for them. */
export function requireApiScope(actor: Actor | null): void {
  if (actor && !actor.scopes.includes('api')) throw new InsufficientScope(['api']);
}

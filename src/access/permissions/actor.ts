import type { JobQueue } from '#src/platform/background/queue.ts';
import type { Db } from '#src/platform/database/db.ts';
import type { ReadReplica } from '#src/platform/database/replica.ts';
import { BadRequest, Forbidden, InsufficientScope, Unauthenticated } from '#src/platform/errors.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';

/**
 * How an actor was authenticated. `password`, `ssh_key`, `deploy_key`: by a git client. `job`: by the token of a job, which has
 * access to one repository. `server`: without a credential, where the server acts for a user, as for the token of a trigger.
 */
export type CredentialKind =
  | 'session'
  | 'private_token'
  | 'personal_token'
  | 'oauth'
  | 'password'
  | 'ssh_key'
  | 'deploy_key'
  | 'deploy_token'
  | 'job'
  | 'server';

/**
 * What a request does, where less than the scope `api` may suffice: it only reads, it reads files and archives of repositories,
 * it is a fetch or push of git, of images or of packages, it creates, reads or changes runners, it replaces the token that it comes with, or it reads or
 * revokes that.
 */
export type Purpose =
  | 'read'
  | 'read_files'
  | 'fetch'
  | 'push'
  | 'read_package'
  | 'write_package'
  | 'pull_image'
  | 'push_image'
  | 'create_runner'
  | 'read_runner'
  | 'change_runner'
  | 'rotate_token'
  | 'own_token';

/** Whether that purpose is only to read, which a mutation does not. */
export function isReading(purpose: Purpose | null | undefined): boolean {
  return purpose === 'read' || purpose === 'read_files';
}

/** The scopes that suffice for a purpose, each by itself; `other` is anything that changes something. */
const ENOUGH: Readonly<Record<Exclude<Purpose, 'own_token'> | 'other', readonly string[]>> = {
  other: ['api'],
  read: ['api', 'read_api'],
  read_files: ['api', 'read_api', 'read_repository'],
  create_runner: ['api', 'create_runner'],
  read_runner: ['api', 'read_api', 'manage_runner'],
  change_runner: ['api', 'manage_runner'],
  rotate_token: ['api', 'self_rotate'],
  read_package: ['api', 'read_api', 'read_package_registry'],
  write_package: ['api', 'write_package_registry'],
  fetch: ['api', 'read_repository', 'write_repository'],
  push: ['api', 'write_repository'],
  pull_image: ['api', 'read_api', 'read_registry'],
  push_image: ['api', 'write_registry'],
};

/** Where somebody who is no user has a level: in a project, or in a group and below it. */
export interface Place {
  readonly projectId: number | null;
  readonly namespaceId: number | null;
  readonly level: number;
}

/** The authenticated caller. */
export interface Actor {
  /** The user; for a deploy token, which has none, a negative number. */
  readonly id: number;
  readonly username: string;
  readonly admin: boolean;
  readonly external: boolean;
  readonly canCreateGroup: boolean;
  readonly projectsLimit: number;
  readonly credential: CredentialKind;
  /** The scopes of the credential; `api` allows everything. */
  readonly scopes: readonly string[];
  /** Whether it is the user of an access token of a project or group. */
  readonly bot?: boolean;
  /** The personal access token, where that is the credential and nobody acts as somebody else by it. */
  readonly tokenId?: number;
  /** The application whose token the credential is; none has those that users got by their password. */
  readonly applicationId?: number;
  /** What the request does; absent where it changes something or the credential has the scope `api`. */
  readonly purpose?: Purpose;
  /** With the token of a job: the job, and its project, besides which it may only access what lets it in (domain/projects/job_token_scope.ts). */
  readonly jobId?: number;
  readonly jobProjectId?: number;
  /** With a deploy token: the project or group where it has a level, in the place of memberships. */
  readonly place?: Place;
  /** The session of the browser, where that is the credential. */
  readonly sessionId?: number;
  /** The administrator who acts as this user, by `sudo` or in a session for that. */
  readonly impersonator?: number;
}

/** What every command and reader of the domain gets. Higher rooms add what they own: repositories, uploads, followers. */
export interface Context {
  readonly db: Db;
  /** A copy of the database that reads may go to; absent where there is none. */
  readonly replica?: ReadReplica | undefined;
  readonly actor: Actor | null;
  /** Key material for encrypted columns. */
  readonly secret: string;
  /** The queue for deferred work. */
  readonly jobs: JobQueue;
  /** Which hosts projects may be imported from, and webhooks may be sent to. */
  readonly imports: ImportSettings;
  /** IP address of the client; null without a request. */
  readonly clientAddress: string | null;
  /** The response to the request, which identifies its work; absent without a request. */
  readonly answer?: { readonly destroyed: boolean; once(event: 'close', listener: () => void): unknown } | undefined;
}

/** The user, for records of who did something; null for a deploy token. */
export function userIdOf({ id }: Pick<Actor, 'id'>): number | null {
  return id > 0 ? id : null;
}

/** The deploy token, for records of who did something; null for a user. */
export function deployTokenIdOf({ id }: Pick<Actor, 'id'>): number | null {
  return id < 0 ? -id : null;
}

/** The actor for a request that has only this purpose. */
export function actorFor<A extends Actor | null>(actor: A, purpose: Purpose | undefined): A {
  return actor && purpose && !actor.scopes.includes('api') ? { ...actor, purpose } : actor;
}

/** The signed-in actor, if the credential allows what the request does. Throws Unauthenticated or InsufficientScope. */
export function requireActor({ actor }: Context): Actor {
  if (!actor) throw new Unauthenticated();
  requireApiScope(actor);
  return actor;
}

/**
 * Who reads what is open to anyone where it is public: the signed-in actor, or null for a visitor without an account, to whom visibility and abilities show only
 * that. Throws InsufficientScope.
 */
export function readerOf({ actor }: Context): Actor | null {
  requireApiScope(actor);
  return actor;
}

/** What an actor is told who sees a place and may not do something there: visitors may be let in once they are signed in. */
export function refusalOf(actor: Actor | null): Forbidden | Unauthenticated {
  return actor ? new Forbidden() : new Unauthenticated();
}

/** Like readerOf, for reads of users, which `read_user` also allows. */
export function accountReaderOf(context: Context): Actor | null {
  return context.actor && requireAccount(context);
}

/** The signed-in actor for reads of users and of the own account, which `read_user` also allows. */
export function requireAccount({ actor }: Context): Actor {
  if (!actor) throw new Unauthenticated();
  requireOneOf([...enoughFor(actor), 'read_user'], actor);
  return actor;
}

/** The signed-in administrator. Throws Unauthenticated, InsufficientScope, Forbidden. */
export function requireAdmin(context: Context): Actor {
  const actor = requireActor(context);
  if (!actor.admin) throw new Forbidden();
  return actor;
}

/** Requires the credential, if any, to allow more than reading users. Anonymous callers pass: visibility decides for them. */
export function requireApiScope(actor: Actor | null): void {
  if (actor && !reachesApi(actor)) throw outOfReach(actor);
}

/** The actor, whose credential is a personal access token of any scope. Throws Unauthenticated, BadRequest for other credentials. */
export function requireTokenHolder({ actor }: Context): Actor & { tokenId: number } {
  if (!actor) throw new Unauthenticated();
  const { tokenId } = actor;
  if (tokenId === undefined) throw new BadRequest('The request was not made with a personal access token');
  return { ...actor, tokenId };
}

/** Whether the actor's credential allows more than reading users in what the request does. */
export function reachesApi(actor: Actor): boolean {
  return actor.purpose === 'own_token' || enoughFor(actor).some((scope) => actor.scopes.includes(scope));
}

/** Whether a credential allows any use of the API in what the request does, even if only reading users. */
export function reachesAnything(actor: Actor): boolean {
  return reachesApi(actor) || (actor.purpose === 'read' && actor.scopes.includes('read_user'));
}

/** The error for a credential that does not allow what the request does. */
export function outOfReach(actor: Actor): InsufficientScope {
  return new InsufficientScope(enoughFor(actor));
}

function enoughFor({ purpose }: Actor): readonly string[] {
  return purpose === 'own_token' ? [] : ENOUGH[purpose ?? 'other'];
}

function requireOneOf(accepted: readonly string[], { scopes }: Actor): void {
  if (!accepted.some((scope) => scopes.includes(scope))) throw new InsufficientScope(accepted);
}

import type { IncomingHttpHeaders } from 'node:http';
import { authenticatedUser, findActor } from '#src/access/credentials/authenticate.ts';
import { readBasic, readCredentials } from '#src/access/credentials/credentials.ts';
import { actorOfJob } from '#src/access/credentials/job_actor.ts';
import { actorOfDeployToken, isDeployToken } from '#src/access/credentials/tokens/deploy_token.ts';
import { isJobToken } from '#src/access/credentials/tokens/runner_tokens.ts';
import { isTwoFactorOverdue } from '#src/access/credentials/two_factor_overdue.ts';
import { can } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, reachesApi, requireApiScope } from '#src/access/permissions/actor.ts';
import { OVERDUE, refuseClosed, verifyLogin } from '#src/access/sign_in/sign_in.ts';
import { findGroup } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { actorWithin } from '#src/domain/projects/job_token_scope.ts';
import type { Owner } from '#src/domain/projects/owner.ts';
import type { RefChange } from '#src/domain/repository/change_refs.ts';
import { sharedBranches } from '#src/domain/repository/collaboration.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import { canWiki, ensureWikiPlace, ownerPath } from '#src/domain/repository/wiki_place.ts';
import { writeRefusal } from '#src/domain/repository/writable.ts';
import type { Quarantine } from '#src/git/incoming/quarantine.ts';
import { MERGE_REQUEST_REFS } from '#src/git/refs/name.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { DomainError, NotFound, Unauthenticated } from '#src/platform/errors.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** What a git client does. */
export type RemoteService = 'fetch' | 'push';

/** What such rules look at of a push. */
export type PushedObjects = Pick<Quarantine, 'treeFiles' | 'blobs'>;

/** What is asked of a push to a repository beside those of projects. */
export interface SideRules {
  /** Why changes of refs are refused; those that may be made are left out. */
  refusals(commands: readonly RefChange[], objects: PushedObjects): Promise<Map<RefChange, string>>;
  /** Records changes that were made, in the transaction that holds the lock of the repository. */
  record(tx: Transaction, changes: readonly RefChange[]): Promise<void>;
}

/** A repository beside those of projects, without protections, pipelines and merge requests: that of a wiki or snippet. */
export interface SideRepository extends RepositoryPlace {
  side: true;
  /** Its path in addresses, without `.git`. */
  address: string;
  defaultBranch: string | null;
  /** The size that it may have on the disk, where it is less than that of others. */
  quotaBytes?: number | undefined;
  /** Anything may be pushed without. */
  rules?: SideRules | undefined;
}

/** A repository that a git client names: that of a project, or one beside it. */
export type RemoteRepository = (ProjectRow & { side?: undefined }) | SideRepository;

/** The protocol of a git client. */
export type RemoteProtocol = 'http' | 'ssh';

/**
 * Authenticates a git client; null without credentials. The password of Basic authentication may be a token with API access,
 * whatever the user name, which never counts as a sign-in attempt; or else that of the user. The headers of the API work too.
 * Error messages are for the user of the client. Throws Unauthenticated, RateLimited.
 */
export async function identifyRemote(
  context: Pick<Context, 'db' | 'clientAddress'>,
  headers: IncomingHttpHeaders,
): Promise<Actor | null> {
  const basic = readBasic(headers.authorization);
  const { privateToken, bearer } = readCredentials(headers);
  if (!basic && !privateToken && !bearer) return null;
  if (basic && isJobToken(basic.password)) {
    const actor = await actorOfJob(context.db, basic.password);
    if (!actor) throw new Unauthenticated('The token of a job is only valid while the job runs.');
    return actor;
  }
  if (basic && isDeployToken(basic.password)) {
    const actor = await actorOfDeployToken(context.db, basic.password, basic.username);
    if (!actor) throw new Unauthenticated(UNKNOWN);
    return actor;
  }
  const actor = await findActor(context.db, { privateToken: privateToken ?? basic?.password, bearer });
  if (actor) return actor;
  if (!basic) throw new Unauthenticated(UNKNOWN);
  return withPassword(context, basic.username, basic.password);
}

/**
 * The project whose repository the actor may fetch from or push to, or whose wiki, at the path of the project with `.wiki` behind it. Anonymous callers are asked for credentials alike for
 * invisible and missing projects. Throws Unauthenticated, DomainError of FORBIDDEN, and NotFound, whose `movedTo` holds the new
 * path of a moved project.
 *
 * @param protocol null if it was allowed when the caller got a token
 */
export async function openRemote(
  context: Context,
  fullPath: string,
  service: RemoteService,
  protocol: RemoteProtocol | null = 'http',
): Promise<RemoteRepository> {
  await requireGitAccess(context, service, protocol);
  const { isWiki, ...owner } = await findRepository(context, fullPath);
  const { project } = owner;
  if (project === null) return requireWiki(context, context.actor, owner, service);
  if (service === 'push') await requirePushByJob(context, project, isWiki);
  const actor = await actorWithin(context.db, context.actor, project);
  if (isWiki) return requireWiki(context, actor, owner, service);
  if (!actor && (service === 'push' || !can(null, 'read_repository', project))) throw new Unauthenticated(ASK);
  if (!can(actor, 'read_repository', project)) {
    throw forbidden('You are not allowed to download code from this project.');
  }
  if (service === 'push' && !(actor && (await mayPush(context, actor, project)))) {
    throw forbidden('You are not allowed to push code to this project.');
  }
  const refusal = service === 'push' ? writeRefusal(project) : null;
  if (refusal !== null) throw forbidden(refusal);
  return project;
}

/** Throws DomainError of FORBIDDEN for a protocol that is turned off, and a token whose scopes do not reach repositories. */
export async function requireGitAccess(
  context: Context,
  service: RemoteService,
  protocol: RemoteProtocol | null,
): Promise<void> {
  // Jobs can only use HTTP.
  if (protocol !== null && context.actor?.jobProjectId === undefined) await requireProtocol(context, protocol);
  if (context.actor && !reachesApi(context.actor)) throw forbidden(OUT_OF_REACH[service]);
}

/** Throws DomainError of FORBIDDEN where the token of a job may not push: to any project but its own, or if that does not let it. */
async function requirePushByJob({ db, actor }: Context, { id }: ProjectRow, isWiki: boolean): Promise<void> {
  if (actor?.jobProjectId === undefined) return;
  const own = { id, jobTokenPushAllowed: true };
  if (actor.jobProjectId === id && !isWiki && (await db.project.count({ where: own })) > 0) return;
  throw forbidden('The token of a job cannot push here.');
}

/** The wiki, if the actor may fetch from or push to it. Throws as openRemote. */
async function requireWiki(
  context: Context,
  actor: Actor | null,
  owner: Owner,
  service: RemoteService,
): Promise<SideRepository> {
  const kind = owner.project ? 'project' : 'group';
  if (!actor) throw new Unauthenticated(ASK);
  if (kind === 'group' && actor.jobProjectId !== undefined)
    throw forbidden('The tokens of jobs do not reach wikis of groups.');
  if (!canWiki(actor, 'read', owner)) throw forbidden(`You are not allowed to download the wiki of this ${kind}.`);
  if (service === 'push' && !canWiki(actor, 'write', owner))
    throw forbidden(`You are not allowed to push to the wiki of this ${kind}.`);
  return { ...(await ensureWikiPlace(context, owner)), side: true, address: `${ownerPath(owner)}${WIKI}` };
}

/** Whether the actor may push to the repository at all; which branches, the push itself finds out. */
async function mayPush({ db }: Pick<Context, 'db'>, actor: Actor, project: ProjectRow): Promise<boolean> {
  if (can(actor, 'push_code', { ...project, archived: false })) return true;
  return (await sharedBranches(db, actor, project)).size > 0;
}

/** Prefixes of refs that are hidden from a git client: those of merge requests, unless it may read these. */
export async function hiddenRefs(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  project: RemoteRepository,
): Promise<string[]> {
  if (project.side) return [];
  return can(await actorWithin(db, actor, project), 'read_merge_request', project) ? [] : [MERGE_REQUEST_REFS];
}

/** Throws DomainError of FORBIDDEN for a protocol that the settings have turned off. */
export async function requireProtocol({ db }: Pick<Context, 'db'>, protocol: RemoteProtocol): Promise<void> {
  const { enabledGitAccessProtocol: only } = await currentSettings(db);
  if (only === null || only === '' || only === protocol) return;
  throw forbidden(`Git access over ${protocol.toUpperCase()} is not allowed on this server.`);
}

const OUT_OF_REACH: Record<RemoteService, string> = {
  fetch:
    'The scopes of this access token do not reach repositories: it needs "read_repository", "write_repository" or "api".',
  push: 'The scopes of this access token do not let it push: it needs "write_repository" or "api".',
};

/** The message for anonymous callers who must authenticate. */
export const ASK = 'Authentication is required: your user name, with your password or an access token.';
/** The message for signed-in callers, the same for missing and invisible projects. */
export const NO_PROJECT = 'There is no such project, or you are not allowed to see it.';
const UNKNOWN = 'User name, password or access token are wrong.';

const WIKI = '.wiki';

/** The repository of the project at a path or, if there is none and the path is that of a wiki, the wiki of a group or project. Throws as openRemote. */
async function findRepository(context: Context, fullPath: string): Promise<Owner & { isWiki: boolean }> {
  const ofProject = (project: ProjectRow, isWiki: boolean) => ({ project, group: null, isWiki });
  if (!fullPath.endsWith(WIKI)) return ofProject(await find(context, fullPath), false);
  const own = await find(context, fullPath).catch(absent);
  if (own) return ofProject(own, false);
  const place = fullPath.slice(0, -WIKI.length);
  try {
    const group = await findGroup(context, place).catch(unlessMoved);
    if (group) return { project: null, group, isWiki: true };
    return ofProject(await find(context, place), true);
  } catch (error) {
    const movedTo = error instanceof NotFound ? error.extensions.movedTo : null;
    if (typeof movedTo !== 'string') throw error;
    throw new NotFound('Project', `The project has moved to ${movedTo}.`, movedTo + WIKI);
  }
}

/** Nothing, for a group that is missing or that anonymous callers cannot see, unless it has moved. */
function unlessMoved(error: unknown): null {
  if (error instanceof NotFound && typeof error.extensions.movedTo === 'string') throw error;
  return absent(error);
}

/** Nothing, for what is missing or that anonymous callers cannot see. */
function absent(error: unknown): null {
  if (error instanceof NotFound || error instanceof Unauthenticated) return null;
  throw error;
}

async function find(context: Context, fullPath: string): Promise<ProjectRow> {
  try {
    requireApiScope(context.actor);
    if (fullPath.includes('\0')) throw new NotFound('Project');
    return await findProject(context, fullPath);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    const { movedTo } = error.extensions;
    if (typeof movedTo === 'string') throw new NotFound('Project', `The project has moved to ${movedTo}.`, movedTo);
    if (!context.actor) throw new Unauthenticated(ASK);
    throw new NotFound('Project', NO_PROJECT);
  }
}

async function withPassword(
  context: Pick<Context, 'db' | 'clientAddress'>,
  username: string,
  password: string,
): Promise<Actor | null> {
  const refuse = (message: string) => new Unauthenticated(message);
  const user = await verifyLogin(context, username, password).catch((error) => {
    throw error instanceof Unauthenticated ? refuse(UNKNOWN) : error;
  });
  if (user.twoFactorEnabled)
    throw refuse('You have 2FA enabled: use a personal access token in place of the password.');
  if (!user.viaDirectory) await refuseClosed(context.db, user, 'git');
  if (await isTwoFactorOverdue(context.db, user)) throw refuse(`${OVERDUE}, or use an access token.`);
  if (user.passwordExpired) throw refuse('Your password has expired. Sign in on the web to change it.');
  const actor = await authenticatedUser(context.db, user.id);
  if (!actor) throw refuse(UNKNOWN);
  return actor;
}

export function forbidden(message: string): DomainError {
  return new DomainError('notAllowed', message);
}

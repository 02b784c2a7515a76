import type { Readable } from 'node:stream';
import { can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { RemoteRepository, SideRepository } from '#src/domain/repository/access_remote.ts';
import { type ChangeOptions, changeRefs, type RefChange, type RefOutcome } from '#src/domain/repository/change_refs.ts';
import { type ClientOptions, readClientOptions } from '#src/domain/repository/client_options.ts';
import { isFarBehind } from '#src/domain/repository/contributors_kept.ts';
import { ensureRepository } from '#src/domain/repository/ensure.ts';
import { lfsRefusals } from '#src/domain/repository/lfs_refusals.ts';
import { enqueueMaintenance } from '#src/domain/repository/maintain.ts';
import { branchRefusals } from '#src/domain/repository/protection.ts';
import { tagRefusals } from '#src/domain/repository/protections/of_tags.ts';
import { ruleRefusals } from '#src/domain/repository/push_rules/of_push.ts';
import { quotaRefusal } from '#src/domain/repository/quota.ts';
import { type PushOptions, pushRefs } from '#src/domain/repository/record.ts';
import { goneRefusal } from '#src/domain/repository/refusals.ts';
import { recordSideSize } from '#src/domain/repository/side_size.ts';
import { GitError, RefChanged } from '#src/git/base/errors.ts';
import { ByteReader } from '#src/git/incoming/byte_reader.ts';
import { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { Quarantine, RefusedObjects } from '#src/git/incoming/quarantine.ts';
import { isValidRefName, mayBeMade } from '#src/git/refs/name.ts';
import { RefReader } from '#src/git/refs/read.ts';
import { NotAlone } from '#src/git/refs/update_many.ts';
import type { PushReport } from '#src/git/remote/push_report.ts';
import { type PushCommand, type PushRequest, readPushRequest } from '#src/git/remote/push_request.ts';
import { refValues } from '#src/git/remote/secure.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { DomainError } from '#src/platform/errors.ts';
import { encrypt } from '#src/platform/secrets.ts';

/** A push in progress. */
export interface Push {
  context: Context;
  project: RemoteRepository;
  /** What the client sends. */
  body: Readable;
  /** Whether its stream continues after the pack, as on a connection that waits for the report. */
  goesOn?: boolean | undefined;
  /** The deploy key that it is made with. */
  deployKeyId?: number | undefined;
  /** Aborts it before anything was changed: the client is gone, or took too long. */
  signal: AbortSignal;
  /** Called when all has arrived and processing begins. */
  onReceived(capabilities: ReadonlySet<string>): void;
}

export interface Received extends PushReport {
  capabilities: ReadonlySet<string>;
  /** The changes that were made. */
  made: readonly RefChange[];
  options: ClientOptions;
}

/**
 * Receives a push to a project, as allowed by openRemote: objects are quarantined until they are complete and the permissions for
 * each ref have been checked; then the refs change under the repository's lock, each if it still holds what the client expects.
 * An aborted push leaves the repository as it was. Null for an empty request. Throws InvalidRequest, or what the body or the
 * signal throws.
 */
export async function receivePush(push: Push): Promise<Received | null> {
  const { context, project, body, signal, onReceived } = push;
  const reader = new ByteReader(body);
  const request = await readPushRequest(reader);
  if (request === null) return null;
  const { directory } = await ensureRepository(context, project);
  const quarantine = await Quarantine.open(directory, signal);
  const { capabilities, commands } = request;
  const options = readClientOptions(request.options);
  try {
    if (commands.some(({ to }) => to !== null)) await takeObjects(push, quarantine, reader);
    onReceived(capabilities);
    // A job that pushes would start itself again, and so on.
    const skipCi = context.actor?.jobId !== undefined;
    const work = accept(push, request, { quarantine, skipCi, ci: pipelineOptions(options, context.secret) });
    const report = await work.catch((error) => refuseAll(error, request));
    // The refs have changed: errors no longer matter, and scheduled jobs do all of this later anyway.
    if (!project.side) await workLater(context, project).catch(() => undefined);
    const kept = new Set(report.refs.filter(({ refused }) => refused === null).map(({ name }) => name));
    return { ...report, capabilities, options, made: commands.filter(({ name }) => kept.has(name)) };
  } catch (error) {
    if (!(error instanceof RefusedObjects)) throw error;
    onReceived(capabilities);
    const refs = allRefused(commands, 'the objects were not accepted');
    return { unpack: error.message, refs, capabilities, options, made: [] };
  } finally {
    await quarantine.discard();
  }
}

/** What the pipelines of the push are asked for; the variables wait encrypted. */
function pipelineOptions({ ci: { isSkipped, variables } }: ClientOptions, secret: string): PushOptions['ci'] {
  const isGiven = Object.keys(variables).length > 0;
  const variablesEncrypted = isGiven
    ? Buffer.from(encrypt(JSON.stringify(variables), secret)).toString('base64')
    : null;
  return { isSkipped, variablesEncrypted };
}

/** The report on a push that was rejected as a whole, before any ref changed. Rethrows other errors. */
function refuseAll(error: unknown, { commands, capabilities }: PushRequest): PushReport {
  return { unpack: null, refs: allRefused(commands, refusalIn(error, capabilities)) };
}

function allRefused(commands: readonly PushCommand[], reason: string): PushReport['refs'] {
  return commands.map(({ name }) => ({ name, refused: reason }));
}

/** The reason for a rejection, for a client that requested a report. Rethrows other errors, and without a report. */
function refusalIn(error: unknown, capabilities: ReadonlySet<string>): string {
  const refusal = error instanceof DomainError ? error : goneRefusal(error);
  if (refusal === null || !capabilities.has('report-status')) throw error;
  return refusal.message;
}

/** Receives the pack of a push, if the repository has room for it. Throws as takePack. */
async function takeObjects(
  { context, project, goesOn }: Push,
  quarantine: Quarantine,
  reader: ByteReader,
): Promise<void> {
  const { repositories } = context;
  const { objectBytes, pushBytes } = repositories.limits;
  const before = await quotaRefusal(repositories, project, 0);
  if (before !== null) throw new RefusedObjects(before);
  await quarantine.takePack(reader, { packBytes: pushBytes, objectBytes, goesOn });
  // The new objects are next to the others, and count with them.
  const after = await quotaRefusal(repositories, project, 0);
  if (after !== null) throw new RefusedObjects(after);
}

/** Enqueues jobs that the push has made necessary. */
async function workLater({ db, jobs }: Context, { id }: ProjectRow): Promise<void> {
  if (!(await isFarBehind(db, id))) return;
  await db.$transaction((tx) => jobs.enqueue(tx, 'repositories.contributors', { projectId: id }));
}

async function accept(
  push: Push,
  { commands, capabilities }: PushRequest,
  { quarantine, skipCi, ci }: { quarantine: Quarantine } & Pick<PushOptions, 'ci' | 'skipCi'>,
): Promise<PushReport> {
  const { context, project, signal } = push;
  const keepLock = new PackKeepLock(context.repositories.directory(project));
  const tips = commands.flatMap(({ to }) => to ?? []);
  const bounds = await refValues(keepLock.directory);
  await quarantine.complete(tips, bounds);
  const refused = await refusals(push, commands, quarantine);
  const allowed = commands.filter((command) => !refused.has(command));
  if (project.side) {
    const possible = commands.filter((command) => !refused.has(command));
    const own = (await project.rules?.refusals(possible, quarantine)) ?? [];
    for (const [command, reason] of own) refused.set(command, reason);
  } else {
    const check = { projectId: project.id, userId: requireActor(context).id, commands: allowed, quarantine, bounds };
    for (const [command, reason] of await lfsRefusals(context, check)) refused.set(command, reason);
    const remaining = commands.filter((command) => !refused.has(command));
    const rules = { project, userId: requireActor(context).id, commands: remaining, quarantine, bounds };
    for (const [command, reason] of await ruleRefusals(context, rules)) refused.set(command, reason);
  }
  const isAtomic = capabilities.has('atomic');
  if (isAtomic) await refuseChanged(context, project, commands, refused);
  if (isAtomic) spread(refused, commands);
  const changes = commands.filter((command) => !refused.has(command));
  signal.throwIfAborted();
  if (changes.length > 0) {
    try {
      await quarantine.migrate(keepLock);
      keepLock.rely(bounds);
      for (const oid of tips) keepLock.markComplete(oid, null);
      await make(push, changes, refused, { atomic: isAtomic, keepLock, capabilities, skipCi, ci });
    } finally {
      await keepLock.release();
    }
    if (isAtomic) spread(refused, changes);
  }
  const refs = commands.map((command) => ({ name: command.name, refused: refused.get(command) ?? null }));
  return { unpack: null, refs };
}

/** Maximum number of refs changed while holding the lock, which writers wait for; atomic pushes change all at once. */
const BATCH_SIZE = 500;

/**
 * Makes the changes in the client's order, but that of the default branch first. If a group of them is rejected, earlier groups
 * stay, and the rest is rejected for the same reason.
 */
async function make(
  { context, project }: Push,
  changes: readonly RefChange[],
  refused: Map<RefChange, string>,
  { capabilities, ...options }: PushOptions & Pick<PushRequest, 'capabilities'>,
): Promise<void> {
  const refs = new RefReader(context.repositories.directory(project));
  const atOnce = options.atomic ? changes.length : BATCH_SIZE;
  const main = project.defaultBranch === null ? await refs.head() : `${BRANCHES}${project.defaultBranch}`;
  const ordered = changes.toSorted((left, right) => Number(right.name === main) - Number(left.name === main));
  let pushed = project;
  for (let at = 0; at < ordered.length; at += atOnce) {
    const next = ordered.slice(at, at + atOnce);
    let outcomes: RefOutcome[];
    try {
      outcomes = pushed.side
        ? await changeSide(context, pushed, next, options)
        : await pushRefs(context, requireActor(context), pushed, next, undefined, options);
    } catch (error) {
      const reason = refusalIn(error, capabilities);
      for (const change of ordered.slice(at)) refused.set(change, reason);
      return;
    }
    for (const { change, error } of outcomes) {
      if (error !== null && !(error instanceof NotAlone)) refused.set(change, reasonOf(error));
    }
    // The first group may have created the default branch.
    const head = (await refs.head())?.slice(BRANCHES.length) ?? null;
    pushed = { ...project, defaultBranch: project.defaultBranch ?? head };
  }
}

/** Changes refs of a repository beside those of projects, and records them as it wants. */
function changeSide(
  context: Context,
  side: SideRepository,
  changes: readonly RefChange[],
  options: ChangeOptions,
): Promise<RefOutcome[]> {
  const record = async (tx: Transaction, made: readonly RefChange[]) => {
    await side.rules?.record(tx, made);
    await enqueueMaintenance(tx, context, side);
    await recordSideSize(tx, context, side);
  };
  return changeRefs(context, side, changes, record, options);
}

/** Why some of the changes are not allowed. */
async function refusals(
  { context, project, deployKeyId }: Push,
  commands: PushCommand[],
  quarantine: Quarantine,
): Promise<Map<RefChange, string>> {
  const refused = new Map<RefChange, string>();
  const actor = requireActor(context);
  const forbidden = project.side ? () => null : await branchRefusals(context, actor, project, { deployKeyId });
  const forbiddenTags = project.side ? () => null : await tagRefusals(context.db, actor, project, { deployKeyId });
  const mayPush = project.side || can(actor, 'push_code', project);
  const branches = commands.filter(({ name }) => name.startsWith(BRANCHES));
  const others = await quarantine.otherThanCommits(branches.flatMap(({ to }) => to ?? []));
  for (const command of commands) {
    const { name, from, to } = command;
    const refuse = (reason: string | null) => reason !== null && refused.set(command, reason);
    const isPossible = to === null ? name.startsWith('refs/') && isValidRefName(name) : mayBeMade(name);
    if (!isPossible) refuse('the name is not valid');
    else if (RESERVED.some((reserved) => `${name}/`.startsWith(reserved)))
      refuse('the server keeps such names for itself');
    else if (!name.startsWith(BRANCHES) && !mayPush) refuse(PUSH_REFUSED_ANYWHERE);
    else if (name.startsWith(TAGS)) {
      refuse(forbiddenTags(name.slice(TAGS.length), to === null ? 'delete' : from === null ? 'create' : 'update'));
    } else if (!name.startsWith(BRANCHES)) continue;
    else if (to !== null && others.has(to)) refuse('a branch must be a commit');
    else {
      const branch = name.slice(BRANCHES.length);
      const isForced = from !== null && to !== null && !(await quarantine.isAncestor(from, to));
      if (to === null && branch === project.defaultBranch) refuse('Cannot remove HEAD branch');
      else refuse(forbidden(branch, to === null ? 'delete' : isForced ? 'force' : 'push'));
    }
  }
  return refused;
}

const BRANCHES = 'refs/heads/';
const TAGS = 'refs/tags/';
/** For those who may only push to branches that are shared with them. */
const PUSH_REFUSED_ANYWHERE = 'You are not allowed to push code to this project';
/** Ref namespaces that the server creates, or that would replace the objects requested. */
const RESERVED = [
  'refs/merge-requests/',
  'refs/keep-around/',
  'refs/environments/',
  'refs/pipelines/',
  'refs/replace/',
];

/** Rejects changes of refs that do not hold what the client expects: nothing of an atomic push is then tried. */
async function refuseChanged(
  { repositories }: Context,
  project: RemoteRepository,
  commands: PushCommand[],
  refused: Map<RefChange, string>,
): Promise<void> {
  const refs = new RefReader(repositories.directory(project));
  for (const command of commands) {
    if (!refused.has(command) && (await refs.read(command.name)) !== command.from) refused.set(command, CHANGED);
  }
}

/** All or nothing: if one is rejected, so are the others. */
function spread(refused: Map<RefChange, string>, commands: readonly RefChange[]): void {
  if (refused.size === 0) return;
  for (const command of commands) {
    if (!refused.has(command)) refused.set(command, 'another ref of this atomic push was refused');
  }
}

const CHANGED = 'it was changed by somebody else meanwhile: fetch first';

function reasonOf(error: Error): string {
  if (error instanceof RefChanged) return CHANGED;
  return error instanceof GitError ? error.message : 'it could not be changed';
}

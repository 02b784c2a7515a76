import { can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import type { RemoteRepository } from '#src/domain/repository/access_remote.ts';
import type { RefChange } from '#src/domain/repository/change_refs.ts';
import type { MergeRequestOptions } from '#src/domain/repository/client_options.ts';
import { titleOf } from '#src/domain/repository/find_commit.ts';
import { storable } from '#src/domain/repository/push_data.ts';
import type { Received } from '#src/domain/repository/receive.ts';
import { defaultBranch } from '#src/domain/repository/revision.ts';
import { createMergeRequest } from '#src/domain/tracking/merge_requests/create.ts';
import { locateMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { mergeAfterComingPipeline } from '#src/domain/tracking/merge_requests/merge.ts';
import { type MergeRequestChanges, updateMergeRequest } from '#src/domain/tracking/merge_requests/update.ts';
import { DomainError, NotFound } from '#src/platform/errors.ts';

/** A push whose refs have changed. */
export interface Followed {
  context: Context;
  project: RemoteRepository;
  /** The deploy key that it was made with: it acts on no merge requests. */
  deployKeyId?: number | undefined;
  /** URL of the server, without a trailing slash. */
  baseUrl: string;
  /** Receives unexpected errors, by which a push that was made does not fail. */
  report(error: unknown): void;
}

const BRANCHES = 'refs/heads/';
/** A push of more branches does nothing with merge requests. */
const MAX_BRANCHES = 10;
/** A push of more branches names no merge requests. */
const MAX_NAMED_BRANCHES = 5;

/**
 * Does what the options of a push ask of the merge requests of its branches, with the permissions that the user has anyway, and returns
 * the lines that the client prints: warnings, and of each branch the address of its merge request, or of the page that opens one.
 */
export async function followPush(followed: Followed, received: Received): Promise<string[]> {
  const { options, made } = received;
  const { project } = followed;
  if (project.side) return [];
  const warnings = [...options.warnings];
  try {
    const onProject = { ...followed, project };
    const branches = await pushedBranches(onProject, made);
    if (options.mergeRequest !== null)
      warnings.push(...(await applyOptions(onProject, options.mergeRequest, branches)));
    return [...warningBlock(warnings), ...(await addresses(onProject, branches))];
  } catch (error) {
    followed.report(error);
    return warningBlock([...warnings, FAILED]);
  }
}

const FAILED = 'Something went wrong after the push: see on the server what became of its options';

function warningBlock(warnings: readonly string[]): string[] {
  return warnings.length === 0 ? [] : ['', 'WARNINGS:', ...warnings, ''];
}

/** A push to the repository of a project. */
interface ProjectPush extends Followed {
  project: ProjectRow;
}

/** The branches that were pushed, without the default one. */
async function pushedBranches({ context, project }: ProjectPush, made: readonly RefChange[]): Promise<string[]> {
  const names = made.flatMap(({ name, to }) => (to !== null && name.startsWith(BRANCHES) ? [name] : []));
  if (names.length === 0) return [];
  const reader = await context.repositories.open(project);
  const main = reader && (await defaultBranch(project, reader));
  return names.map((name) => name.slice(BRANCHES.length)).filter((name) => name !== main && name.isWellFormed());
}

/** An open merge request of a branch. */
interface Opened {
  iid: number;
  sourceBranch: string;
  targetBranch: string;
  targetProjectId: number;
}

/** The open merge requests of branches, those that were opened first in front. */
function openedOf({ db }: Context, project: ProjectRow, branches: readonly string[]): Promise<Opened[]> {
  return db.mergeRequest.findMany({
    where: { sourceProjectId: project.id, sourceBranch: { in: [...branches] }, state: 'opened' },
    select: { iid: true, sourceBranch: true, targetBranch: true, targetProjectId: true },
    orderBy: { id: 'asc' },
    take: MAX_MERGE_REQUESTS,
  });
}

/** Merge requests of all pushed branches that are looked at. */
const MAX_MERGE_REQUESTS = 200;

async function applyOptions(
  { context, project, deployKeyId }: ProjectPush,
  options: MergeRequestOptions,
  branches: readonly string[],
): Promise<string[]> {
  const refuse = (reason: string) => `Error encountered with push options ${quoted(options.given)}: ${reason}`;
  if (branches.length > MAX_BRANCHES) {
    return [`Too many branches pushed (${branches.length} were pushed, limit is ${MAX_BRANCHES})`];
  }
  if (branches.length === 0) return [];
  if (deployKeyId !== undefined) return [refuse('deploy keys cannot change merge requests')];
  const opened = await openedOf(context, project, branches);
  const refusals: string[] = [];
  for (const branch of branches) {
    const ofBranch = opened.filter(({ sourceBranch }) => sourceBranch === branch);
    try {
      await applyTo(context, project, { branch, opened: ofBranch }, options);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      refusals.push(refuse(error.message.replace(/\s+/g, ' ')));
    }
  }
  return refusals;
}

function quoted(options: readonly string[]): string {
  return options.map((option) => `'${option}'`).join(' ');
}

/** Opens the merge request of a branch, or updates it if it is open. Throws DomainError. */
async function applyTo(
  context: Context,
  project: ProjectRow,
  { branch, opened }: { branch: string; opened: readonly Opened[] },
  options: MergeRequestOptions,
): Promise<void> {
  const target =
    options.targetProject === undefined ? null : await findProject(context, idOrPath(options.targetProject));
  const fitting = opened.filter(
    ({ targetBranch, targetProjectId }) =>
      (options.target ?? targetBranch) === targetBranch && (target?.id ?? targetProjectId) === targetProjectId,
  );
  const [first, ...others] = fitting;
  if (others.length > 0) {
    throw new DomainError(
      'requestInvalid',
      `Branch ${branch} has several merge requests: name one by merge_request.target`,
    );
  }
  const into = first?.targetProjectId ?? target?.id ?? project.id;
  if (first !== undefined) await update(context, into, first.iid, options);
  else if (options.create) await create(context, { project, branch, target: target ?? project }, options);
  else {
    const reason = `A merge_request.create push option is required to create a merge request for branch ${branch}`;
    throw new DomainError('requestInvalid', reason);
  }
}

function idOrPath(text: string): number | string {
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

async function create(
  context: Context,
  { project, branch, target }: { project: ProjectRow; branch: string; target: ProjectRow },
  options: MergeRequestOptions,
): Promise<void> {
  const actor = requireActor(context);
  const { title, description } = await textsOf(context, project, branch, options);
  const into = await context.repositories.open(target);
  const targetBranch = options.target ?? (into && (await defaultBranch(target, into)));
  if (targetBranch === null) throw new DomainError('requestInvalid', 'The target project has no branches');
  const assigned = await usersOf(context, options.assign);
  const isAssignable = can(actor, 'admin_merge_request', target);
  const assigneeIds = options.assign.length > 0 ? assigned : isAssignable ? [actor.id] : undefined;
  const { id } = await createMergeRequest(context, {
    project: project.id,
    sourceBranch: branch,
    targetProject: target.id,
    targetBranch,
    title,
    description,
    draft: options.draft || undefined,
    removeSourceBranch: options.removeSourceBranch,
    squash: options.squash,
    milestone: options.milestone,
    assigneeIds,
    labels: options.labels.length > 0 ? options.labels : undefined,
  });
  if (options.autoMerge !== true) return;
  const { iid } = await context.db.mergeRequest.findUniqueOrThrow({ where: { id }, select: { iid: true } });
  await mergeAfterComingPipeline(context, target.id, iid);
}

/** Title and description as given, or those of the last commit. */
async function textsOf(
  context: Context,
  project: ProjectRow,
  branch: string,
  { title, description }: MergeRequestOptions,
): Promise<{ title: string; description: string | undefined }> {
  const reader = await context.repositories.open(project);
  const tip = await reader?.branch(branch);
  const commit = tip ? await reader?.commit(tip.commit) : null;
  const message = storable(commit?.message ?? '').trimEnd();
  const own = titleOf({ message });
  const [, ...rest] = message.split('\n');
  const body = rest.join('\n').trim();
  return { title: title ?? (own.trim() || branch).slice(0, 255), description: description ?? (body || undefined) };
}

async function update(context: Context, target: number, iid: number, options: MergeRequestOptions): Promise<void> {
  const { title, description, draft, removeSourceBranch, squash, milestone, labels, unlabels } = options;
  const changes: MergeRequestChanges = {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(draft === undefined ? {} : { draft }),
    ...(removeSourceBranch === undefined ? {} : { removeSourceBranch }),
    ...(squash === undefined ? {} : { squash }),
    ...(milestone === undefined ? {} : { milestone }),
    ...(labels.length === 0 ? {} : { addLabels: labels }),
    ...(unlabels.length === 0 ? {} : { removeLabels: unlabels }),
    ...(await reassigned(context, target, iid, options)),
  };
  if (Object.keys(changes).length > 0) await updateMergeRequest(context, target, iid, changes);
  if (options.autoMerge === true) await mergeAfterComingPipeline(context, target, iid);
}

/** All assignees after some have been added and removed. */
async function reassigned(
  context: Context,
  targetProjectId: number,
  iid: number,
  { assign, unassign }: MergeRequestOptions,
): Promise<{ assigneeIds?: number[] }> {
  if (assign.length === 0 && unassign.length === 0) return {};
  const [added, removed] = [await usersOf(context, assign), new Set(await usersOf(context, unassign))];
  const { mergeRequest } = await locateMergeRequest(context, targetProjectId, iid);
  const all = new Set([...mergeRequest.assigneeIds, ...added]);
  return { assigneeIds: [...all].filter((id) => !removed.has(id)) };
}

/** IDs of users named by username or ID. Throws NotFound for one that does not exist. */
async function usersOf({ db }: Context, names: readonly string[]): Promise<number[]> {
  if (names.length === 0) return [];
  const users = await db.$queryRaw<{ id: number; name: string }[]>`
    SELECT u.id, w.name FROM unnest(${[...names]}::text[]) AS w(name) JOIN users u ON lower(u.username) = lower(ltrim(w.name, '@'))
      OR (w.name ~ '^[0-9]{1,9}$' AND u.id = CASE WHEN w.name ~ '^[0-9]{1,9}$' THEN w.name::int END)`;
  const missing = names.find((name) => !users.some((user) => user.name === name));
  if (missing !== undefined) throw new NotFound('User', `There is no user ${missing.slice(0, 80)}`);
  return [...new Set(users.map(({ id }) => id))];
}

/** Of each branch the address of its first merge request, or of the page that opens one. */
async function addresses(followed: ProjectPush, branches: readonly string[]): Promise<string[]> {
  const { context, project, deployKeyId, baseUrl } = followed;
  const { actor } = context;
  if (branches.length === 0 || branches.length > MAX_NAMED_BRANCHES || deployKeyId !== undefined) return [];
  if (!project.mergeRequestsEnabled) return [];
  const opened = await openedOf(context, project, branches);
  const lines: string[] = [];
  for (const branch of branches) {
    const first = opened.find(({ sourceBranch }) => sourceBranch === branch);
    if (first !== undefined) {
      const target = first.targetProjectId === project.id ? project : await visible(context, first.targetProjectId);
      if (!target || !can(actor, 'read_merge_request', target)) continue;
      const url = `${baseUrl}/${pathOf(target.fullPath)}/-/merge_requests/${first.iid}`;
      lines.push('', `View merge request for ${printable(branch)}:`, `  ${url}`, '');
    } else if (can(actor, 'create_merge_request', project)) {
      const query = `merge_request%5Bsource_branch%5D=${encodeURIComponent(branch)}`;
      const url = `${baseUrl}/${pathOf(project.fullPath)}/-/merge_requests/new?${query}`;
      lines.push('', `To create a merge request for ${printable(branch)}, visit:`, `  ${url}`, '');
    }
  }
  return lines;
}

/** A name of a branch as a terminal may show it. */
function printable(name: string): string {
  return name.replace(/\p{Cc}/gu, '?');
}

function pathOf(fullPath: string): string {
  return fullPath.split('/').map(encodeURIComponent).join('/');
}

function visible(context: Context, projectId: number): Promise<ProjectRow | null> {
  return findProject(context, projectId).catch((error) => {
    if (error instanceof NotFound) return null;
    throw error;
  });
}

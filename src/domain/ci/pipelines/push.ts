import { randomUUID } from 'node:crypto';
import { activeUser } from '#src/access/credentials/authenticate.ts';
import { can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { RefsPushed } from '#src/domain/changes/change.ts';
import type { ChangeContext, Follower } from '#src/domain/changes/record.ts';
import { buildPipeline } from '#src/domain/ci/pipelines/build.ts';
import { CONFIG_PATH, planPipeline } from '#src/domain/ci/pipelines/config/read.ts';
import { PROJECT_BASE, type ProjectRow } from '#src/domain/projects/find.ts';
import { namedProject } from '#src/domain/projects/named.ts';
import { findPushedProject } from '#src/domain/repository/pushed_project.ts';
import type { Jobs } from '#src/platform/background/queue.ts';
import { queryJson, type Transaction } from '#src/platform/database/db.ts';
import { select } from '#src/platform/records/selection.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Creates the pipelines of a push, one per key. */
    'pipelines.create': { projectId: number; userId: number; refs: PushedRef[] };
  }
}

/** A branch or tag that was pushed. */
export interface PushedRef {
  ref: string;
  tag: boolean;
  /** The commit that it points to. */
  sha: string;
  /** The commit before; null if it is new. */
  beforeSha: string | null;
  /** Unique for every push and ref. */
  pushKey: string;
}

/** The marker in a commit message that skips CI. */
const SKIPS = /\[(ci[ _-]skip|skip[ _-]ci)\]/i;

const BRANCHES = 'refs/heads/';
const TAGS = 'refs/tags/';
/** A push of more refs imports a whole repository, and starts no pipelines. */
const MOST_REFS = 20;

/** Creates pipelines for pushes. */
export const pushedPipelines: Follower = { refsPushed: requestPipelines };

/** Enqueues a job that creates pipelines for the pushed refs with a CI configuration, once the push commits. */
async function requestPipelines(
  tx: Transaction,
  { jobs }: ChangeContext,
  { project, pusher, changes, reader, skipCi = false }: RefsPushed,
): Promise<void> {
  if (!jobs || skipCi || changes.length > MOST_REFS) return;
  const refs: PushedRef[] = [];
  for (const { name, from, to } of changes) {
    const prefix = [BRANCHES, TAGS].find((start) => name.startsWith(start));
    if (to === null || prefix === undefined || !name.isWellFormed()) continue;
    const sha = await reader.resolve(to);
    if (sha === null || (await reader.entry(sha, CONFIG_PATH))?.type !== 'blob') continue;
    const ref = name.slice(prefix.length);
    refs.push({ ref, tag: prefix === TAGS, sha, beforeSha: from, pushKey: randomUUID() });
  }
  if (refs.length > 0) {
    await jobs.enqueue(tx, 'pipelines.create', { projectId: project.id, userId: pusher.id, refs });
  }
}

const PUSHED = select('Project', PROJECT_BASE);

/**
 * Whether the user is not a developer of the project, or not active any more. Who pushed to a branch that a fork shares with them is
 * none: their changes to `.gitlab-ci.yml` must not read the variables of the fork, whose developers can start a pipeline.
 */
async function isGuest(db: ChangeContext['db'], userId: number, projectId: number): Promise<boolean> {
  const user = await activeUser(db, userId);
  if (user === null) return true;
  const [project] = await queryJson<ProjectRow[]>(db, namedProject(user, projectId, PUSHED));
  return !project || !can(user, 'push_code', { ...project, archived: false });
}

/**
 * Creates the pipelines of a push; none if the project has jobs turned off, and none for a ref without jobs. An invalid file
 * makes a failed one with the error, and a commit with `[ci skip]` in its message a skipped one without jobs.
 */
export async function createPushedPipelines(
  { repositories, ...context }: ChangeContext & Pick<Context, 'repositories'>,
  { projectId, userId, refs }: Jobs['pipelines.create'],
): Promise<void> {
  const { db } = context;
  const project = await findPushedProject(db, projectId);
  const settings = await db.project.findUnique({ where: { id: projectId }, select: { jobsEnabled: true } });
  const repository = project && (await repositories.open(project));
  if (!project || !repository || !settings?.jobsEnabled) return;
  if ((await db.user.count({ where: { id: userId } })) === 0) return;
  if (await isGuest(db, userId, projectId)) return;
  for (const pushed of refs) {
    const commit = await repository.commit(pushed.sha);
    if (commit === null) continue;
    const occasion = { ref: pushed.ref, tag: pushed.tag, source: 'push', project: project.fullPath } as const;
    const plan = await planPipeline(repository, occasion, pushed.sha);
    const isSkipped = plan.error === null && plan.jobs !== null && SKIPS.test(commit.message);
    if (plan.error === null && !plan.jobs?.length && !isSkipped) continue;
    await buildPipeline(context, { ...pushed, ...occasion, projectId, userId, isSkipped }, { repository, plan });
  }
}

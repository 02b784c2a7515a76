import DataLoader from 'dataloader';
import type { Context } from '#src/access/actor.ts';
import type { Presumption } from '#src/access/presumption.ts';
import { type CommitKey, type CommitRow, commitsByKeys } from '#src/commits/find.ts';
import { type GroupStatistics, groupStatistics } from '#src/groups/statistics.ts';
import { commitStatuses } from '#src/pipelines/of_commits.ts';
import type { JobStatus } from '#src/pipelines/status.ts';
import type { SshAddress } from '#src/platform/ssh_address.ts';
import { findProjectsByIds, type ProjectRow } from '#src/projects/find.ts';
import { type BranchRefusals, branchRefusals } from '#src/repository/protection.ts';
import { fullyVisible } from '#src/runners/visibility.ts';
import { traceTexts } from '#src/traces/read.ts';

/** What every resolver gets: the domain's context, the URL that the client used, and batching loaders for this request. */
export interface GraphQLContext extends Context {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Where the server is reached over SSH; null where it is not. */
  readonly ssh: SshAddress | null;
  readonly version: string;
  readonly revision: string;
  /** Whether users without a picture of their own get one from the avatar service. */
  readonly avatars: boolean;
  readonly loaders: Loaders;
  /** On what it rests that the actor asks, as long as nobody has looked; absent where that is certain. */
  readonly presumption?: Presumption | undefined;
}

export interface Loaders {
  /** Projects that the actor may see, null for others. */
  readonly project: DataLoader<number, ProjectRow | null>;
  /** What the projects of a group take; null for all but administrators. */
  readonly groupStatistics: DataLoader<number, GroupStatistics | null>;
  /** Commits by project and hash; null where they are gone or the actor may not read them. */
  readonly commit: DataLoader<CommitKey, CommitRow | null, string>;
  /** What jobs printed that the actor may read. */
  readonly trace: DataLoader<number, string>;
  /** Whether the actor sees all that is known of a runner. */
  readonly runnerInFull: DataLoader<{ id: number; isShared: boolean }, boolean, number>;
  /** Why the actor may not do something to branches of a project; null for anonymous callers, who may do nothing. */
  readonly branchRefusals: DataLoader<ProjectRow, BranchRefusals | null, number>;
  /** Status of the latest pipeline of a commit. */
  readonly commitStatus: DataLoader<CommitKey, JobStatus | null, string>;
}

/** A context for one operation. */
export function graphqlContext(
  context: Context,
  server: Pick<GraphQLContext, 'baseUrl' | 'ssh' | 'version' | 'revision' | 'avatars'>,
): GraphQLContext {
  let loaders: Loaders | undefined;
  return {
    ...context,
    ...server,
    get loaders() {
      loaders ??= makeLoaders(context);
      return loaders;
    },
  };
}

function makeLoaders(context: Context): Loaders {
  const project = new DataLoader<number, ProjectRow | null>(async (ids) => {
    const projects = new Map((await findProjectsByIds(context, ids)).map((one) => [one.id, one]));
    return ids.map((id) => projects.get(id) ?? null);
  });
  return {
    project,
    groupStatistics: new DataLoader((ids) => groupStatistics(context, ids)),
    commit: new DataLoader((keys) => commitsByKeys(context, keys, (id) => project.load(id)), { cacheKeyFn: commitKey }),
    runnerInFull: new DataLoader((runners) => fullyVisible(context, runners), { cacheKeyFn: ({ id }) => id }),
    branchRefusals: new DataLoader((projects) => refusalsOf(context, projects), { cacheKeyFn: ({ id }) => id }),
    trace: new DataLoader((ids) => traceTexts(context, ids)),
    commitStatus: new DataLoader((keys) => commitStatuses(context, keys), { cacheKeyFn: commitKey }),
  };
}

function refusalsOf(context: Context, projects: readonly ProjectRow[]): Promise<(BranchRefusals | null)[]> {
  const { actor } = context;
  return Promise.all(projects.map((project) => (actor ? branchRefusals(context, actor, project) : null)));
}

function commitKey({ projectId, sha }: CommitKey): string {
  return `${projectId} ${sha}`;
}

import DataLoader from 'dataloader';
import type { FieldNode } from 'graphql';
import type { Spent } from '#schema/usage/spent.ts';
import { actorFor, type Context, type Purpose } from '#src/access/permissions/actor.ts';
import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';
import { traceTexts } from '#src/domain/ci/job_logs/read.ts';
import { readTraceEnds, readTraceTails } from '#src/domain/ci/job_logs/tail.ts';
import { type GivenVariable, givenVariables } from '#src/domain/ci/pipelines/given_variables.ts';
import { commitStatuses, pipelineWarnings } from '#src/domain/ci/pipelines/of_commits.ts';
import { readTestReports } from '#src/domain/ci/reports/read.ts';
import type { TestReport } from '#src/domain/ci/reports/test_report.ts';
import { readGroupRunnersTokens } from '#src/domain/ci/runners/registration.ts';
import { fullyVisible, type RunnerRights, runnerRights } from '#src/domain/ci/runners/visibility.ts';
import { scheduleVariables } from '#src/domain/ci/schedules/list.ts';
import { findGroupsByIds, type GroupRow } from '#src/domain/groups/find.ts';
import { type GroupStatistics, groupStatistics } from '#src/domain/groups/statistics.ts';
import {
  type GroupContents,
  groupContents,
  type ProjectContents,
  projectContents,
} from '#src/domain/lifecycle/contents.ts';
import { type PackageSettings, packageSettingsOf } from '#src/domain/packages/settings.ts';
import { findProjectsByIds, type ProjectRow } from '#src/domain/projects/find.ts';
import { type DayOfFetches, fetchesOf } from '#src/domain/repository/fetches.ts';
import { type CommitKey, type CommitRow, commitsByKeys } from '#src/domain/repository/find_commit.ts';
import { type BranchRefusals, branchRefusalsOf } from '#src/domain/repository/protection.ts';
import { commitsOfTags } from '#src/domain/repository/releases/commits.ts';
import type { ReleaseKey } from '#src/domain/repository/releases/list.ts';
import { htmlOfTexts, type TextToRender } from '#src/domain/tracking/markdown/of_texts.ts';
import { sourcesPushable } from '#src/domain/tracking/merge_requests/push_source.ts';
import { type IssueStats, issueStatsOfMilestones } from '#src/domain/tracking/milestones/issue_stats.ts';
import type { SshPlace } from '#src/platform/config/ssh_address.ts';
import type { Db } from '#src/platform/database/db.ts';

/** What every resolver gets: the domain's context, the client's URL of the server, and batching loaders for this request. */
export interface GraphQLContext extends Context {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** The server's address for git over SSH. */
  readonly ssh: SshPlace;
  readonly version: string;
  readonly revision: string;
  /** Whether users without an avatar of their own get one from the avatar service. */
  readonly avatars: boolean;
  readonly loaders: Loaders;
  /** What the operation takes of the caller's points; absent where it takes none. */
  readonly spent?: Spent;
}

/** A context for one operation. */
export function graphqlContext(
  context: Context,
  server: Pick<GraphQLContext, 'baseUrl' | 'ssh' | 'version' | 'revision' | 'avatars'>,
): GraphQLContext {
  return { ...context, ...server, loaders: new Loaders(context, server.baseUrl) };
}

/** The context for an operation that reads from a copy of the database. */
export function contextOn<C extends GraphQLContext>(context: C, db: Db): C {
  const own = { ...context, db };
  return Object.assign(own, { loaders: new Loaders(own, own.baseUrl) });
}

/** The context for an operation that has only this purpose. */
export function contextFor<C extends GraphQLContext>(context: C, purpose: Purpose | undefined): C {
  const actor = actorFor(context.actor, purpose);
  if (actor === context.actor) return context;
  const own = { ...context, actor };
  return Object.assign(own, { loaders: new Loaders(own, own.baseUrl) });
}

/** The batching loaders of one operation, each created on first use: most operations need none. */
export class Loaders {
  readonly #context: Context;
  readonly #baseUrl: string;
  #noted: ProjectRow[] | undefined;
  #ofFields: Map<FieldNode, Map<string, DataLoader<unknown, unknown>>> | undefined;
  #project: DataLoader<number, ProjectRow | null> | undefined;
  #group: DataLoader<number, GroupRow | null> | undefined;
  #groupStatistics: DataLoader<number, GroupStatistics | null> | undefined;
  #packageSettings: DataLoader<number, PackageSettings> | undefined;
  #projectContents: DataLoader<number, ProjectContents> | undefined;
  #groupContents: DataLoader<number, GroupContents> | undefined;
  #commit: DataLoader<CommitKey, CommitRow | null, string> | undefined;
  #taggedCommit: DataLoader<ReleaseKey, CommitRow | null, string> | undefined;
  #milestoneIssues: DataLoader<number, IssueStats> | undefined;
  #trace: DataLoader<number, string> | undefined;
  #traceTail: DataLoader<number, string> | undefined;
  #fetches: DataLoader<number, DayOfFetches[]> | undefined;
  #groupRunnersToken: DataLoader<GroupRow, string | null, number> | undefined;
  #testReport: DataLoader<number, TestReport> | undefined;
  #runnerRights: DataLoader<number, RunnerRights> | undefined;
  #traceEnd: DataLoader<number, string> | undefined;
  #runnerInFull: DataLoader<{ id: number; isShared: boolean }, boolean, number> | undefined;
  #sourcePushable: DataLoader<ProjectRow, (branch: string) => boolean, number> | undefined;
  #branchRefusals: DataLoader<ProjectRow, BranchRefusals | null, number> | undefined;
  #scheduleVariables: DataLoader<number, GivenVariable[]> | undefined;
  #pipelineVariables: DataLoader<number, GivenVariable[]> | undefined;
  #pipelineWarnings: DataLoader<number, boolean> | undefined;
  #commitStatus: DataLoader<CommitKey, JobStatus | null, string> | undefined;
  #html: DataLoader<TextToRender, string, string> | undefined;

  constructor(context: Context, baseUrl: string) {
    this.#context = context;
    this.#baseUrl = baseUrl;
  }

  /** Caches a project that the actor can see. */
  noteProject(project: ProjectRow): void {
    if (this.#project) this.#project.prime(project.id, project);
    else if (this.#noted) this.#noted.push(project);
    else this.#noted = [project];
  }

  /** The loaders for a field of the operation, by name. */
  ofField(field: FieldNode): Map<string, DataLoader<unknown, unknown>> {
    this.#ofFields ??= new Map();
    const known = this.#ofFields.get(field) ?? new Map<string, DataLoader<unknown, unknown>>();
    this.#ofFields.set(field, known);
    return known;
  }

  /** Projects that the actor may see, null for others. */
  get project(): DataLoader<number, ProjectRow | null> {
    if (this.#project) return this.#project;
    this.#project = new DataLoader(async (ids) => {
      const projects = new Map((await findProjectsByIds(this.#context, ids)).map((one) => [one.id, one]));
      return ids.map((id) => projects.get(id) ?? null);
    });
    for (const project of this.#noted ?? []) this.#project.prime(project.id, project);
    return this.#project;
  }

  /** Groups that the actor may see, null for others. */
  get group(): DataLoader<number, GroupRow | null> {
    this.#group ??= new DataLoader(async (ids) => {
      const groups = new Map((await findGroupsByIds(this.#context, ids)).map((one) => [one.id, one]));
      return ids.map((id) => groups.get(id) ?? null);
    });
    return this.#group;
  }

  /** Statistics of the projects of a group; null for all but administrators. */
  get groupStatistics(): DataLoader<number, GroupStatistics | null> {
    this.#groupStatistics ??= new DataLoader((ids) => groupStatistics(this.#context, ids));
    return this.#groupStatistics;
  }

  /** The settings for packages that count in a namespace; who may know has been checked. */
  get packageSettings(): DataLoader<number, PackageSettings> {
    this.#packageSettings ??= new DataLoader((ids) => packageSettingsOf(this.#context, ids));
    return this.#packageSettings;
  }

  /** How much there is in a project; who may know has been checked. */
  get projectContents(): DataLoader<number, ProjectContents> {
    this.#projectContents ??= new DataLoader((ids) => projectContents(this.#context, ids));
    return this.#projectContents;
  }

  /** How much there is in a group; who may know has been checked. */
  get groupContents(): DataLoader<number, GroupContents> {
    this.#groupContents ??= new DataLoader((ids) => groupContents(this.#context, ids));
    return this.#groupContents;
  }

  /** Commits by project and hash; null where they are gone or the actor may not read them. */
  get commit(): DataLoader<CommitKey, CommitRow | null, string> {
    const find = (keys: readonly CommitKey[]) => commitsByKeys(this.#context, keys, (id) => this.project.load(id));
    this.#commit ??= new DataLoader(find, { cacheKeyFn: commitKey });
    return this.#commit;
  }

  /** Commits by project and tag; null where they are gone or the actor may not read the repository. */
  get taggedCommit(): DataLoader<ReleaseKey, CommitRow | null, string> {
    const find = (keys: readonly ReleaseKey[]) => commitsOfTags(this.#context, keys, (id) => this.project.load(id));
    this.#taggedCommit ??= new DataLoader(find, { cacheKeyFn: ({ projectId, tag }) => `${projectId} ${tag}` });
    return this.#taggedCommit;
  }

  /** How many issues milestones have, of those that the actor sees. */
  get milestoneIssues(): DataLoader<number, IssueStats> {
    this.#milestoneIssues ??= new DataLoader((ids) => issueStatsOfMilestones(this.#context, ids));
    return this.#milestoneIssues;
  }

  /** The days on which projects were fetched; who may know has been checked. */
  get fetches(): DataLoader<number, DayOfFetches[]> {
    this.#fetches ??= new DataLoader((ids) => fetchesOf(this.#context, ids));
    return this.#fetches;
  }

  /** Job logs that the actor may read. */
  get trace(): DataLoader<number, string> {
    this.#trace ??= new DataLoader((ids) => traceTexts(this.#context, ids));
    return this.#trace;
  }

  /** The ends of job logs that the actor may read. */
  get traceTail(): DataLoader<number, string> {
    this.#traceTail ??= new DataLoader((ids) => readTraceTails(this.#context, ids));
    return this.#traceTail;
  }

  /** The last lines of job logs that the actor may read. */
  get traceEnd(): DataLoader<number, string> {
    this.#traceEnd ??= new DataLoader((ids) => readTraceEnds(this.#context, ids));
    return this.#traceEnd;
  }

  /** What the actor may do with runners. */
  get runnerRights(): DataLoader<number, RunnerRights> {
    this.#runnerRights ??= new DataLoader((ids) => runnerRights(this.#context, ids));
    return this.#runnerRights;
  }

  /** The tokens with which runners of groups register. */
  get groupRunnersToken(): DataLoader<GroupRow, string | null, number> {
    this.#groupRunnersToken ??= new DataLoader((groups) => readGroupRunnersTokens(this.#context, groups), {
      cacheKeyFn: ({ id }) => id,
    });
    return this.#groupRunnersToken;
  }

  /** The test reports of pipelines that the actor may read. */
  get testReport(): DataLoader<number, TestReport> {
    this.#testReport ??= new DataLoader((ids) => readTestReports(this.#context, ids));
    return this.#testReport;
  }

  /** Whether the actor sees all details of a runner. */
  get runnerInFull(): DataLoader<{ id: number; isShared: boolean }, boolean, number> {
    this.#runnerInFull ??= new DataLoader((runners) => fullyVisible(this.#context, runners), {
      cacheKeyFn: ({ id }) => id,
    });
    return this.#runnerInFull;
  }

  /** Why the actor may not modify a branch of a project; null for anonymous callers. */
  get branchRefusals(): DataLoader<ProjectRow, BranchRefusals | null, number> {
    this.#branchRefusals ??= new DataLoader((projects) => refusalsOf(this.#context, projects), {
      cacheKeyFn: ({ id }) => id,
    });
    return this.#branchRefusals;
  }

  /** Whether the actor may push to branches of a source project of merge requests. */
  get sourcePushable(): DataLoader<ProjectRow, (branch: string) => boolean, number> {
    this.#sourcePushable ??= new DataLoader((projects) => pushableOf(this.#context, projects), {
      cacheKeyFn: ({ id }) => id,
    });
    return this.#sourcePushable;
  }

  /** Status of the latest pipeline of a commit. */
  get commitStatus(): DataLoader<CommitKey, JobStatus | null, string> {
    this.#commitStatus ??= new DataLoader((keys) => commitStatuses(this.#context, keys), { cacheKeyFn: commitKey });
    return this.#commitStatus;
  }

  /** The variables of a schedule. */
  get scheduleVariables(): DataLoader<number, GivenVariable[]> {
    this.#scheduleVariables ??= new DataLoader((ids) => scheduleVariables(this.#context, ids));
    return this.#scheduleVariables;
  }

  /** The variables that a pipeline was given. The caller may read them. */
  get pipelineVariables(): DataLoader<number, GivenVariable[]> {
    this.#pipelineVariables ??= new DataLoader((ids) => givenVariables(this.#context, ids));
    return this.#pipelineVariables;
  }

  /** Whether a successful pipeline has failures that are allowed. */
  get pipelineWarnings(): DataLoader<number, boolean> {
    this.#pipelineWarnings ??= new DataLoader((ids) => pipelineWarnings(this.#context, ids));
    return this.#pipelineWarnings;
  }

  /** Texts in Markdown as HTML, with the references that the actor may read. */
  get html(): DataLoader<TextToRender, string, string> {
    const project = (id: number) => this.project.load(id);
    // Records of a list may have the same text, such as labels; what it refers to may be another thing later.
    const waiting = new Map<string, Promise<string>>();
    const render = (texts: readonly TextToRender[]) => {
      waiting.clear();
      return htmlOfTexts(this.#context, this.#baseUrl, texts, project);
    };
    this.#html ??= new DataLoader(render, {
      cacheKeyFn: ({ text, projectId, flavour, at, wiki }) => JSON.stringify([projectId, flavour, at, wiki, text]),
      cacheMap: waiting,
      maxBatchSize: 100,
    });
    return this.#html;
  }
}

async function refusalsOf(context: Context, projects: readonly ProjectRow[]): Promise<(BranchRefusals | null)[]> {
  const { actor } = context;
  return actor ? branchRefusalsOf(context, actor, projects) : projects.map(() => null);
}

async function pushableOf(context: Context, projects: readonly ProjectRow[]): Promise<((branch: string) => boolean)[]> {
  const { actor } = context;
  return actor ? sourcesPushable(context, actor, projects) : projects.map(() => () => false);
}

function commitKey({ projectId, sha }: CommitKey): string {
  return `${projectId} ${sha}`;
}

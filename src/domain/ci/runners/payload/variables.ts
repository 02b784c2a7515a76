import { activeUser } from '#src/access/credentials/authenticate.ts';
import { slugOf } from '#src/domain/ci/environments/values.ts';
import type { Variables } from '#src/domain/ci/pipelines/config/model.ts';
import type { Occasion } from '#src/domain/ci/pipelines/config/select.ts';
import { predefined, refSlug } from '#src/domain/ci/pipelines/config/variables.ts';
import type { AuthenticatedRunner } from '#src/domain/ci/runners/authenticate.ts';
import type { PayloadJob } from '#src/domain/ci/runners/payload/job.ts';
import { ofMergeRequest } from '#src/domain/ci/runners/payload/merge_request.ts';
import { PROJECT_BASE, type ProjectRow } from '#src/domain/projects/find.ts';
import { namedProject } from '#src/domain/projects/named.ts';
import { listProtections, mayPushOrMerge, protectionOf } from '#src/domain/repository/branches/protection.ts';
import { allows, type Pusher } from '#src/domain/repository/protections/levels.ts';
import { listTagProtections, protectionsOfTag } from '#src/domain/repository/tags/protection.ts';
import { API_VERSION } from '#src/platform/api_version.ts';
import { type Db, queryJson } from '#src/platform/database/db.ts';
import { packageRevision } from '#src/platform/package_root.ts';
import { select } from '#src/platform/records/selection.ts';
import { decrypt } from '#src/platform/secrets.ts';

export interface PayloadVariable {
  key: string;
  value: string;
  /** Whether it may be shown in logs. */
  public: boolean;
  /** Whether the runner writes the value to a file. */
  file: boolean;
}

export interface Surroundings {
  runner: AuthenticatedRunner;
  token: string;
  /** URL of the repository, including credentials. */
  repositoryUrl: string;
  /** URL of the server, without a trailing slash. */
  baseUrl: string;
  secret: string;
}

/** All variables of a job in increasing precedence (runner-protocol.md): predefined, runner's, project's, file's, trigger's. */
export async function payloadVariables(db: Db, job: PayloadJob, around: Surroundings): Promise<PayloadVariable[]> {
  const { secret, runner } = around;
  const known = job.options.variables;
  const { mergeRequestId: id } = job;
  const mergeRequest = id === null ? null : await ofMergeRequest(db, id, around.baseUrl);
  return [
    ...shown(ofServer(), true),
    ...shown(ofJob(job, around, mergeRequest?.branch), true),
    ...shown(mergeRequest?.variables ?? {}, true),
    ...shown({ CI_JOB_TOKEN: around.token, CI_REPOSITORY_URL: around.repositoryUrl }, false),
    ...shown(ofRunner(runner), true),
    ...shown(await ofProject(db, job, secret), false),
    ...shown(isTexts(known) ? known : {}, true),
    ...shown(ofTrigger(job, secret), false),
  ];
}

function shown(variables: Variables, isPublic: boolean): PayloadVariable[] {
  return Object.entries(variables).map(([key, value]) => ({ key, value, public: isPublic, file: false }));
}

let server: Variables | undefined;

function ofServer(): Variables {
  const [major = '', minor = '', patch = ''] = API_VERSION.split('.');
  server ??= {
    CI: 'true',
    GITLAB_CI: 'true',
    CI_SERVER: 'yes',
    CI_SERVER_NAME: 'Gantry',
    CI_SERVER_VERSION: API_VERSION,
    CI_SERVER_VERSION_MAJOR: major,
    CI_SERVER_VERSION_MINOR: minor,
    CI_SERVER_VERSION_PATCH: patch,
    CI_SERVER_REVISION: packageRevision(),
  };
  return server;
}

function ofJob(job: PayloadJob, { baseUrl }: Surroundings, branch = job.ref): Variables {
  const { fullPath, environment } = job;
  const occasion = { ref: job.ref, branch, tag: job.tag, source: job.source as Occasion['source'], project: fullPath };
  return {
    ...predefined(occasion, job.sha),
    CI_JOB_ID: String(job.id),
    CI_JOB_NAME: job.name,
    CI_JOB_STAGE: job.stage,
    ...(job.when === 'manual' ? { CI_JOB_MANUAL: 'true' } : {}),
    ...(job.isTriggered ? { CI_JOB_TRIGGERED: 'true' } : {}),
    CI_PIPELINE_ID: String(job.pipelineId),
    CI_PROJECT_ID: String(job.projectId),
    CI_PROJECT_PATH_SLUG: refSlug(fullPath),
    CI_PROJECT_URL: `${baseUrl}/${fullPath}`,
    ...(environment === null ? {} : { CI_ENVIRONMENT_NAME: environment, CI_ENVIRONMENT_SLUG: slugOf(environment) }),
    GITLAB_USER_ID: String(job.userId),
    GITLAB_USER_EMAIL: job.userEmail,
  };
}

function ofRunner({ id, description, tagList }: AuthenticatedRunner): Variables {
  return {
    CI_RUNNER_ID: String(id),
    CI_RUNNER_DESCRIPTION: description,
    CI_RUNNER_TAGS: tagList.join(', '),
  };
}

async function ofProject(db: Db, job: PayloadJob, secret: string): Promise<Variables> {
  const { projectId } = job;
  const rows = await db.variable.findMany({
    where: { projectId },
    select: { key: true, valueEncrypted: true, protected: true },
    orderBy: { id: 'asc' },
  });
  const mayHaveProtected = rows.some((row) => row.protected) && (await mayHaveProtectedOnes(db, job));
  const given = rows.filter((row) => mayHaveProtected || !row.protected);
  return Object.fromEntries(given.map(({ key, valueEncrypted }) => [key, decrypt(valueEncrypted, secret)]));
}

/**
 * Protected variables are only passed to jobs of protected branches and tags, not of merge requests, and only if both the user who started
 * the pipeline, and may have given it variables, and the user who started this job may currently push or merge to the branch, or create
 * the tag.
 */
async function mayHaveProtectedOnes(db: Db, { projectId, ref, tag, ...job }: PayloadJob): Promise<boolean> {
  if (job.mergeRequestId !== null) return false;
  const may = tag ? await creators(db, projectId, ref) : await writers(db, projectId, ref);
  if (may === null) return false;
  for (const id of new Set([job.userId, job.starterId])) {
    const actor = await activeUser(db, id);
    const [project] = actor ? await queryJson<ProjectRow[]>(db, namedProject(actor, projectId, BASE)) : [];
    if (!actor || !project || !may({ actor, project })) return false;
  }
  return true;
}

/** Who may write to a branch; null unless it is protected. */
async function writers(db: Db, projectId: number, branch: string): Promise<((pusher: Pusher) => boolean) | null> {
  const protection = protectionOf(await listProtections(db, projectId), branch);
  return protection.protected ? (pusher) => mayPushOrMerge(protection, pusher) : null;
}

/** Who may create a tag; null unless it is protected. */
async function creators(db: Db, projectId: number, tag: string): Promise<((pusher: Pusher) => boolean) | null> {
  const protections = protectionsOfTag(await listTagProtections(db, projectId), tag);
  const levels = protections.flatMap((one) => one.levels);
  return protections.length > 0 ? (pusher) => allows(levels, pusher) : null;
}

const BASE = select('Project', PROJECT_BASE);

function ofTrigger({ variablesEncrypted }: PayloadJob, secret: string): Variables {
  if (variablesEncrypted === null) return {};
  const told: unknown = JSON.parse(decrypt(variablesEncrypted, secret));
  return isTexts(told) ? told : {};
}

function isTexts(value: unknown): value is Variables {
  return (
    typeof value === 'object' && value !== null && Object.values(value).every((entry) => typeof entry === 'string')
  );
}

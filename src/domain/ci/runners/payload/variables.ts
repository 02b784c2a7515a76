import { tierOf } from '#src/domain/ci/environments/tier.ts';
import { slugOf } from '#src/domain/ci/environments/values.ts';
import type { PipelineOrigin } from '#src/domain/ci/pipelines/config/base/origin.ts';
import type { Variables } from '#src/domain/ci/pipelines/config/base/types.ts';
import { groupOf, ofJobName, predefined, refSlug } from '#src/domain/ci/pipelines/config/base/variables.ts';
import { decryptVariables } from '#src/domain/ci/pipelines/given_variables.ts';
import { ofMergeRequest } from '#src/domain/ci/pipelines/merge_request_variables.ts';
import type { AuthenticatedRunner } from '#src/domain/ci/runners/authenticate.ts';
import { dotenvVariables } from '#src/domain/ci/runners/payload/dependencies.ts';
import { deployTokenOfJobs } from '#src/domain/ci/runners/payload/deploy_token.ts';
import { idTokens } from '#src/domain/ci/runners/payload/id_tokens.ts';
import type { PayloadJob } from '#src/domain/ci/runners/payload/job.ts';
import { payloadImage } from '#src/domain/ci/runners/payload/options.ts';
import { shortTriggerToken } from '#src/domain/ci/triggers/list.ts';
import { Expansion } from '#src/domain/ci/variables/expansion.ts';
import { ofPages } from '#src/domain/ci/variables/of_pages.ts';
import { variablesOfProject } from '#src/domain/ci/variables/of_pipeline.ts';
import { ofRegistry } from '#src/domain/ci/variables/of_registry.ts';
import { ofServer } from '#src/domain/ci/variables/of_server.ts';
import { pagePath } from '#src/domain/namespaces/address.ts';
import type { SiteSettings } from '#src/platform/config/pages_host.ts';
import type { SshPlace } from '#src/platform/config/ssh_address.ts';
import type { Db } from '#src/platform/database/db.ts';

export interface PayloadVariable {
  key: string;
  value: string;
  /** Whether it may be shown in logs. */
  public: boolean;
  /** Whether the runner writes the value to a file. */
  file: boolean;
  /** Whether the runner hides it in logs. */
  masked?: boolean;
  /** Whether variables in the value stay as they are. */
  raw?: boolean;
}

export interface Surroundings {
  runner: AuthenticatedRunner;
  token: string;
  /** URL of the repository, including credentials. */
  repositoryUrl: string;
  /** URL of the server, without a trailing slash. */
  baseUrl: string;
  ssh: SshPlace;
  secret: string;
  sites?: SiteSettings | undefined;
}

/** The variables of a job, and what expands texts by them, which the runner expands once more. */
export interface JobVariables {
  list: PayloadVariable[];
  expansion: Expansion;
  /** Whether a variable is one over which reports of the job do not win, and whether it is a credential that the server made for the job. */
  isStrong(name: string): boolean;
  isCredential(name: string): boolean;
}

/**
 * All variables of a job in increasing precedence (runner-protocol.md): predefined, runner's, file's, earlier jobs', project's, pipeline's. What they
 * refer to is in its place already, as runners replace only once.
 */
export async function payloadVariables(db: Db, job: PayloadJob, around: Surroundings): Promise<JobVariables> {
  const { secret, runner } = around;
  const { mergeRequestId: id } = job;
  const mergeRequest = id === null ? null : await ofMergeRequest(db, id, around.baseUrl);
  const deployToken = await deployTokenOfJobs(db, job, secret);
  const weak = [
    ...shown(ofServer(around.baseUrl, around.ssh), true),
    ...shown(await idTokens(db, job, { ...around, runnerId: runner.id }), false).map(asSecret),
    ...(job.hasRegistry ? shown(ofRegistry({ ...around, fullPath: job.fullPath }), true) : []),
    ...(job.hasRegistry ? shown({ CI_REGISTRY_PASSWORD: around.token }, false).map(asSecret) : []),
    ...(deployToken ? shown({ CI_DEPLOY_USER: deployToken.username }, true) : []),
    ...(deployToken ? shown({ CI_DEPLOY_PASSWORD: deployToken.password }, false).map(asSecret) : []),
    ...shown(await ofPages(db, around.sites, { id: job.projectId, fullPath: job.fullPath }, prefixOf(job)), true),
    ...shown(ofJob(job, around, mergeRequest?.branch), true),
    ...given(ofImage(job), true),
    ...shown(ofTrigger(job, secret), true),
    ...shown(isTexts(job.predefined) ? job.predefined : {}, true),
    ...shown(mergeRequest?.variables ?? {}, true),
    ...shown({ CI_JOB_TOKEN: around.token, CI_REPOSITORY_URL: around.repositoryUrl }, false).map(asSecret),
    ...shown(ofRunner(runner), true),
    ...ofFile(job.options),
    ...given(await dotenvVariables(db, job), false),
  ];
  const strong = [
    ...(await ofPlaces(db, job, secret)),
    ...ofPipeline(job, secret),
    ...shown(fixedOfEnvironment(job), true),
    ...given(job.environmentUrl === null ? {} : { CI_ENVIRONMENT_URL: job.environmentUrl }, true),
  ];
  return expanded([...weak, ...strong], new Set(strong.map(({ key }) => key)));
}

function expanded(variables: readonly PayloadVariable[], strong: ReadonlySet<string>): JobVariables {
  const byName = new Map(variables.map((variable) => [variable.key, variable]));
  const expansion = new Expansion((name) => {
    const variable = byName.get(name);
    return (
      variable && { value: variable.value, isFixed: variable.raw, isFile: variable.file, isSecret: !variable.public }
    );
  }, 'again');
  const isStrong = (name: string) => strong.has(name);
  const isCredential = (name: string) => !strong.has(name) && byName.get(name)?.masked === true;
  const list = variables.map((variable) => {
    const { key, value, file, raw } = variable;
    // One that a later one takes the place of is not looked at.
    if (file || raw || !value.includes('$') || byName.get(key) !== variable) return variable;
    return { ...variable, value: expansion.value(key) ?? value, public: !expansion.isSecret(key) };
  });
  return { list, expansion, isStrong, isCredential };
}

/** Variables in which nothing is a reference. */
function shown(variables: Variables, isPublic: boolean): PayloadVariable[] {
  return given(variables, isPublic).map((variable) =>
    variable.value.includes('$') ? { ...variable, raw: true } : variable,
  );
}

function given(variables: Variables, isPublic: boolean): PayloadVariable[] {
  return Object.entries(variables).map(([key, value]) => ({ key, value, public: isPublic, file: false }));
}

/** A variable that holds a credential. */
function asSecret(variable: PayloadVariable): PayloadVariable {
  return { ...variable, masked: true };
}

/** The variables that the file gives the job. */
function ofFile({ variables, raw_variables: raw }: PayloadJob['options']): PayloadVariable[] {
  if (!isTexts(variables)) return [];
  const names: unknown[] = Array.isArray(raw) ? raw : [];
  return given(variables, true).map((variable) =>
    names.includes(variable.key) ? { ...variable, raw: true } : variable,
  );
}

/** The variables of the server, of groups and of the project. */
async function ofPlaces(db: Db, job: PayloadJob, secret: string): Promise<PayloadVariable[]> {
  const given = await variablesOfProject(db, { ...job, userIds: [job.userId, job.starterId] }, secret);
  return given.map(({ key, value, masked, raw, isFile }) => ({
    key,
    value,
    public: false,
    file: isFile,
    ...(masked ? { masked } : {}),
    ...(raw ? { raw } : {}),
  }));
}

function ofJob(job: PayloadJob, { baseUrl }: Surroundings, branch = job.ref): Variables {
  const { fullPath } = job;
  const origin = {
    ref: job.ref,
    branch,
    tag: job.tag,
    source: job.source as PipelineOrigin['source'],
    project: fullPath,
  };
  return {
    ...predefined(origin, job.sha),
    ...ofJobName({ ...job, group: groupOf(job.name) }),
    CI_JOB_ID: String(job.id),
    CI_JOB_URL: `${baseUrl}${pagePath(fullPath, 'jobs', job.id)}`,
    CI_JOB_TIMEOUT: String(job.timeout),
    ...(job.startedAt === null ? {} : { CI_JOB_STARTED_AT: job.startedAt.toISOString() }),
    ...(job.when === 'manual' ? { CI_JOB_MANUAL: 'true' } : {}),
    ...(job.isTriggered ? { CI_JOB_TRIGGERED: 'true' } : {}),
    CI_PIPELINE_ID: String(job.pipelineId),
    CI_PIPELINE_IID: String(job.pipelineIid),
    CI_PIPELINE_URL: `${baseUrl}${pagePath(fullPath, 'pipelines', job.pipelineId)}`,
    CI_PIPELINE_CREATED_AT: job.pipelineCreatedAt.toISOString(),
    ...(job.pipelineName === null ? {} : { CI_PIPELINE_NAME: job.pipelineName }),
    ...(job.isTriggered ? { CI_PIPELINE_TRIGGERED: 'true' } : {}),
    ...(job.releaseDescription === null ? {} : { CI_RELEASE_DESCRIPTION: job.releaseDescription }),
    CI_PROJECT_ID: String(job.projectId),
    CI_PROJECT_PATH_SLUG: refSlug(fullPath),
    CI_PROJECT_URL: `${baseUrl}/${fullPath}`,
    ...ofEnvironment(job),
    GITLAB_USER_ID: String(job.userId),
    GITLAB_USER_EMAIL: job.userEmail,
    GITLAB_USER_LOGIN: job.username,
    GITLAB_USER_NAME: job.userName,
  };
}

/** The part of the site that the job publishes, if it does. */
function prefixOf({ options: { pages } }: PayloadJob): string {
  return (pages as { path_prefix?: string } | undefined)?.path_prefix ?? '';
}

function ofImage({ options }: PayloadJob): Variables {
  const image = payloadImage(options)?.name;
  return image === undefined ? {} : { CI_JOB_IMAGE: image };
}

function ofTrigger({ triggerTokenEncrypted: sealed }: PayloadJob, secret: string): Variables {
  return sealed === null ? {} : { CI_TRIGGER_SHORT_TOKEN: shortTriggerToken(sealed, secret) };
}

function ofEnvironment({ environment, environmentAction, environmentTier: tier }: PayloadJob): Variables {
  if (environment === null) return {};
  return {
    CI_ENVIRONMENT_NAME: environment,
    CI_ENVIRONMENT_ACTION: environmentAction ?? 'start',
    CI_ENVIRONMENT_TIER: tierOf({ tier, name: environment }),
  };
}

/** What nothing else overrides. */
function fixedOfEnvironment({ environment, environmentId }: PayloadJob): Variables {
  if (environment === null) return {};
  return {
    CI_ENVIRONMENT_SLUG: slugOf(environment),
    ...(environmentId === null ? {} : { CI_ENVIRONMENT_ID: String(environmentId) }),
  };
}

function ofRunner({ id, description, tagList, shortToken }: AuthenticatedRunner): Variables {
  return {
    ...(shortToken ? { CI_RUNNER_SHORT_TOKEN: shortToken } : {}),
    CI_RUNNER_ID: String(id),
    CI_RUNNER_DESCRIPTION: description,
    CI_RUNNER_TAGS: tagList.join(', '),
  };
}

/** The variables that the pipeline was given. */
function ofPipeline({ variablesEncrypted }: PayloadJob, secret: string): PayloadVariable[] {
  return decryptVariables(variablesEncrypted, secret).map(({ key, value, isFile, raw }) => ({
    key,
    value,
    public: false,
    file: isFile,
    ...(raw ? { raw } : {}),
  }));
}

function isTexts(value: unknown): value is Variables {
  return (
    typeof value === 'object' && value !== null && Object.values(value).every((entry) => typeof entry === 'string')
  );
}

import type { Context } from '#src/access/permissions/actor.ts';
import type { PipelineOrigin } from '#src/domain/ci/pipelines/config/base/origin.ts';
import type { Variables } from '#src/domain/ci/pipelines/config/base/types.ts';
import { predefined, refSlug } from '#src/domain/ci/pipelines/config/base/variables.ts';
import { configPath } from '#src/domain/ci/pipelines/config/read.ts';
import type { KnownVariables } from '#src/domain/ci/pipelines/config/rules/judge.ts';
import type { GivenVariable } from '#src/domain/ci/pipelines/given_variables.ts';
import { ofMergeRequest } from '#src/domain/ci/pipelines/merge_request_variables.ts';
import { ofPages } from '#src/domain/ci/variables/of_pages.ts';
import { type JobVariable, variablesOfProject } from '#src/domain/ci/variables/of_pipeline.ts';
import { ofRegistry } from '#src/domain/ci/variables/of_registry.ts';
import { ofServer } from '#src/domain/ci/variables/of_server.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { listProtections, protectionOf } from '#src/domain/repository/protections/of_branches.ts';
import { listTagProtections, protectionsOfTag } from '#src/domain/repository/protections/of_tags.ts';
import { storable } from '#src/domain/repository/push_data.ts';
import { defaultBranch } from '#src/domain/repository/revision.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { SshPlace } from '#src/platform/config/ssh_address.ts';
import type { Db } from '#src/platform/database/db.ts';

declare module '#src/access/permissions/actor.ts' {
  interface Context {
    /** Where the server is, for variables of pipelines; absent where that does not matter. */
    readonly address?: (() => Promise<ServerAddress>) | undefined;
  }
}

/** Where a server is, for who asks. */
export interface ServerAddress {
  /** Without a trailing slash. */
  baseUrl: string;
  ssh: SshPlace;
}

/** Characters of the longest message of a commit in variables. */
const MAX_MESSAGE_LENGTH = 100_000;
/** Titles from which on the description has the whole message. */
const LONG_TITLE = 100;
/** Merge requests that are named. */
const MAX_MERGE_REQUESTS = 4;
/** Languages of the project that are named, those with the most bytes. */
const MAX_LANGUAGES = 5;
const NO_COMMIT = '0'.repeat(40);

/** What a pipeline is to be made of. */
export interface Subject {
  project: ProjectRow;
  repository: RepositoryReader;
  origin: PipelineOrigin;
  sha: string;
  beforeSha: string | null;
  starter: { id: number; username: string };
  mergeRequestId: number | null;
  /** The variables that it is given. */
  given: readonly GivenVariable[];
  /** Predefined variables that say what started it. */
  about?: Variables;
}

/** The variables of a pipeline besides those of its file; `kept` are those that its jobs get as they are now. */
export async function predefinedVariables(
  context: Context,
  subject: Subject,
): Promise<KnownVariables & { kept: Variables }> {
  const { db, secret, sites } = context;
  const { project, origin, starter, mergeRequestId } = subject;
  const receiver = { ...origin, projectId: project.id, mergeRequestId, userIds: [starter.id], environment: null };
  // A worker beside the server may not know where it is.
  const address = (await context.address?.().catch(() => null)) ?? null;
  const [ofProject, mergeRequest, kept, facts, pages] = await Promise.all([
    variablesOfProject(db, receiver, secret),
    mergeRequestId === null ? null : ofMergeRequest(db, mergeRequestId, address?.baseUrl ?? ''),
    keptVariables(db, subject),
    factsOf(db, project.id, starter.id),
    ofPages(db, sites, project),
  ]);
  const { sha } = subject;
  const weak = {
    GITLAB_CI: 'true',
    ...(address ? ofPlace(address, project) : {}),
    ...predefined(origin, sha),
    ...pages,
    ...kept,
    ...(address ? mergeRequest?.variables : withoutUrls(mergeRequest?.variables ?? {})),
    CI_PIPELINE_IID: String(facts?.nextIid ?? 1),
    GITLAB_USER_ID: String(starter.id),
    GITLAB_USER_LOGIN: starter.username,
    ...(facts && { GITLAB_USER_NAME: facts.name, GITLAB_USER_EMAIL: facts.email }),
  };
  return { weak, ...strongVariables([...ofProject, ...subject.given]), kept };
}

/** Variables of the project and of who started the pipeline by name, the last of a name, and which of them are not looked into. */
export function strongVariables(
  variables: readonly Pick<JobVariable, 'key' | 'value' | 'raw' | 'isFile'>[],
): Omit<KnownVariables, 'weak'> {
  const byName = new Map(variables.map((variable) => [variable.key, variable]));
  const fixed = [...byName.values()].filter(({ raw, isFile }) => raw || isFile).map(({ key }) => key);
  return { strong: Object.fromEntries([...byName].map(([key, { value }]) => [key, value])), fixed };
}

function ofPlace({ baseUrl, ssh }: ServerAddress, { fullPath, containerRegistryEnabled }: ProjectRow): Variables {
  return {
    ...ofServer(baseUrl, ssh),
    ...(containerRegistryEnabled ? ofRegistry({ baseUrl, fullPath }) : {}),
    CI_PROJECT_URL: `${baseUrl}/${fullPath}`,
  };
}

/** Who starts the pipeline, and which number it has unless another one comes before it. */
async function factsOf(db: Db, projectId: number, userId: number) {
  const [facts] = await db.$queryRaw<{ name: string; email: string; nextIid: number | null }[]>`
    SELECT u.name, u.email, c.last_pipeline_iid + 1 AS "nextIid" FROM users u LEFT JOIN project_counters c ON c.project_id = ${projectId}
    WHERE u.id = ${userId}`;
  return facts;
}

/** Addresses of a server whose own is not known. */
function withoutUrls(variables: Variables): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !name.endsWith('_URL')));
}

async function keptVariables(db: Db, subject: Subject): Promise<Variables> {
  const { project, repository, origin, sha, beforeSha } = subject;
  const { fullPath } = project;
  const isBranch = !origin.tag && subject.mergeRequestId === null;
  const namespace = fullPath.split('/').slice(0, -1).join('/');
  const [isProtected, branch, opened, languages] = await Promise.all([
    isProtectedRef(db, subject),
    defaultBranch(project, repository),
    origin.tag ? [] : openMergeRequests(db, project.id, origin.branch ?? origin.ref),
    languagesOf(db, project.id),
  ]);
  return {
    ...(await ofCommit(repository, sha)),
    CI_COMMIT_SHORT_SHA: sha.slice(0, 8),
    CI_COMMIT_BEFORE_SHA: beforeSha ?? NO_COMMIT,
    CI_COMMIT_REF_PROTECTED: String(isProtected),
    CI_CONFIG_PATH: await configPath(db, project),
    CI_PROJECT_ID: String(project.id),
    CI_PROJECT_TITLE: project.name,
    CI_PROJECT_DESCRIPTION: project.description ?? '',
    CI_PROJECT_PATH_SLUG: refSlug(fullPath),
    CI_PROJECT_NAMESPACE_ID: String(project.namespaceId),
    CI_PROJECT_NAMESPACE_SLUG: refSlug(namespace),
    CI_PROJECT_ROOT_NAMESPACE: fullPath.split('/')[0] ?? '',
    CI_PROJECT_VISIBILITY: project.visibility,
    CI_PROJECT_CLASSIFICATION_LABEL: '',
    GITLAB_FEATURES: '',
    ...(branch === null ? {} : { CI_DEFAULT_BRANCH: branch }),
    ...(isBranch ? { CI_COMMIT_BRANCH: origin.ref } : {}),
    ...(origin.tag ? await ofTag(repository, origin.ref) : {}),
    ...(languages.length > 0 ? { CI_PROJECT_REPOSITORY_LANGUAGES: languages.join(',') } : {}),
    ...(opened.length > 0 ? { CI_OPEN_MERGE_REQUESTS: opened.join(',') } : {}),
    ...subject.about,
  };
}

/** Refs of merge requests are not protected, whatever the rules for branches match. */
async function isProtectedRef(db: Db, { project, origin, mergeRequestId }: Subject): Promise<boolean> {
  const { id: projectId } = project;
  const { ref, tag } = origin;
  if (tag) return protectionsOfTag(await listTagProtections(db, projectId), ref).length > 0;
  return mergeRequestId === null && protectionOf(await listProtections(db, projectId), ref).protected;
}

async function ofCommit(repository: RepositoryReader, sha: string): Promise<Variables> {
  const commit = await repository.commit(sha);
  if (!commit) return {};
  const whole = storable(commit.message).trimEnd();
  const message = whole.slice(0, MAX_MESSAGE_LENGTH);
  const end = message.indexOf('\n');
  const title = end < 0 ? message : message.slice(0, end);
  const { author, committer } = commit;
  return {
    CI_COMMIT_MESSAGE: message,
    CI_COMMIT_MESSAGE_IS_TRUNCATED: String(whole.length > MAX_MESSAGE_LENGTH),
    CI_COMMIT_TITLE: title,
    CI_COMMIT_DESCRIPTION: title.length < LONG_TITLE ? message.slice(title.length).trim() : message,
    CI_COMMIT_AUTHOR: storable(`${author.name} <${author.email}>`),
    CI_COMMIT_TIMESTAMP: isoTime(committer),
  };
}

/** A time with the offset of its zone, as `git log --date=iso-strict` has it. */
function isoTime({ seconds, offset }: { seconds: number; offset: number }): string {
  const there = new Date((seconds + offset * 60) * 1_000);
  if (Number.isNaN(there.getTime())) return '';
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const zone = `${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
  return `${there.toISOString().slice(0, 19)}${zone}`;
}

async function ofTag(repository: RepositoryReader, name: string): Promise<Variables> {
  const tag = await repository.tag(name);
  const message = tag?.annotation ? storable(tag.annotation.message).trimEnd().slice(0, MAX_MESSAGE_LENGTH) : '';
  return { CI_COMMIT_TAG: name, ...(message === '' ? {} : { CI_COMMIT_TAG_MESSAGE: message }) };
}

/** The languages of the default branch as they were counted last. */
async function languagesOf(db: Db, projectId: number): Promise<string[]> {
  const counted = await db.languageCount.findUnique({ where: { projectId }, select: { names: true } });
  return counted?.names.slice(0, MAX_LANGUAGES) ?? [];
}

async function openMergeRequests(db: Db, projectId: number, branch: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ name: string }[]>`
    SELECT n.full_path || '/' || p.path || '!' || m.iid AS name FROM merge_requests m JOIN projects p ON p.id = m.target_project_id
      JOIN namespaces n ON n.id = p.namespace_id
    WHERE m.source_project_id = ${projectId} AND m.source_branch = ${branch} AND m.state = 'opened' ORDER BY m.id LIMIT ${MAX_MERGE_REQUESTS}`;
  return rows.map(({ name }) => name);
}

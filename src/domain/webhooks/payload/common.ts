import crypto from 'node:crypto';
import { pagePath } from '#src/domain/namespaces/address.ts';
import { storable } from '#src/domain/repository/push_data.ts';
import { avatarPath } from '#src/domain/users/avatar.ts';
import type { LabelFacts, ProjectFacts, UserFacts } from '#src/domain/webhooks/payload/facts.ts';
import { NO_OBJECT } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { signatureTime } from '#src/git/objects/signature.ts';
import { type SshPlace, sshUrl } from '#src/platform/config/ssh_address.ts';

/** What payloads need besides the facts. */
export interface Surroundings {
  /** URL of the server, without a trailing slash. */
  baseUrl: string;
  /** SSH address of the server; null if SSH is off. */
  ssh: SshPlace;
  /** Whether users without an avatar of their own get one from the avatar service. */
  avatars: boolean;
  /** The repository of the project, if it exists, as commits never change. */
  reader: RepositoryReader | null;
}

export type Payload = Record<string, unknown>;

const VISIBILITY_LEVELS = { private: 0, internal: 10, public: 20 } as const;

/** 40 zeros: the null hash. */
export const NO_COMMIT = NO_OBJECT;

/** ISO 8601 in UTC with milliseconds, as in the REST records. */
export function time(given: string): string;
export function time(given: string | null): string | null;
export function time(given: string | null): string | null {
  return given === null ? null : new Date(given).toISOString();
}

export function userRecord(user: UserFacts | null, around: Surroundings) {
  if (user === null) return null;
  const { id, name, username } = user;
  return { id, name, username, avatar_url: avatarUrl(user, around), email: '[REDACTED]' };
}

export function avatarUrl({ id, avatarKey, email }: UserFacts, { baseUrl, avatars }: Surroundings): string | null {
  if (avatarKey !== null) return baseUrl + avatarPath(id, avatarKey);
  const hash = crypto.createHash('md5').update(email.trim().toLowerCase()).digest('hex');
  return avatars ? `https://www.gravatar.com/avatar/${hash}?s=80&d=identicon` : null;
}

/** URLs of a project: its page, and those for git. */
function urlsOf({ fullPath }: ProjectFacts, { baseUrl, ssh }: Surroundings) {
  const page = `${baseUrl}/${fullPath}`;
  return { page, http: `${page}.git`, ssh: sshUrl(fullPath, baseUrl, ssh) };
}

export function projectRecord(project: ProjectFacts, around: Surroundings) {
  const { page, http, ssh } = urlsOf(project, around);
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    web_url: page,
    avatar_url: null,
    git_ssh_url: ssh,
    git_http_url: http,
    namespace: project.namespace,
    visibility_level: VISIBILITY_LEVELS[project.visibility],
    path_with_namespace: project.fullPath,
    default_branch: project.defaultBranch,
    ci_config_path: null,
    homepage: page,
    url: ssh,
    ssh_url: ssh,
    http_url: http,
  };
}

export function repositoryRecord(project: ProjectFacts, around: Surroundings) {
  const { page, http, ssh } = urlsOf(project, around);
  return {
    name: project.name,
    url: ssh,
    description: project.description,
    homepage: page,
    git_http_url: http,
    git_ssh_url: ssh,
    visibility_level: VISIBILITY_LEVELS[project.visibility],
  };
}

export function labelRecord(label: LabelFacts) {
  const { id, title, color, project_id, group_id = null, description, created_at, updated_at } = label;
  return {
    id,
    title,
    color,
    project_id,
    description,
    template: false,
    type: group_id === null ? 'ProjectLabel' : 'GroupLabel',
    group_id,
    created_at: time(created_at),
    updated_at: time(updated_at),
  };
}

/** A commit in a payload; null if it, or its repository, is gone. */
export async function commitRecord(sha: string | null, project: ProjectFacts, around: Surroundings) {
  const commit = sha === null ? null : ((await around.reader?.commit(sha)) ?? null);
  if (commit === null) return null;
  const { oid, message, author } = commit;
  return {
    id: oid,
    title: storable(message.split('\n', 1)[0] ?? ''),
    message: storable(message),
    timestamp: signatureTime(author),
    url: around.baseUrl + pagePath(project.fullPath, 'commit', oid),
    author: { name: storable(author.name), email: storable(author.email) },
  };
}

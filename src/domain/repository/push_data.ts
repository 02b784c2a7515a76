import { pagePath } from '#src/domain/namespaces/address.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { RefChange } from '#src/domain/repository/change_refs.ts';
import type { Commit } from '#src/git/base/model.ts';
import { NO_OBJECT } from '#src/git/base/model.ts';
import { signatureTime } from '#src/git/objects/signature.ts';
import { type SshPlace, sshUrl } from '#src/platform/config/ssh_address.ts';

/** The user of a push, as recorded with it. */
export interface Pusher {
  id: number;
  name: string;
  email: string;
}

/** The record of a push (behaviour.md 7, Push data). Readers add URLs, as those change. */
export interface PushData {
  object_kind: 'push' | 'tag_push';
  before: string;
  after: string;
  ref: string;
  checkout_sha: string | null;
  user_id: number;
  user_name: string;
  user_email: string;
  project_id: number;
  project: { name: string; description: string | null; path_with_namespace: string; default_branch: string | null };
  /** The latest, at most 20, oldest first. */
  commits: { id: string; message: string; timestamp: string; author: { name: string; email: string } }[];
  total_commits_count: number;
}

/** The record of one change of a branch or tag. */
export function pushData(
  project: Pick<ProjectRow, 'id' | 'name' | 'description' | 'fullPath' | 'defaultBranch'>,
  pusher: Pusher,
  { name, from, to }: RefChange,
  { commits, total }: { commits: readonly Commit[]; total: number },
): PushData {
  const tag = name.startsWith('refs/tags/');
  return {
    object_kind: tag ? 'tag_push' : 'push',
    before: from ?? NO_OBJECT,
    after: to ?? NO_OBJECT,
    ref: storable(name),
    checkout_sha: to === null ? null : tag ? (commits[0]?.oid ?? to) : to,
    user_id: pusher.id,
    user_name: pusher.name,
    user_email: pusher.email,
    project_id: project.id,
    project: {
      name: project.name,
      description: project.description,
      path_with_namespace: project.fullPath,
      default_branch: project.defaultBranch,
    },
    commits: commits.map(({ oid, message, author }) => ({
      id: oid,
      message: storable(message),
      timestamp: signatureTime(author),
      author: { name: storable(author.name), email: storable(author.email) },
    })),
    total_commits_count: total,
  };
}

/** Push data with its URLs, as events show it; `baseUrl` has no trailing slash. */
export function withAddresses(
  data: unknown,
  baseUrl: string,
  userAvatar: string | null,
  address: SshPlace = null,
): unknown {
  if (!isPushData(data)) return data;
  const { project, commits, ...rest } = data;
  const homepage = `${baseUrl}/${project.path_with_namespace}`;
  const [ssh, http] = [sshUrl(project.path_with_namespace, baseUrl, address), `${homepage}.git`];
  return {
    ...rest,
    event_name: data.object_kind,
    message: null,
    user_avatar: userAvatar,
    project: { ...project, web_url: homepage, avatar_url: null, git_ssh_url: ssh, git_http_url: http },
    repository: { name: project.name, url: ssh, description: project.description, homepage },
    commits: commits.map((commit) => ({
      ...commit,
      url: baseUrl + pagePath(project.path_with_namespace, 'commit', commit.id),
    })),
  };
}

/** A push in short, as events of today have it. */
export interface PushSummary {
  commitCount: number;
  action: 'created' | 'removed' | 'pushed';
  refType: 'branch' | 'tag';
  /** Without its prefix. */
  ref: string;
  /** Full hashes; null for a branch or tag that was not there. */
  commitFrom: string | null;
  commitTo: string | null;
  /** First line of the message of the latest commit; null without one. */
  commitTitle: string | null;
}

/** Characters of a title, the last of which tell that it goes on. */
const TITLE = 70;

/** The data of a push in short; null for anything else. */
export function pushSummary(data: unknown): PushSummary | null {
  if (!isPushData(data)) return null;
  const [from, to] = [data.before, data.after].map((oid) => (oid === NO_OBJECT ? null : oid));
  const title = data.commits.at(-1)?.message.split('\n', 1)[0] ?? null;
  return {
    commitCount: data.total_commits_count,
    action: from == null ? 'created' : to == null ? 'removed' : 'pushed',
    refType: data.object_kind === 'tag_push' ? 'tag' : 'branch',
    ref: data.ref.replace(/^refs\/(heads|tags)\//, ''),
    commitFrom: from ?? null,
    commitTo: to ?? null,
    commitTitle: title !== null && title.length > TITLE ? `${title.slice(0, TITLE - 3).toWellFormed()}...` : title,
  };
}

function isPushData(data: unknown): data is PushData {
  return typeof data === 'object' && data !== null && 'object_kind' in data && 'project' in data && 'commits' in data;
}

/** The database's text can contain neither NUL nor unpaired surrogates. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

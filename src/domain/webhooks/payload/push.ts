import { pagePath } from '#src/domain/namespaces/address.ts';
import { type PushData, storable } from '#src/domain/repository/push_data.ts';
import {
  avatarUrl,
  type Payload,
  projectRecord,
  repositoryRecord,
  type Surroundings,
} from '#src/domain/webhooks/payload/common.ts';
import type { ProjectFacts, UserFacts } from '#src/domain/webhooks/payload/facts.ts';
import { isLimit } from '#src/git/base/errors.ts';
import { EMPTY_TREE } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';

interface PushFacts {
  push: PushData;
  project: ProjectFacts;
  user: UserFacts | null;
}

/** Maximum number of changed paths of one commit in a payload. */
const MAX_PATHS = 1_000;

/** The paths that a commit added, modified and removed, against its first parent. */
interface Paths {
  added: string[];
  modified: string[];
  removed: string[];
}

const NONE: Paths = { added: [], modified: [], removed: [] };

/** The payload for a push to one branch or tag: the latest commits, at most 20, oldest first, each with its changed paths. */
export async function pushPayload({ push, project, user }: PushFacts, around: Surroundings): Promise<Payload> {
  const { project: _old, commits, total_commits_count, object_kind, ...rest } = push;
  const told = [];
  for (const commit of commits) {
    const paths = await changedPaths(around.reader, commit.id);
    told.push({ ...commit, url: around.baseUrl + pagePath(project.fullPath, 'commit', commit.id), ...paths });
  }
  return {
    object_kind,
    event_name: object_kind,
    ...rest,
    message: await tagMessage(push, around.reader),
    user_username: user?.username ?? null,
    user_avatar: user && avatarUrl(user, around),
    project: projectRecord(project, around),
    commits: told,
    total_commits_count,
    repository: repositoryRecord(project, around),
  };
}

async function changedPaths(reader: RepositoryReader | null, oid: string): Promise<Paths> {
  const commit = (await reader?.commit(oid)) ?? null;
  if (reader === null || commit === null) return NONE;
  const [parent] = commit.parents;
  const from = parent === undefined ? EMPTY_TREE : (await reader.commit(parent))?.tree;
  if (from === undefined) return NONE;
  try {
    const { changes } = await reader.changes(from, commit.tree, { most: MAX_PATHS });
    const pathsOf = (is: (change: (typeof changes)[number]) => boolean) =>
      changes.filter(is).map(({ path }) => storable(path));
    return {
      added: pathsOf(({ old }) => old === null),
      modified: pathsOf(({ old, now }) => old !== null && now !== null),
      removed: pathsOf(({ now }) => now === null),
    };
  } catch (error) {
    if (isLimit(error, 'work')) return NONE;
    throw error;
  }
}

/** The message of an annotated tag, if it is still the one that was pushed. */
async function tagMessage({ object_kind, ref, after }: PushData, reader: RepositoryReader | null) {
  if (object_kind !== 'tag_push') return null;
  const tag = await reader?.tag(ref.replace(/^refs\/tags\//, ''));
  return tag?.annotation && tag.target === after ? storable(tag.annotation.message) : null;
}

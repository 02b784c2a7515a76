import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import type { Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { type Page, type PageRequest, pageByName } from '#src/platform/page.ts';

export type RefType = 'branch' | 'tag';

/** A branch or tag. */
export interface RefRow {
  type: RefType;
  /** The full name: `refs/heads/main`. */
  name: string;
}

const PREFIXES = { branch: 'refs/heads/', tag: 'refs/tags/' } as const;

/** The name of a branch or tag, without `refs/heads/` or `refs/tags/`. */
export function shortName({ type, name }: RefRow): string {
  return name.slice(PREFIXES[type].length);
}

/**
 * The branches and tags that reach a commit: branches first, each by name; only those of a type if one is given. Throws Forbidden,
 * Unauthenticated, RateLimited.
 */
export async function listRefsOfCommit(
  context: Context,
  { project, repository, oid }: CommitRow,
  page: PageRequest,
  type?: RefType | null,
): Promise<Page<RefRow>> {
  authorize(context.actor, 'read_repository', project);
  const refs = (await allRefs(repository)).filter((ref) => !type || ref.type === type);
  const tips = [...new Set(refs.map(({ tip }) => tip))];
  const reaching = await withEffort(context, () => repository.reaching(oid, tips));
  const found = refs.filter(({ tip }) => reaching.has(tip));
  return pageByName(found, page, async (part) => part);
}

/** All branches and tags with the commits that they lead to, by their full names. */
async function allRefs(repository: RepositoryReader): Promise<(RefRow & { tip: Oid })[]> {
  const [branches, tags] = await Promise.all([repository.branches(), repository.tags()]);
  const row = (type: RefType, name: string, tip: Oid) => ({ type, name: PREFIXES[type] + name, tip });
  return [
    ...branches.map(({ name, commit }) => row('branch', name, commit)),
    ...tags.toReversed().flatMap(({ name, commit }) => (commit === null ? [] : [row('tag', name, commit)])),
  ];
}

import { authorize, can } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Owner } from '#src/domain/projects/owner.ts';
import { pickStorage } from '#src/domain/repository/storages.ts';
import type { RepositoryPlace } from '#src/domain/repository/store.ts';
import { NotFound } from '#src/platform/errors.ts';

/** The place of the wiki of a project: a repository of its own, without pipelines, protections and a recorded default branch. */
export type WikiPlace = ProjectRow & { wiki: true };

/** The wiki of a project as a repository. */
export function wikiOf(project: ProjectRow): WikiPlace {
  return { ...project, defaultBranch: null, wiki: true };
}

/** The repository of the wiki of a project or group. */
export type AnyWikiPlace = RepositoryPlace & { defaultBranch: null };

/** The repository of a wiki; null for that of a group that was never written to. */
export function wikiPlaceOf({ project, group }: Owner): AnyWikiPlace | null {
  if (project) return { id: project.id, repositoryStorage: project.repositoryStorage, wiki: true, defaultBranch: null };
  return group.wikiStorage === null ? null : groupPlace(group, group.wikiStorage);
}

/** The same for writers: a group gets a storage for its wiki. Throws NotFound for one that was deleted meanwhile. */
export async function ensureWikiPlace(
  context: Pick<Context, 'db' | 'repositories'>,
  owner: Owner,
): Promise<AnyWikiPlace> {
  const place = wikiPlaceOf(owner);
  if (place !== null) return place;
  const picked = await pickStorage(context);
  const [row] = await context.db.$queryRaw<{ storage: string }[]>`
    UPDATE namespaces SET wiki_storage = COALESCE(wiki_storage, ${picked}) WHERE id = ${owner.group?.id} AND deleted_at IS NULL
    RETURNING wiki_storage AS storage`;
  if (!row || owner.group === null) throw new NotFound('Group');
  return groupPlace(owner.group, row.storage);
}

function groupPlace({ id }: Pick<GroupRow, 'id'>, repositoryStorage: string): AnyWikiPlace {
  return { id, repositoryStorage, owner: 'group', wiki: true, defaultBranch: null };
}

/** The path of a project or group, behind which its wiki has `.wiki`. */
export function ownerPath({ project, group }: Owner): string {
  return (project ?? group).fullPath;
}

/** The path of the pages of a wiki: `/group/project/-/wikis`. */
export function wikiPath({ project, group }: Owner): string {
  return `/${project ? project.fullPath : `groups/${group.fullPath}`}/-/wikis`;
}

/** Whether the actor may read or write the wiki. */
export function canWiki(actor: Actor | null, act: 'read' | 'write', { project, group }: Owner): boolean {
  return project ? can(actor, `${act}_wiki`, project) : can(actor, `${act}_group_wiki`, group);
}

/** As canWiki, but throws: Unauthenticated for anonymous callers, else Forbidden. */
export function authorizeWiki(actor: Actor | null, act: 'read' | 'write', { project, group }: Owner): void {
  if (project) authorize(actor, `${act}_wiki`, project);
  else authorize(actor, `${act}_group_wiki`, group);
}

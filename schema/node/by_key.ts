import type { GraphQLContext } from '#schema/context.ts';
import type { NaturalKey } from '#schema/node/global_id.ts';
import { findTemplate, TEMPLATE_KINDS } from '#src/domain/administration/templates/files.ts';
import { findLicense } from '#src/domain/administration/templates/license.ts';
import { findGroup } from '#src/domain/groups/find.ts';
import { snippetPath } from '#src/domain/namespaces/address.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { findBranch } from '#src/domain/repository/branches/list.ts';
import { findCommit } from '#src/domain/repository/find_commit.ts';
import { findTag } from '#src/domain/repository/tags/list.ts';
import { findTreeEntry } from '#src/domain/repository/tree.ts';
import { findWikiPage } from '#src/domain/repository/wikis/pages.ts';
import { findSnippet } from '#src/domain/snippets/find.ts';
import { findSnippetCommit } from '#src/domain/snippets/history.ts';
import { DomainError } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

type Find = (context: GraphQLContext, key: NaturalKey) => Promise<object | null>;

/** Finds what has no row by its natural key, as the field that names it does: that decides who may see it. */
const FINDERS: Readonly<Record<string, Find>> = {
  Branch: inProject((context, project, [name]) => findBranch(context, project, name)),
  Tag: inProject((context, project, [name]) => findTag(context, project, name)),
  Commit: inProject((context, project, [sha]) => (SHA.test(sha) ? findCommit(context, project, sha) : null)),
  TreeEntry: inProject((context, project, [sha, path]) =>
    SHA.test(sha) ? findTreeEntry(context, project, sha, path) : null,
  ),
  WikiPage: inProject((context, project, [slug]) => findWikiPage(context, { project, group: null }, slug, null)),
  GroupWikiPage: async (context, [groupId, slug]) => {
    if (typeof groupId !== 'number' || typeof slug !== 'string') return null;
    return findWikiPage(context, { project: null, group: await findGroup(context, groupId) }, slug, null);
  },
  SnippetCommit: async (context, [snippetId, sha]) => {
    if (typeof snippetId !== 'number' || typeof sha !== 'string' || !SHA.test(sha)) return null;
    const snippet = await findSnippet(context, snippetId, PLACED);
    return { ...(await findSnippetCommit(context, snippet.id, sha)), pagePath: snippetPagePath(snippet) };
  },
  FileTemplate: async (context, [kind, name]) => {
    const known = TEMPLATE_KINDS.find((one) => one === kind);
    return known && typeof name === 'string' ? findTemplate(context, known, name) : null;
  },
  LicenseTemplate: async (context, [key]) => (typeof key === 'string' ? findLicense(context, key, {}) : null),
};

const SHA = /^[0-9a-f]{40}$/;

const PLACED = select('Snippet', { id: true, project: { fullPath: true } });

function snippetPagePath({ id, project }: typeof PLACED.row): string {
  return snippetPath(project?.fullPath ?? null, id);
}

/** What a project has by names: the key is the number of the project, then the names. */
function inProject(
  find: (context: GraphQLContext, project: ProjectRow, names: [string, string]) => Promise<object> | null,
): Find {
  return async (context, [projectId, first = '', second = '']) => {
    if (typeof projectId !== 'number' || typeof first !== 'string' || typeof second !== 'string') return null;
    const project = await context.loaders.project.load(projectId);
    return project && find(context, project, [first, second]);
  };
}

/** Whether what is of the type is found by a natural key. */
export function isFoundByKey(type: string): boolean {
  return Object.hasOwn(FINDERS, type);
}

/** The codes of errors that mean that something is not there for the caller. */
const UNSEEN = new Set(['NOT_FOUND', 'FORBIDDEN', 'UNAUTHENTICATED', 'INSUFFICIENT_SCOPE']);

/** What is of the type and has the key; null if there is none, and if the caller may not see it. */
export async function findByKey(context: GraphQLContext, type: string, key: NaturalKey): Promise<object | null> {
  try {
    return (await FINDERS[type]?.(context, key)) ?? null;
  } catch (error) {
    if (error instanceof DomainError && UNSEEN.has(error.code)) return null;
    throw error;
  }
}

import type { ProjectRow } from '#src/domain/projects/find.ts';

/** The place of the wiki of a project: a repository of its own, without pipelines, protections and a recorded default branch. */
export type WikiPlace = ProjectRow & { wiki: true };

/** The wiki of a project as a repository. */
export function wikiOf(project: ProjectRow): WikiPlace {
  return { ...project, defaultBranch: null, wiki: true };
}

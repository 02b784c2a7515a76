import { can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectOf } from '#src/domain/projects/project_scoped.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import type { ReleaseKey } from '#src/domain/repository/releases/list.ts';
import { soundCommits } from '#src/domain/repository/sound.ts';
import type { Tag } from '#src/git/base/model.ts';

/**
 * The commits of tags, in the order of the keys; null for tags that are gone or lead to no readable commit, and where the actor may
 * not read the repository.
 */
export async function commitsOfTags(
  context: Context,
  keys: readonly ReleaseKey[],
  projectOf: ProjectOf,
): Promise<(CommitRow | null)[]> {
  const ids = [...new Set(keys.map(({ projectId }) => projectId))];
  const found = new Map<string, CommitRow>();
  for (const project of await Promise.all(ids.map(projectOf))) {
    if (!project || !can(context.actor, 'read_repository', project)) continue;
    const repository = await context.repositories.open(project);
    if (!repository) continue;
    const names = keys.flatMap(({ projectId, tag }) => (projectId === project.id ? tag : []));
    const tags = await Promise.all(names.map((name) => repository.tag(name)));
    const tips = tags.filter((tag): tag is Tag & { commit: string } => typeof tag?.commit === 'string');
    const commits = await soundCommits(
      context,
      project,
      repository,
      tips.map(({ name, commit }) => ({ ref: `refs/tags/${name}`, commit })),
    );
    tips.forEach(({ name }, index) => {
      const commit = commits[index];
      if (commit) found.set(`${project.id} ${name}`, commit);
    });
  }
  return keys.map(({ projectId, tag }) => found.get(`${projectId} ${tag}`) ?? null);
}

import type { Follower } from '#src/domain/changes/record.ts';
import '#src/domain/repository/code_search/index_project.ts';

const BRANCHES = 'refs/heads/';

/** Brings what can be searched of a project up to date after each push to its default branch. */
export const pushedCode: Follower = {
  async refsPushed(tx, { jobs }, { project, changes }) {
    // The first branch of an empty repository becomes the default one.
    const isDefault = (name: string) =>
      project.defaultBranch === null ? name.startsWith(BRANCHES) : name === BRANCHES + project.defaultBranch;
    if (changes.some(({ name }) => isDefault(name))) {
      await jobs?.enqueue(tx, 'code_search.index', { projectId: project.id });
    }
  },
};

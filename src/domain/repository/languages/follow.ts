import type { Follower } from '#src/domain/changes/record.ts';
import '#src/domain/repository/languages/count.ts';

const BRANCHES = 'refs/heads/';

/** Has the languages of a project counted after each push to its default branch. */
export const pushedLanguages: Follower = {
  async refsPushed(tx, { jobs }, { project, changes }) {
    // The first branch of an empty repository becomes the default one.
    const isDefault = (name: string) =>
      project.defaultBranch === null ? name.startsWith(BRANCHES) : name === BRANCHES + project.defaultBranch;
    if (!changes.some(({ name, to }) => to !== null && isDefault(name))) return;
    await jobs?.enqueue(tx, 'repositories.languages', { projectId: project.id });
  },
};

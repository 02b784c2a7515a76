import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { git } from './repository/program.ts';

/** The projects with a repository: the first ones. */
export const PROJECTS_WITH_COMMITS = 5;

/** The commit that each of the repositories holds: always the same one. */
export const COMMIT = '7648b0b804c1aaec9c3ed4a98140f800dd24d8d6';

const BRANCH = 'refs/heads/main';

/** Puts a repository with one commit under the directory for each of the first projects. */
export async function createRepositories(directory: string): Promise<void> {
  const first = repositoryPlace(directory, 1);
  mkdirSync(first, { recursive: true });
  await git(first, ['init', '--quiet', '--bare', '--initial-branch=main']);
  const commit = path.join(directory, 'commit');
  const tree = (await git(first, ['hash-object', '-t', 'tree', '-w', '--', '/dev/null'])).trim();
  writeFileSync(commit, `tree ${tree}\n${signed('author')}\n${signed('committer')}\n\nThe first one\n`);
  const hash = (await git(first, ['hash-object', '-t', 'commit', '-w', '--', commit])).trim();
  if (hash !== COMMIT) throw new Error(`The commit is ${hash}, not ${COMMIT}`);
  await git(first, ['update-ref', BRANCH, hash]);
  for (let id = 2; id <= PROJECTS_WITH_COMMITS; id++)
    cpSync(first, repositoryPlace(directory, id), { recursive: true });
}

/** Where the server looks for the repository of a project. */
export function repositoryPlace(directory: string, id: number): string {
  return path.join(directory, (id % 256).toString(16).padStart(2, '0'), `${id}.git`);
}

function signed(role: string): string {
  return `${role} Ada Bench <ada@example.com> 1767225600 +0000`;
}

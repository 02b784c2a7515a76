import { createBranch } from '#src/domain/repository/branches/create.ts';
import { commitTo, opened } from './merge_requests.ts';
import type { TestUser, World } from './world.ts';

export const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

/** The lines of a file, of which some are others. */
export function lines(changed: Record<number, string> = {}, end = '\n'): string {
  return LINES.map((line, at) => `${changed[at] ?? line}${end}`).join('');
}

/** Files that conflict in a merge request from `topic` into `master`: `a.txt` in two regions, `d/b.txt` in one. */
export async function withConflicts(world: World, project: { id: number }, owner: TestUser): Promise<{ iid: number }> {
  const put = (branch: string, path: string, content: string) =>
    commitTo(world, project, owner, branch, path, content, `Change ${path} of ${branch}`);
  await put('master', 'a.txt', lines());
  await put('master', 'd/b.txt', 'b\n');
  await createBranch(world.as(owner), project.id, 'topic', 'master');
  await put('topic', 'a.txt', lines({ 1: 'TWO', 6: 'SEVEN' }));
  await put('topic', 'd/b.txt', 'ours\n');
  await put('master', 'a.txt', lines({ 1: 'zwei', 6: 'sieben' }));
  await put('master', 'd/b.txt', 'theirs\n');
  await put('master', 'c.txt', 'c\n');
  const { iid } = await opened(world, project, owner, { title: 'In conflict' });
  return { iid };
}

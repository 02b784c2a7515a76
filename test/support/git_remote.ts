import { commitFile, run, workingCopy } from './git_client.ts';
import type { TestUser, World } from './world.ts';

/** The remotes of projects of an owner. */
export function remotes(world: World, owner: TestUser) {
  /** The address of a repository, with the credentials of somebody. */
  const address = ({ fullPath }: { fullPath: string }, who?: TestUser, password = who?.token) => {
    const credentials = who ? `${who.username}:${encodeURIComponent(password ?? '')}@` : '';
    return `${world.url.replace('http://', `http://${credentials}`)}/${fullPath}.git`;
  };

  /** A project with one commit on `main`, pushed by its owner, and the working copy that it came from. */
  async function pushed(
    visibility: 'public' | 'internal' | 'private' = 'private',
    scope: Parameters<typeof workingCopy>[0] = 'test',
  ) {
    const project = await world.project({ owner, visibility });
    const work = await workingCopy(scope);
    const head = await commitFile(work, 'README.md', 'Hello\n');
    await run(work, 'remote', 'add', 'origin', address(project, owner));
    await run(work, 'push', '--quiet', 'origin', 'main');
    return { project, work, head };
  }

  return { address, pushed };
}

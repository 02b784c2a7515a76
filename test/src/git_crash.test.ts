// Each test takes long: the long run has them all.
// @module-tag long
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { RefChanged, RefLocked } from '#src/git/base/errors.ts';
import { initRepository } from '#src/git/init.ts';
import { IsomorphicReader } from '#src/git/isomorphic.ts';
import { removeStaleLocks } from '#src/git/refs/lock.ts';
import { deleteRef, updateRef } from '#src/git/refs/update.ts';
import { commitActions } from '../support/commit_actions.ts';
import { randomizer } from '../support/git_history.ts';
import { git, gitLines, scratch } from '../support/git_program.ts';

const run = promisify(execFile);
const who = { name: 'Ada', email: 'ada@example.com', seconds: 1_500_000_000, offset: 0 };

/** A program that commits to `main` without end and prints the name of each commit once it is there. */
function writer(directory: string): string {
  const file = (name: string) => JSON.stringify(new URL(`../../${name}.ts`, import.meta.url).href);
  const module = (name: string) => file(`src/git/${name}`);
  return `
    const { IsomorphicReader } = await import(${module('isomorphic')});
    const { commitActions } = await import(${file('test/support/commit_actions')});
    const { updateRef, deleteRef } = await import(${module('refs/update')});
    const who = ${JSON.stringify(who)};
    const directory = ${JSON.stringify(directory)};
    const reader = new IsomorphicReader(directory);
    let parent = await reader.resolve('main');
    for (let at = 0; ; at++) {
      const count = at % 5 === 4 ? 30 : 1;
      const actions = Array.from({ length: count }, (_, n) => ({
        action: 'create', path: parent + '/' + n, content: Buffer.from(String(at)),
      }));
      const to = await commitActions(reader, { parent, actions, author: who, committer: who, message: 'm' });
      await updateRef(directory, 'refs/heads/main', { from: parent, to });
      process.stdout.write(to + '\\n');
      await updateRef(directory, 'refs/heads/side/' + (at % 3), { to });
      await deleteRef(directory, 'refs/heads/side/' + (at % 3));
      parent = to;
    }`;
}

describe('Writing', () => {
  it('loses nothing that was reported when the process is killed', async () => {
    const directory = path.join(scratch(), 'r.git');
    await initRepository(directory, 'main');
    const random = randomizer(5);
    let reported = 0;
    for (let round = 0; round < 6; round++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', writer(directory)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
      await once(child.stdout, 'data');
      await new Promise((resolve) => setTimeout(resolve, 20 + random() * 200));
      child.kill('SIGKILL');
      await once(child, 'close');
      const refs = gitLines(directory, ['for-each-ref', '--format=%(refname)']);
      await removeStaleLocks(directory, [
        ...refs,
        'HEAD',
        'packed-refs',
        ...[0, 1, 2].map((at) => `refs/heads/side/${at}`),
      ]);
      const done = output.split('\n').filter((line) => line.length === 40);
      reported += done.length;
      const history = new Set(gitLines(directory, ['rev-list', 'main']));
      expect(done.filter((oid) => !history.has(oid))).toEqual([]);
      expect(git(directory, ['fsck', '--strict', '--full', '--no-dangling'])).toBe('');
    }
    const history = gitLines(directory, ['rev-list', 'main']).length;
    // What was killed between the ref and the report is there, and nothing else.
    expect(history).toBeGreaterThanOrEqual(reported);
    expect(history).toBeLessThanOrEqual(reported + 6);
  });

  it('and the git program exclude each other', async () => {
    const directory = path.join(scratch(), 'r.git');
    await initRepository(directory, 'main');
    const reader = new IsomorphicReader(directory);
    const commit = (parent: string | null, name: string) =>
      commitActions(reader, {
        parent,
        actions: [{ action: 'create', path: name, content: Buffer.from(name) }],
        author: who,
        committer: who,
        message: name,
      });
    const root = await commit(null, 'root');
    await updateRef(directory, 'refs/heads/main', { from: null, to: root });
    const done: string[] = [];
    const own = async (at: number) => {
      const from = await reader.resolve('main');
      const to = await commit(from, `own${at}`);
      try {
        await updateRef(directory, 'refs/heads/main', { from, to });
        done.push(to);
      } catch (error) {
        if (!(error instanceof RefChanged || error instanceof RefLocked)) throw error;
      }
    };
    const foreign = async (at: number) => {
      const from = await reader.resolve('main');
      const to = await commit(from, `git${at}`);
      const args = [`--git-dir=${directory}`, 'update-ref', 'refs/heads/main', to, from ?? ''];
      await run('git', args).then(
        () => done.push(to),
        () => undefined,
      );
    };
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? own : foreign)(round * 8 + at)));
      if (round % 2 === 0) await run('git', [`--git-dir=${directory}`, 'pack-refs', '--all']);
    }
    const history = gitLines(directory, ['rev-list', 'main']);
    expect(history.toSorted()).toEqual([...done, root].toSorted());
    expect(done.length).toBeGreaterThanOrEqual(5);
    await deleteRef(directory, 'refs/heads/main', { from: history[0] ?? '' });
    expect(gitLines(directory, ['for-each-ref'])).toEqual([]);
  });
});

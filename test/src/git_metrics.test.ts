import { availableParallelism } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Quarantine } from '#src/git/incoming/quarantine.ts';
import { initRepository } from '#src/git/init.ts';
import { IsomorphicReader } from '#src/git/isomorphic.ts';
import { CatFile } from '#src/git/program/cat_file.ts';
import { ProgramReader } from '#src/git/program.ts';
import { watchProcess } from '#src/platform/observability/metrics/process.ts';
import { gitPrograms, gitProgramsStarted } from '#src/platform/observability/metrics/registry.ts';
import { commitActions } from '../support/commit_actions.ts';
import { HistoryBuilder } from '../support/git_history.ts';
import { gitLines, scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';

watchProcess();
const who = { name: 'Ada', email: 'ada@example.com', seconds: 1_500_000_000, offset: 0 };

/** How many runs of a command were measured, by outcome: other files of tests may have counted in this process. */
async function measured(command: string): Promise<{ ok: number; error: number }> {
  const { values } = await gitPrograms.get();
  const count = (outcome: string) =>
    values
      .filter(({ metricName, labels }) => metricName?.endsWith('_count') && labels.command === command)
      .filter(({ labels }) => labels.outcome === outcome)
      .reduce((sum, { value }) => sum + value, 0);
  return { ok: count('ok'), error: count('error') };
}

async function startedRuns(command: string): Promise<number> {
  const { values } = await gitProgramsStarted.get();
  return values.filter(({ labels }) => labels.command === command).reduce((sum, { value }) => sum + value, 0);
}

/** A repository with two commits without a common history. */
async function unrelated() {
  const directory = path.join(scratch(), 'a.git');
  await initRepository(directory, 'main');
  const reader = new IsomorphicReader(directory);
  const commit = (text: string) => {
    const actions = [{ action: 'create' as const, path: text, content: Buffer.from(text) }];
    return commitActions(reader, { parent: null, actions, author: who, committer: who, message: text });
  };
  return { directory, commits: [await commit('one'), await commit('two')] as const };
}

it('A git program that answers "no" with its exit code has not failed; one that cannot answer has', LONG, async () => {
  const { directory, commits } = await unrelated();
  const reader = new ProgramReader(directory);
  const quarantine = await Quarantine.open(directory, new AbortController().signal);
  try {
    const before = await measured('merge-base');
    expect(await reader.isAncestor(...commits)).toBe(false);
    expect(await quarantine.isAncestor(...commits)).toBe(false);
    expect(await measured('merge-base')).toEqual({ ok: before.ok + 2, error: before.error });
    expect(await quarantine.isAncestor('dead'.repeat(10), commits[0])).toBe(false);
    expect(await measured('merge-base')).toEqual({ ok: before.ok + 2, error: before.error + 1 });
  } finally {
    await quarantine.discard();
    await reader.close();
  }
});

it('A git program that lasts from one question to the next is counted, and its life is not taken for a run', async () => {
  const { directory, commits } = await unrelated();
  const [before, begun] = [await measured('cat-file'), await startedRuns('cat-file')];
  const program = new CatFile(directory);
  const ended = new Promise<void>((resolve) => {
    program.onEnd = resolve;
  });
  expect((await program.read(commits[0]))?.type).toBe('commit');
  program.end();
  await ended;
  expect(await startedRuns('cat-file')).toBe(begun + 1);
  expect(await measured('cat-file')).toEqual(before);
});

it(
  'Two programs count the lines of a long history for somebody who waits, and one ahead of all who will ask',
  LONG,
  async () => {
    const history = new HistoryBuilder();
    let last: number[] = [];
    for (let at = 0; at < 1_000; at++) {
      const changes = [{ path: 'a', content: `${at}\n` }];
      last = [history.commit({ branch: 'main', from: last, changes, author: 'Ada <ada@example.com>' })];
    }
    const directory = history.build();
    const reader = new ProgramReader(directory);
    const tip = gitLines(directory, ['rev-parse', 'main'])[0] ?? '';
    const begun = await startedRuns('log');
    const ahead = await reader.contributors({ tip, lines: true, ahead: true });
    expect(ahead).toEqual([
      { name: 'Ada', email: 'ada@example.com', commits: 1_000, additions: 1_000, deletions: 999 },
    ]);
    expect((await startedRuns('log')) - begun).toBe(1);
    expect(await reader.contributors({ tip, lines: true })).toEqual(ahead);
    expect((await startedRuns('log')) - begun).toBe(1 + Math.min(2, availableParallelism()));
    await reader.close();
  },
);

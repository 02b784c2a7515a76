import { HistoryBuilder, randomizer } from './git_history.ts';
import { git } from './git_program.ts';

/** Lines of text that differ from each other, enough for git to see renames. */
export function text(lines: number, label: string): string {
  return Array.from({ length: lines }, (_, at) => `${label} line ${at}: ${(at * 7919) % 101}\n`).join('');
}

const ODD_FILES = [
  { path: 'dir with space/file name.txt', content: 'spaces\n' },
  { path: 'dots/..hidden./x.y.z', content: 'dots\n' },
  { path: 'percent%2F/100%.txt', content: 'percent\n' },
  { path: 'unicode/žluťoučký/日本.txt', content: 'ünïcödé\n' },
  { path: Buffer.from('caf\xe9.txt', 'latin1'), content: 'the name is Latin-1\n' },
  { path: Buffer.from('d\xefr/\xff\xfe', 'latin1'), content: 'so is this\n' },
  { path: 'binary.bin', content: Buffer.from([0, 1, 2, 3, 0, 255, 254]) },
  { path: 'noeol.txt', content: 'no newline at the end' },
  { path: 'empty.txt', content: '' },
  { path: 'crlf.txt', content: 'one\r\ntwo\r\nthree\r\n' },
  { path: 'link', content: 'src/a.txt', mode: '120000' },
  { path: 'run.sh', content: '#!/bin/sh\n', mode: '100755' },
  { path: 'vendor/module', submodule: '1234567890123456789012345678901234567890' },
  { path: 'a-b', content: 'sorts between\n' },
  { path: 'a/x', content: 'a directory\n' },
  { path: 'a.b', content: 'sorts before\n' },
] as const;

/** A history of all that is odd in git. */
export function oddHistory(options: { packed: boolean }): string {
  const h = new HistoryBuilder();
  const a = text(40, 'a');
  const b = text(30, 'b');
  const main = 'main';
  const root = h.commit({
    branch: main,
    message: 'First\n\nwith a body\nof two lines\n',
    changes: [{ path: 'src/a.txt', content: a }, { path: 'src/b.txt', content: b }, ...ODD_FILES],
    zone: '+0545',
  });
  const second = h.commit({ branch: main, from: [root], changes: [{ path: 'src/a.txt', content: `${a}more\n` }] });
  const topic = h.commit({
    branch: 'topic',
    from: [root],
    changes: [{ path: 'src/b.txt', content: `top\n${b}` }],
    author: 'Žofie <zofie@example.com>',
  });
  const renamed = h.commit({
    branch: 'topic',
    from: [topic],
    message: 'No newline in this message',
    changes: [
      { path: 'src/b.txt', remove: true },
      { path: 'src/renamed.txt', content: `top\n${b}end\n` },
      { path: 'copy.txt', content: a },
    ],
  });
  const merge = h.commit({
    branch: main,
    from: [second, renamed],
    changes: [
      { path: 'src/b.txt', remove: true },
      { path: 'src/renamed.txt', content: `top\n${b}end\n` },
    ],
  });
  const arms = ['x1', 'x2', 'x3'].map((name) =>
    h.commit({ branch: `arm/${name}`, from: [merge], changes: [{ path: `arms/${name}`, content: `${name}\n` }] }),
  );
  const octopus = h.commit({
    branch: main,
    from: [merge, ...arms],
    changes: ['x1', 'x2', 'x3'].map((name) => ({ path: `arms/${name}`, content: `${name}\n` })),
  });
  const tip = tail(h, octopus, a);
  crissCross(h, tip);
  const island = h.commit({ branch: 'island', changes: [{ path: 'island.txt', content: 'unrelated\n' }] });
  const joined = h.commit({
    branch: 'joined',
    from: [tip, island],
    changes: [{ path: 'island.txt', content: 'unrelated\n' }],
  });
  h.tag('v1.0', root, 'Release 1.0\n\nWith notes\n');
  h.tag('v2.0/with-slash', octopus, 'No newline');
  h.commit({ branch: 'feature/with/slashes.and.dots', from: [joined] });
  h.commit({ branch: 'per%cent', from: [joined] });
  h.commit({ branch: 'větev', from: [joined] });
  const directory = h.build(options);
  return addRefs(directory);
}

/** Empty commits, modes, deletions, wrong clocks and other encodings. */
function tail(h: HistoryBuilder, from: number, a: string): number {
  const branch = 'main';
  const empty = h.commit({ branch, from: [from], message: 'Empty\n' });
  const modes = h.commit({
    branch,
    from: [empty],
    changes: [
      { path: 'run.sh', content: '#!/bin/sh\n', mode: '100644' },
      { path: 'noeol.txt', content: 'now with one\n' },
    ],
  });
  const removed = h.commit({
    branch,
    from: [modes],
    changes: [
      { path: 'src/a.txt', remove: true },
      { path: 'a/x', remove: true },
    ],
  });
  const back = h.commit({
    branch,
    from: [removed],
    time: 1_400_000_000,
    message: 'A wrong clock\n',
    changes: [
      { path: 'src/a.txt', content: a },
      { path: 'a', content: 'now a file\n' },
    ],
  });
  const latin = h.commit({
    branch,
    from: [back],
    time: 1_600_000_000,
    encoding: 'ISO-8859-1',
    message: Buffer.from('Caf\xe9\n', 'latin1'),
    changes: [{ path: 'vendor/module', submodule: '2234567890123456789012345678901234567890' }],
  });
  const left = h.commit({
    branch: 'left',
    from: [latin],
    time: 1_600_000_100,
    changes: [{ path: 'l', content: '1\n' }],
  });
  const right = h.commit({
    branch: 'right',
    from: [latin],
    time: 1_600_000_100,
    changes: [{ path: 'r', content: '1\n' }],
  });
  // A merge that keeps the left side alone, so that the path "r" is as in one parent.
  return h.commit({ branch, from: [left, right], message: 'Ours\n' });
}

/** Two branches that merged each other: two merge bases. */
function crissCross(h: HistoryBuilder, from: number): void {
  const one = h.commit({ branch: 'cross/one', from: [from], changes: [{ path: 'one', content: '1\n' }] });
  const two = h.commit({ branch: 'cross/two', from: [from], changes: [{ path: 'two', content: '2\n' }] });
  const both = ['one', 'two'].map((path) => ({ path, content: path === 'one' ? '1\n' : '2\n' }));
  const left = h.commit({ branch: 'cross/one', from: [one, two], changes: both });
  const right = h.commit({ branch: 'cross/two', from: [two, one], changes: both });
  h.commit({ branch: 'cross/one', from: [left], changes: [{ path: 'one', content: '11\n' }] });
  h.commit({ branch: 'cross/two', from: [right], changes: [{ path: 'two', content: '22\n' }] });
}

/** Refs of every kind, some of them packed and changed afterwards. */
function addRefs(directory: string): string {
  git(directory, ['tag', 'light', 'topic']);
  git(directory, ['branch', 'v1.0', 'topic']);
  git(directory, ['pack-refs', '--all']);
  git(directory, ['branch', '-f', 'arm/x1', 'topic']);
  git(directory, ['branch', '-D', 'arm/x3']);
  const identity = ['-c', 'user.name=Tom', '-c', 'user.email=tom@example.com'];
  git(directory, [...identity, 'tag', '-a', '-m', 'A tag of a tag', 'nested', 'refs/tags/v1.0']);
  git(directory, ['tag', 'tree', 'main^{tree}']);
  git(directory, ['tag', 'blob', 'main:noeol.txt']);
  git(directory, [...identity, 'tag', '-a', '-m', 'of a tree', 'annotated-tree', 'main^{tree}']);
  git(directory, ['symbolic-ref', 'refs/heads/alias', 'refs/heads/topic']);
  return directory;
}

/** A history of random edits, branches and merges, the same for the same seed. */
export function randomHistory(seed: number, commits: number): string {
  const random = randomizer(seed);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const h = new HistoryBuilder();
  const made: number[] = [];
  let time = 1_500_000_000;
  for (let at = 0; at < commits; at++) {
    time += Math.floor(random() * 300) - (random() < 0.1 ? 1_000 : 0);
    const parents = new Set<number>();
    for (let count = at === 0 ? 0 : random() < 0.25 ? 2 : 1; count > 0; count--) {
      parents.add(pick(made.slice(-6)) ?? 0);
    }
    const changes = Array.from({ length: Math.floor(random() * 3) }, () => ({
      path: `d${Math.floor(random() * 4)}/f${Math.floor(random() * 5)}`,
      content: `${Math.floor(random() * 4)}\n`,
    }));
    const author = `Author ${at % 5} <a${at % 4}@example.com>`;
    made.push(
      h.commit({ branch: at === commits - 1 ? 'main' : `b${at % 7}`, from: [...parents], time, changes, author }),
    );
  }
  return h.build({ packed: seed % 2 === 0 });
}

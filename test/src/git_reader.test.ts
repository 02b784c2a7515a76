import { afterAll, describe, expect, it } from 'vitest';
import { LimitExceeded } from '#src/git/base/errors.ts';
import type { Commit } from '#src/git/base/model.ts';
import { decodeName, encodeName } from '#src/git/base/names.ts';
import type { Contributor, RepositoryReader } from '#src/git/base/reader.ts';
import { diffTrees } from '#src/git/diff/diff.ts';
import { countLines } from '#src/git/history/authors.ts';
import { joinContributors } from '#src/git/history/contributors.ts';
import { IsomorphicReader } from '#src/git/isomorphic.ts';
import { signatureTime } from '#src/git/objects/signature.ts';
import { ProgramReader } from '#src/git/program.ts';
import { gitDiff, ownDiff } from '../support/git_diff.ts';
import { oddHistory, randomHistory } from '../support/git_fixtures.ts';
import { emptyRepository, git, gitBytes, gitCode, gitLines, ownRepository } from '../support/git_program.ts';
import { entriesOf } from '../support/git_tree.ts';
import { LONG } from '../support/long.ts';

const readers: [string, (directory: string) => RepositoryReader][] = [
  ['in process', (directory) => new IsomorphicReader(directory)],
  ['with the git program', (directory) => new ProgramReader(directory)],
];
const own = ownRepository();
const histories: [string, string][] = [
  ['loose', oddHistory({ packed: false })],
  ['packed', oddHistory({ packed: true })],
  ['random and packed', randomHistory(8, 60)],
  ...(own === null ? [] : [['own', own] as [string, string]]),
];
const cases = readers.flatMap(([how, open]) =>
  histories.map(([name, directory]) => ({ how, name, directory, reader: open(directory) })),
);
const answers = new Map<string, unknown>();

/** Both readers are compared with the same answers, which take git most of the time of these tests. */
function remember<T>(kind: string, directory: string, args: string[], find: () => T): T {
  const key = [kind, directory, ...args].join('\0');
  const known = answers.get(key) ?? find();
  answers.set(key, known);
  return known as T;
}

const oids = (commits: Commit[]) => commits.map(({ oid }) => oid);
const latin1 = (path: string) => encodeName(path).toString('latin1');

afterAll(() => Promise.all(cases.map(({ reader }) => reader.close())));

/** The history of this project grows, and with it the time that it takes to read all of it. */
const WHOLE_HISTORY = { ...LONG, timeout: 300_000 };

/** Lines are counted of the last commits of the main line, so many of them: some change files of a megabyte. */
const RECENT = 30;

for (const { reader, directory, name, how } of cases)
  describe(`Reading the ${name} history ${how}`, name === 'packed' ? {} : WHOLE_HISTORY, () => {
    const ask = (...args: string[]) => remember('lines', directory, args, () => gitLines(directory, args));
    const code = (...args: string[]) => remember('code', directory, args, () => gitCode(directory, args));
    const one = (...args: string[]) => git(directory, args).trim();
    const tips = () => ask('for-each-ref', '--format=%(objectname)', 'refs/heads/').slice(0, 4);
    const main = one('rev-parse', 'HEAD^{commit}');

    it('lists branches and tags as git does, with what they lead to', LONG, async () => {
      const branches = (await reader.branches()).map((branch) => `${branch.commit} refs/heads/${branch.name}`);
      expect(branches).toEqual(ask('for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads/'));
      const tags = await reader.tags();
      const expected = ask(
        'for-each-ref',
        '--sort=-refname',
        '--format=%(objectname) %(refname:lstrip=2)',
        'refs/tags/',
      );
      expect(tags.map((tag) => `${tag.target} ${tag.name}`)).toEqual(expected);
      for (const tag of tags) {
        expect(await reader.tag(tag.name)).toEqual(tag);
        const annotated = one('cat-file', '-t', tag.target) === 'tag';
        const body = annotated
          ? git(directory, ['cat-file', 'tag', tag.target]).split('\n\n').slice(1).join('\n\n')
          : null;
        expect(tag.annotation?.message ?? null).toBe(body);
        if (gitCode(directory, ['rev-parse', '--verify', '-q', `refs/tags/${tag.name}^{commit}`]) === 0)
          expect(tag.commit).toBe(one('rev-parse', `refs/tags/${tag.name}^{commit}`));
        else expect(tag.commit).toBeNull();
      }
      expect(await reader.branch('no-such')).toBeNull();
      expect(await reader.defaultBranch()).toBe(one('symbolic-ref', '--short', 'HEAD'));
    });

    it('resolves branches before tags before hashes, and nothing else', LONG, async () => {
      expect(await reader.resolve('HEAD')).toBe(main);
      for (const { name: branch, commit } of await reader.branches()) expect(await reader.resolve(branch)).toBe(commit);
      const tip = tips()[0] ?? '';
      expect(await reader.resolve(tip)).toBe(tip);
      expect(await reader.resolve(tip.slice(0, 10))).toBe(tip);
      expect(await reader.resolve(tip.slice(0, 10).toUpperCase())).toBe(tip);
      expect(await reader.resolve('refs/heads/../../config')).toBeNull();
      for (const wrong of [
        '',
        'no-such',
        'abc',
        'f'.repeat(40),
        `${tip}0`,
        'main~x',
        'main^^{tree}',
        'main^{/Commit}',
        'main~1:src',
        '~1',
        'main^3',
        'main:src',
        '-x',
        '..',
        'a\nb',
        '@',
      ])
        expect(await reader.resolve(wrong)).toBeNull();
      expect(await reader.resolve(one('rev-parse', `${main}^{tree}`))).toBeNull();
    });

    it('takes seven digits of a hash that refs lead to, and no fewer', LONG, async () => {
      const all = ask('rev-list', '--branches', '--tags').slice(0, 6);
      for (const oid of all) {
        const short = oid.slice(0, 7);
        const known = gitCode(directory, ['rev-parse', '--verify', '-q', `${short}^{commit}`]) === 0;
        if (known) expect(await reader.resolve(short)).toBe(one('rev-parse', `${short}^{commit}`));
        else expect(await reader.resolve(short)).toBeNull();
        expect(await reader.resolve(oid.slice(0, 6))).toBeNull();
      }
    });

    it('goes from a name to parents as git does', LONG, async () => {
      const steps = ['~', '~1', '~0', '^', '^0', '^1', '^2', '^3', '~2^2', '^^', '^{}', '^{commit}~1', '~30'];
      const names = ['HEAD', ...tips().slice(0, 4), (tips()[0] ?? '').slice(0, 12)];
      const revisions = names.flatMap((start) => steps.map((step) => start + step));
      const found = gitLines(directory, ['cat-file', '--batch-check=%(objectname)'], `${revisions.join('\n')}\n`);
      for (const [at, revision] of revisions.entries()) {
        const expected = found[at]?.endsWith('missing') ? null : found[at];
        expect([revision, await reader.resolve(revision)]).toEqual([revision, expected]);
      }
      await expect(reader.resolve('HEAD~10000')).rejects.toThrow('a revision goes back 5000 commits at most');
      await expect(reader.resolve(`HEAD${'~1'.repeat(101)}`)).rejects.toThrow('at most 200 characters of steps');
    });

    it('reads commits as git shows them', LONG, async () => {
      const format = '%H%x00%T%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%aI%x00%B';
      for (const oid of ask('rev-list', '--all').slice(0, 25)) {
        const shown = git(directory, ['log', '-1', `--format=${format}`, oid])
          .replace(/\n$/, '')
          .split('\0');
        const commit = await reader.commit(oid);
        if (commit === null) throw new Error(`${oid} was not found`);
        const { author, committer } = commit;
        const time = signatureTime(author).replace('.000', '').replace('+00:00', 'Z');
        const read = [
          commit.oid,
          commit.tree,
          commit.parents.join(' '),
          author.name,
          author.email,
          String(author.seconds),
        ];
        const rest = [committer.name, committer.email, String(committer.seconds), time, commit.message.trimEnd()];
        const expected = shown.map((field, at) => (at === 9 ? field.replace('+00:00', 'Z') : field.trimEnd()));
        expect([...read, ...rest]).toEqual(expected);
      }
      expect(await reader.commit('f'.repeat(40))).toBeNull();
      expect(await reader.commit(one('rev-parse', `${main}^{tree}`))).toBeNull();
    });

    it('lists trees as git does: directories, then files, then submodules', LONG, async () => {
      const listed = (args: string[]) => {
        const records = gitBytes(directory, ['ls-tree', '-z', ...args])
          .toString('latin1')
          .split('\0')
          .slice(0, -1);
        const entries = records.map((record) => record.replace('\t', ' '));
        return ['tree', 'blob', 'commit'].flatMap((type) => entries.filter((entry) => entry.split(' ')[1] === type));
      };
      for (const tip of tips()) {
        for (const recursive of [false, true]) {
          const entries = (await entriesOf(reader, tip, '', { recursive })) ?? [];
          const read = entries.map(({ mode, type, oid, path }) => `${mode} ${type} ${oid} ${latin1(path)}`);
          expect(read).toEqual(listed([...(recursive ? ['-r', '-t'] : []), tip]));
        }
        const directories = ((await entriesOf(reader, tip)) ?? []).filter(({ type }) => type === 'tree');
        for (const { path, oid } of directories) {
          expect(await entriesOf(reader, tip, path)).toEqual(await entriesOf(reader, tip, `/${path}/`));
          const prefix = `${latin1(path)}/`;
          const expected = listed([oid]).map((entry) => entry.replace(/^(\S+ \S+ \S+ )/, `$1${prefix}`));
          const entries = (await entriesOf(reader, tip, path)) ?? [];
          expect(entries.map((e) => `${e.mode} ${e.type} ${e.oid} ${latin1(e.path)}`)).toEqual(expected);
        }
      }
      expect(await entriesOf(reader, main, 'no/such')).toBeNull();
      expect(await entriesOf(reader, 'f'.repeat(40))).toBeNull();
    });

    it('finds every entry by its path, and blobs with their size and content', LONG, async () => {
      const entries = (await entriesOf(reader, main, '', { recursive: true })) ?? [];
      for (const entry of entries.slice(0, 50)) {
        expect(await reader.entry(main, entry.path)).toEqual(entry);
        if (entry.type !== 'blob') continue;
        const content = gitBytes(directory, ['cat-file', 'blob', entry.oid]);
        expect(await reader.blobSize(entry.oid)).toBe(content.length);
        expect(await reader.blob(entry.oid, 10_000_000)).toEqual(content);
        const streamed = await reader.blobStream(entry.oid);
        const chunks = streamed === null ? [] : ((await streamed.stream.toArray()) as Buffer[]);
        expect(Buffer.concat(chunks)).toEqual(content);
        if (content.length > 0) await expect(reader.blob(entry.oid, content.length - 1)).rejects.toThrow(LimitExceeded);
        expect(await entriesOf(reader, main, entry.path)).toBeNull();
        expect(await reader.entry(main, `${entry.path}/below`)).toBeNull();
      }
      expect(await reader.entry(main, 'no-such')).toBeNull();
      expect(await reader.blobSize(main)).toBeNull();
      expect(await reader.blob('f'.repeat(40), 10)).toBeNull();
      expect(await reader.blobStream('f'.repeat(40))).toBeNull();
    });

    it('logs as git does, in pages, with totals', LONG, async () => {
      for (const tip of tips()) {
        const all = ask('rev-list', tip);
        expect(oids(await reader.log({ start: tip }))).toEqual(all);
        expect(oids(await reader.log({ start: tip }, { offset: 3, limit: 5 }))).toEqual(all.slice(3, 8));
        expect(await reader.log({ start: tip }, { limit: 0 })).toEqual([]);
        expect(await reader.count({ start: tip })).toBe(all.length);
      }
    });

    it('restricts logs by path as git does', LONG, async () => {
      const paths = new Set(
        ask('log', '--format=', '--name-only', '-m', 'HEAD').filter((path) => !path.startsWith('"')),
      );
      const directories = [...paths]
        .map((path) => path.split('/').slice(0, -1).join('/'))
        .filter((path) => path !== '');
      for (const path of new Set([...[...paths].slice(0, 10), ...directories.slice(0, 4), 'no-such'])) {
        const expected = ask('rev-list', main, '--', path);
        expect([path, ...oids(await reader.log({ start: main, path }))]).toEqual([path, ...expected]);
        expect(await reader.count({ start: main, path })).toBe(expected.length);
        const last = await reader.lastCommit(main, path);
        expect(last?.oid ?? null).toBe(expected[0] ?? null);
      }
    });

    it('finds the last change of a path from every commit, whatever was asked before', LONG, async () => {
      const paths = [
        'src/a.txt',
        'src',
        'a',
        'r',
        'd0',
        'd1/f1',
        'd2/f0',
        'package.json',
        'src/entrances/server/app.ts',
        'no-such',
      ];
      for (const start of ask('rev-list', '--all', '-n', '7').reverse()) {
        for (const path of paths.filter((_, at) => at % 3 === start.charCodeAt(0) % 3)) {
          const [expected = null] = ask('rev-list', '-1', start, '--', path);
          expect([start, path, (await reader.lastCommit(start, path))?.oid ?? null]).toEqual([start, path, expected]);
        }
      }
    });

    it('restricts logs by time, the bounds included', LONG, async () => {
      const times = ask('log', '--format=%ct', main).map(Number);
      for (const time of new Set([times[0], times[Math.floor(times.length / 2)], times.at(-1)])) {
        if (time === undefined) continue;
        for (const [since, until] of [
          [time, undefined],
          [undefined, time],
          [time, time],
          [time + 1, undefined],
        ] as const) {
          const bounds = [
            ...(since === undefined ? [] : [`--since=@${since}`]),
            ...(until === undefined ? [] : [`--until=@${until}`]),
          ];
          const expected = ask('rev-list', ...bounds, main);
          expect(oids(await reader.log({ start: main, since, until }))).toEqual(expected);
          expect(await reader.count({ start: main, since, until })).toBe(expected.length);
        }
      }
    });

    it('finds merge bases, ancestry and what lies between as git does', LONG, async () => {
      const some = ask('rev-list', '--all').filter((_, at) => at % 11 === 0);
      const points = [...new Set([...tips().slice(1, 4), ...some.slice(0, 1)])];
      for (const left of points) {
        const reached = points.filter((point) => code('merge-base', '--is-ancestor', point, left) === 0);
        expect([...(await reader.mergedInto(left, points))]).toEqual(reached);
        const added = ask('rev-list', '--parents', ...points, `^${left}`);
        const lines = (await reader.newCommits(left, points, added.length))?.map(({ oid, parents }) =>
          [oid, ...parents].join(' '),
        );
        expect(lines?.sort()).toEqual(added.sort());
        if (added.length > 0) expect(await reader.newCommits(left, points, added.length - 1)).toBeNull();
        const above = points.filter((point) => code('merge-base', '--is-ancestor', left, point) === 0);
        expect([...(await reader.reaching(left, points))]).toEqual(above);
        for (const right of points) {
          const expected = code('merge-base', left, right) === 0 ? ask('merge-base', '--all', left, right) : [];
          expect(await reader.mergeBases(left, right)).toEqual(expected);
          const ancestor = code('merge-base', '--is-ancestor', left, right) === 0;
          expect(await reader.isAncestor(left, right)).toBe(ancestor);
          const between = ask('rev-list', right, `^${left}`);
          expect(oids(await reader.between(left, right))).toEqual(between);
          const apart = [ask('rev-list', left, `^${right}`).length, between.length];
          expect(await reader.countApart(left, right)).toEqual(apart);
          expect(oids(await reader.between(left, right, { offset: 1, limit: 2 }))).toEqual(between.slice(1, 3));
          for (const most of [2, between.length, between.length + 1]) {
            const base = expected[0] ?? null;
            const commits = between.slice(0, most);
            expect(await reader.divergence(left, right, most)).toEqual({ commits, base });
          }
        }
      }
    });

    it('groups contributors by e-mail in the order of their first appearance', LONG, async () => {
      const authors = gitLines(directory, ['log', '--no-merges', '--format=%an%x02%ae', main]);
      const expected = new Map<string, Contributor>();
      for (const author of authors) {
        const [authorName = '', email = ''] = author.split('\x02');
        const row = expected.get(email) ?? { name: authorName, email, commits: 0, additions: 0, deletions: 0 };
        expected.set(email, { ...row, commits: row.commits + 1 });
      }
      const bare = [...expected.values()];
      expect(await reader.contributors({ tip: main })).toEqual(bare);
      const since = ask('rev-list', '--first-parent', main)[4] ?? main;
      const joined = joinContributors(
        await reader.contributors({ tip: main, since }),
        await reader.contributors({ tip: since }),
      );
      const byEmail = (rows: Contributor[]) => rows.map(({ email, commits }) => `${email} ${commits}`).sort();
      expect(byEmail(joined)).toEqual(byEmail(bare));
    });

    it('counts the lines of contributors as git does', LONG, async () => {
      const since = ask('rev-list', '--first-parent', main)[RECENT];
      const range = since === undefined ? [main] : [main, `^${since}`];
      const expected = new Map<string, Contributor>();
      for (const block of git(directory, ['log', '--no-merges', '-M', '--numstat', '--format=%x01%an%x02%ae', ...range])
        .split('\x01')
        .slice(1)) {
        const [author = '', ...stats] = block.split('\n');
        const [authorName = '', email = ''] = author.split('\x02');
        const row = expected.get(email) ?? { name: authorName, email, commits: 0, additions: 0, deletions: 0 };
        row.commits++;
        for (const line of stats) {
          const [added, removed] = line.split('\t');
          row.additions += Number(added) || 0;
          row.deletions += Number(removed) || 0;
        }
        expected.set(email, row);
      }
      const counted = await reader.contributors({ tip: main, since, lines: true });
      if (how === 'in process') {
        // Lines may be matched in other ways than git does; how many there are in the end is the same.
        const net = ({ additions, deletions, ...row }: Contributor) => ({ ...row, lines: additions - deletions });
        expect(counted.map(net)).toEqual([...expected.values()].map(net));
        return;
      }
      expect(counted).toEqual([...expected.values()]);
      const commits = ask('rev-list', '--no-merges', ...range);
      expect(await countLines(directory, commits, 2, Math.ceil(commits.length / 5))).toEqual([...expected.values()]);
    });

    it('follows annotations to their ends', LONG, async () => {
      const oids = [...new Set(ask('for-each-ref', '--format=%(objectname)'))];
      const ends = ask('rev-parse', ...oids.map((oid) => `${oid}^{}`));
      const expected = oids.map((oid, at) => [oid, ends[at] ?? ''] as const).filter(([oid, end]) => oid !== end);
      expect(await reader.peeled(oids)).toEqual(new Map(expected));
    });

    it.runIf(name === 'loose')('sees what is written after it was opened', async () => {
      const oid = one(
        '-c',
        'user.name=x',
        '-c',
        'user.email=x@example.com',
        'commit-tree',
        '-m',
        'new',
        `${main}^{tree}`,
      );
      expect(await reader.commit(oid)).toMatchObject({ oid, message: 'new\n' });
      git(directory, ['update-ref', 'refs/heads/fresh', oid]);
      expect(await reader.resolve('fresh')).toBe(oid);
      git(directory, ['pack-refs', '--all', '--prune']);
      expect(await reader.resolve('fresh')).toBe(oid);
      git(directory, ['update-ref', '-d', 'refs/heads/fresh']);
      expect(await reader.resolve('fresh')).toBeNull();
    });
  });

describe('Names', () => {
  it('are kept byte by byte, UTF-8 or not', () => {
    const samples = [
      [0xff],
      [0x61, 0xc3, 0xa9, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf0, 0x9f, 0x98, 0x80, 0xf0],
      [0xc0, 0x80],
      [],
    ];
    for (const sample of samples) expect(encodeName(decodeName(Buffer.from(sample)))).toEqual(Buffer.from(sample));
    expect(decodeName(Buffer.from('é😀'))).toBe('é😀');
  });
});

/** Two commits whose trees have the modes of old repositories and other programs. */
function oddModes(): { directory: string; from: string; to: string } {
  const directory = emptyRepository('file');
  const blob = git(directory, ['hash-object', '-w', '--stdin'], 'x\n').trim();
  const write = (entries: [string, string][]) => {
    const parts = entries.flatMap(([mode, name]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(blob, 'hex')]);
    return git(directory, ['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], Buffer.concat(parts)).trim();
  };
  const commit = (tree: string, ...parents: string[]) => {
    const who = ['-c', 'user.name=x', '-c', 'user.email=x@x'];
    return git(directory, [...who, 'commit-tree', '-m', 'm', ...parents.flatMap((oid) => ['-p', oid]), tree]).trim();
  };
  const modes = ['0100644', '100000', '100600', '100664', '100744', '100775', '120777', '160755'];
  const from = commit(write(modes.map((mode) => [mode, `f${mode}`])));
  const to = commit(write(modes.map((mode) => [mode.replace('64', '55'), `f${mode}`])), from);
  git(directory, ['update-ref', 'refs/heads/main', to]);
  return { directory, from, to };
}

describe.each(readers)('Modes that nobody writes any more (%s)', (_how, open) => {
  it('are shown as git shows them', LONG, async () => {
    const { directory, from, to } = oddModes();
    const reader = open(directory);
    const shown = (await entriesOf(reader, from))?.map(
      ({ mode, type, oid, name }) => `${mode} ${type} ${oid}\t${name}`,
    );
    expect(shown?.toSorted()).toEqual(gitLines(directory, ['ls-tree', from]).toSorted());
    expect((await reader.entry(from, 'f100664'))?.mode).toBe('100644');
    expect(ownDiff((await diffTrees(reader, from, to)).entries)).toEqual(gitDiff(directory, [from, to]));
    const last = await reader.lastCommit(to, 'f100000');
    expect([last?.oid]).toEqual(gitLines(directory, ['log', '-1', '--format=%H', to, '--', 'f100000']));
    await reader.close();
  });
});

import { describe, expect, it } from 'vitest';
import { commitActivity } from '#src/domain/repository/commit_activity.ts';
import { LimitExceeded } from '#src/git/base/errors.ts';
import { startCommittingWorld } from '../support/commits.ts';
import { HistoryBuilder } from '../support/git_history.ts';
import { git } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { fillRepository } from '../support/repository.ts';

const { world, owner, guest, filled, committed } = await startCommittingWorld();

async function ask(fields: string, project: { fullPath: string }, variables = {}, who = owner, types = '') {
  const query = `query ($ref: ProjectRef!${types}) { project(ref: $ref) { repository { ${fields} } } }`;
  const { body } = await world.graphql(query, { ref: project.fullPath, ...variables }, who);
  return { repository: body.data?.project?.repository, errors: body.errors };
}

const CHANGES =
  'nodes { oldPath newPath newFile deletedFile renamedFile additions deletions tooLarge diff(headers: false) }';
const PREVIEW = `commitPreview(ref: "master", actions: $actions) { ${CHANGES} }`;
const ACTIONS = ', $actions: [CommitActionInput!]!';

describe('What a commit would change', () => {
  it('is told file by file, as the commit then does it, and nothing is written', async () => {
    const { project, directory, at } = await filled([
      { action: 'create', file_path: 'a.txt', content: 'one\ntwo\n' },
      { action: 'create', file_path: 'b.txt', content: 'b\n' },
      { action: 'create', file_path: 'dir/c.txt', content: 'c\n' },
      { action: 'create', file_path: 'same.txt', content: 'same\n' },
    ]);
    const tip = git(directory, ['rev-parse', 'master']);
    const actions = [
      { action: 'UPDATE', filePath: 'a.txt', content: 'one\n2\n' },
      { action: 'MOVE', filePath: 'moved.txt', previousPath: 'b.txt', content: 'B\n' },
      { action: 'DELETE', filePath: 'dir/c.txt' },
      { action: 'CREATE', filePath: 'new/ü.txt', content: 'new' },
      { action: 'UPDATE', filePath: 'same.txt', content: 'same\n' },
    ];
    const { repository } = await ask(PREVIEW, project, { actions }, owner, ACTIONS);
    const { nodes } = repository.commitPreview;
    expect(nodes.map(({ newPath }: { newPath: string }) => newPath)).toEqual([
      'a.txt',
      'dir/c.txt',
      'moved.txt',
      'new/ü.txt',
    ]);
    expect(nodes[0]).toMatchObject({ additions: 1, deletions: 1, diff: '@@ -1,2 +1,2 @@\n one\n-two\n+2\n' });
    expect(nodes[1]).toMatchObject({ deletedFile: true, diff: '@@ -1 +0,0 @@\n-c\n' });
    expect(nodes[2]).toMatchObject({ renamedFile: true, oldPath: 'b.txt', diff: '@@ -1 +1 @@\n-b\n+B\n' });
    expect(nodes[3]).toMatchObject({ newFile: true, diff: '@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\n' });
    expect(git(directory, ['rev-parse', 'master'])).toBe(tip);
    const sent = actions.map(({ action, filePath, previousPath, content }) => ({
      ...{ action: action.toLowerCase(), file_path: filePath, previous_path: previousPath, content },
    }));
    await committed(at, sent);
    const stats = git(directory, ['diff', '--no-renames', '--name-only', tip.trim(), 'master']).trim().split('\n');
    expect(stats).toHaveLength(5);
  });

  it('is refused with what the commit would say, and for those who cannot read the code', LONG, async () => {
    const { project, at } = await filled([{ action: 'create', file_path: 'a.txt', content: 'a\n' }]);
    const told = async (actions: object[], who = owner) =>
      (await ask(PREVIEW, project, { actions }, who, ACTIONS)).errors?.[0]?.message;
    expect(await told([{ action: 'CREATE', filePath: 'a.txt', content: '' }])).toMatch(/already exists/);
    expect(await told([{ action: 'UPDATE', filePath: 'none', content: '' }])).toBe(
      'File to be updated `none` does not exist.',
    );
    expect(await told([{ action: 'MOVE', filePath: 'b', previousPath: 'none' }])).toMatch(/does not exist/);
    expect(await told([{ action: 'CREATE', filePath: '../b', content: '' }])).toMatch(/directory traversal/);
    expect(await told(Array(101).fill({ action: 'DELETE', filePath: 'a.txt' }))).toMatch(/too many/);
    expect(await told([{ action: 'DELETE', filePath: 'a.txt' }], guest)).toBeTruthy();
    await committed(at, [{ action: 'create', file_path: 'large.txt', content: 'x\n'.repeat(600_000) }]);
    const actions = [{ action: 'DELETE', filePath: 'large.txt' }];
    const { repository } = await ask(PREVIEW, project, { actions }, owner, ACTIONS);
    expect(repository.commitPreview.nodes).toMatchObject([{ newPath: 'large.txt', tooLarge: true, diff: '' }]);
  });
});

it('a text is rendered as in the file that it will be, and the headings of a file are told', async () => {
  const { project } = await filled([
    { action: 'create', file_path: 'docs/a.md', content: '# One\n\n## <b>Two</b> & three\n\ntext\n' },
    { action: 'create', file_path: 'a.txt', content: '# One\n' },
  ]);
  const rendered = (path: string, text: string) => `renderedFile(path: "${path}", ref: "master", text: "${text}")`;
  const { repository } = await ask(
    `md: ${rendered('docs/b.md', '[x](c.md) <script>')} txt: ${rendered('b.txt', '# One')}`,
    project,
  );
  expect(repository.md).toMatch(new RegExp(`href="http[^"]+/${project.fullPath}/-/blob/master/docs/c.md"`));
  expect(repository.md).not.toContain('<script');
  expect(repository.txt).toBeNull();
  const file = (path: string) => `file(path: "${path}", ref: "master") { headings { level text anchor } }`;
  const found = await ask(`md: ${file('docs/a.md')} txt: ${file('a.txt')}`, project);
  expect(found.repository.md.headings).toMatchObject([
    { level: 1, text: 'One' },
    { level: 2, text: 'Two & three' },
  ]);
  expect(found.repository.txt.headings).toEqual([]);
});

it('the symbols of a file are those that its lines define', async () => {
  const { project } = await filled([
    { action: 'create', file_path: 'a.ts', content: 'export class A {\n  run() {\n  }\n}\n' },
    { action: 'create', file_path: 'b.bin', content: Buffer.from([0, 1]).toString('base64'), encoding: 'base64' },
  ]);
  const file = (path: string) => `file(path: "${path}", ref: "master") { symbols { name kind line depth } }`;
  const { repository } = await ask(`ts: ${file('a.ts')} bin: ${file('b.bin')}`, project);
  expect(repository.ts.symbols).toEqual([
    { name: 'A', kind: 'CLASS', line: 1, depth: 0 },
    { name: 'run', kind: 'METHOD', line: 2, depth: 1 },
  ]);
  expect(repository.bin.symbols).toEqual([]);
});

it('the history of lines has the commits that changed them, through renames, as git tells it', LONG, async () => {
  const { project, at, directory } = await filled([
    { action: 'create', file_path: 'd ö/a b.txt', content: '1\n2\n3\n4\n' },
  ]);
  await committed(at, [{ action: 'update', file_path: 'd ö/a b.txt', content: '1\nTWO\n3\n4\n' }], {
    commit_message: 'Change 2',
  });
  await committed(at, [{ action: 'move', file_path: 'z.txt', previous_path: 'd ö/a b.txt' }], {
    commit_message: 'Move',
  });
  await committed(at, [{ action: 'update', file_path: 'z.txt', content: '0\n1\nTWO\n3\nfour\n' }], {
    commit_message: 'Other',
  });
  const history = (range: string) =>
    `file(path: "z.txt", ref: "master") { lineHistory(${range}) { path commit { sha title } hunks { lines { type text newLine } } } }`;
  const { repository } = await ask(history('from: 3, to: 3'), project);
  const [last, first, ...others] = repository.file.lineHistory;
  expect(others).toEqual([]);
  expect(last).toMatchObject({ path: 'd ö/a b.txt', commit: { title: 'Change 2' } });
  expect(last.hunks[0].lines).toEqual([
    { type: 'REMOVED', text: '2', newLine: null },
    { type: 'ADDED', text: 'TWO', newLine: 2 },
  ]);
  expect(first.commit.title).toBe('Change');
  const oracle = git(directory, ['log', '-L3,3:z.txt', '--format=%H', '-s', 'master']).trim().split('\n');
  expect([last.commit.sha, first.commit.sha]).toEqual(oracle);
  expect((await ask(history('from: 5, to: 900'), project)).repository.file.lineHistory).toHaveLength(2);
  expect((await ask(history('from: 6, to: 6'), project)).repository.file.lineHistory).toEqual([]);
  expect((await ask(history('from: 3, to: 3, count: 1'), project)).repository.file.lineHistory).toHaveLength(1);
  for (const range of ['from: 0, to: 1', 'from: 2, to: 1', 'from: 1, to: 1001', 'from: 1, to: 1, count: 101']) {
    expect((await ask(history(range), project)).errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }]);
  }
});

it('code is searched by the names of symbols, in the index and at another branch', LONG, async () => {
  const name = world.unique('measure').replaceAll(/\W/g, '_');
  const text = `// ${name}\n\nexport function ${name}(x) {\n}\n${name}(1);\nclass ${name}Else {}\n`;
  const { project, at } = await filled([
    { action: 'create', file_path: 'defines.ts', content: text },
    { action: 'create', file_path: 'uses.ts', content: `${name}(2);\nconst y = ${name}(3);\n` },
  ]);
  await committed(at, [{ action: 'create', file_path: 'c.txt', content: 'c' }], {
    branch: 'aside',
    start_branch: 'master',
  });
  await world.idle();
  const find = async (search: string, of = '') => {
    const query = `query ($ref: ProjectRef!, $search: String!) { project(ref: $ref) { find(search: $search) {
      code${of} { nodes { path lines { line } } } } } }`;
    const { body } = await world.graphql(query, { ref: project.fullPath, search }, owner);
    return { nodes: body.data?.project?.find?.code?.nodes, errors: body.errors };
  };
  for (const where of ['', '(ref: "aside")']) {
    expect([where, (await find(`symbol:${name}`, where)).nodes]).toEqual([
      where,
      [{ path: 'defines.ts', lines: [{ line: 3 }] }],
    ]);
    const many = (await find(`symbol:${name}*`, where)).nodes;
    expect(many.map(({ path }: { path: string }) => path)).toEqual(['defines.ts']);
    expect(many[0].lines[0]).toEqual({ line: 3 });
    const others = (await find(`${name} -symbol:${name}`, where)).nodes;
    expect(others.map(({ path }: { path: string }) => path)).toEqual(['uses.ts']);
  }
  expect((await find('symbol:(a')).errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }]);
});

describe('Languages over time', () => {
  const DAY = 86_400;
  const now = Math.floor(Date.now() / 1000);
  const FIELDS = 'languageHistory { isPartial points { at commitSha languages { name share } } }';

  it('are those of the newest commits of the default branch before months began, and now', async () => {
    const project = await world.project({ owner, visibility: 'private' });
    const history = new HistoryBuilder();
    const root = history.commit({
      branch: 'main',
      time: now - 300 * DAY,
      changes: [{ path: 'a.rb', content: 'puts 1\n' }],
    });
    history.commit({
      ...{ branch: 'main', from: [root], time: now - 60 },
      changes: [
        { path: 'a.rb', remove: true },
        { path: 'b.go', content: 'package b\n' },
      ],
    });
    await fillRepository(world, project, history.build());
    const { repository } = await ask(FIELDS, project);
    const { points, isPartial } = repository.languageHistory;
    expect(isPartial).toBe(false);
    expect(points.length).toBeGreaterThanOrEqual(9);
    expect(points.length).toBeLessThanOrEqual(13);
    expect(points.at(-1).languages).toEqual([{ name: 'Go', share: 100 }]);
    for (const point of points.slice(0, -2)) expect(point.languages).toEqual([{ name: 'Ruby', share: 100 }]);
    const kept = await world.db.languageHistory.findUniqueOrThrow({ where: { projectId: project.id } });
    expect(Object.keys(JSON.parse(kept.counts))).toHaveLength(2);
    await world.db.languageHistory.update({
      where: { projectId: project.id },
      data: { counts: JSON.stringify({ [points.at(-1).commitSha]: [['Kept', 1]] }) },
    });
    const again = await ask(FIELDS, project);
    expect(again.repository.languageHistory.points.at(-1).languages).toEqual([{ name: 'Kept', share: 100 }]);
    expect((await ask(FIELDS, project, {}, guest)).repository?.languageHistory ?? null).toBeNull();
  });

  it('are none of an empty repository', async () => {
    const project = await world.project({ owner });
    expect((await ask(FIELDS, project)).repository.languageHistory).toBeNull();
  });
});

it('commits over time are null where there are too many to be counted, so that the rest of a page is there', async () => {
  const { project } = await filled([{ action: 'create', file_path: 'a.txt', content: 'a' }]);
  const context = world.as(owner);
  const repository = await context.repositories.open(project);
  const tooMany = () => Promise.reject(new LimitExceeded('work', 'counting the commits takes too long'));
  const busy = new Proxy(repository as object, {
    get: (target, name) => {
      if (name === 'commitTimes') return tooMany;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const repositories = { ...context.repositories, open: async () => busy } as never;
  expect(await commitActivity({ ...context, repositories }, project, null, 'week')).toBeNull();
});

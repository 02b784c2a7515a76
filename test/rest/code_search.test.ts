import { beforeAll, describe, expect, it } from 'vitest';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { indexMissing, indexProject } from '#src/domain/repository/code_search/index_project.ts';
import { blocksOf } from '../support/documentation.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const [ann, guest, reporter, stranger] = [
  await world.user(),
  await world.user(),
  await world.user(),
  await world.user(),
];
const [external, former] = [await world.user(), await world.user()];
const root = await world.user({ admin: true });
/** A word that nothing else of the server has. */
const WORD = 'zebrafish';

type Files = Record<string, string | null>;

/** Commits files to the default branch of a project: null deletes one. */
async function commit(project: { id: number }, files: Files, isFirst = true) {
  const actions = Object.entries(files).map(([file_path, content]) => ({
    action: content === null ? 'delete' : isFirst ? 'create' : 'update',
    file_path,
    ...(content === null ? {} : { content }),
  }));
  const { status } = await world
    .api(ann)
    .post(`/projects/${project.id}/repository/commits`, { branch: 'main', commit_message: 'Change', actions });
  expect(status).toBe(201);
  await world.idle();
}

const FIND = `query ($search: String!) { find(search: $search) { code(first: 100) { limited totalCount nodes {
  path ref language startLine data basename lines { line text } project { fullPath } } } } }`;

async function find(search: string, who?: TestUser): Promise<Json[]> {
  const { body } = await world.graphql(FIND, { search }, who);
  expect(body.errors).toBeUndefined();
  return body.data.find.code.nodes;
}

const pathsOf = (found: Json[]) => found.map(({ path }) => path);

let group: GroupRow;
let inner: GroupRow;
/** By name: what a word in each is seen by whom. */
const projects: Record<string, ProjectRow> = {};

beforeAll(async () => {
  group = await world.group({ owner: ann, visibility: 'public' });
  inner = await world.group({ owner: ann, parentId: group.id, visibility: 'private' });
  const make = async (name: string, visibility: 'public' | 'internal' | 'private', namespaceId: number) => {
    const project = await world.project({ owner: ann, namespaceId, visibility, name });
    projects[name] = project;
    await commit(project, { [`${name}.ts`]: `// ${WORD} of ${name}\n`, 'other.txt': 'nothing\n' });
    return project;
  };
  await make('open', 'public', group.id);
  await make('internal', 'internal', group.id);
  await make('hidden', 'private', inner.id);
  await make('members_only', 'public', group.id);
  await make('off', 'public', group.id);
  await make('old', 'public', group.id);
  await make('deleted', 'public', group.id);
  const api = world.api(ann);
  await api.put(`/projects/${projects.members_only?.id}`, { repository_access_level: 'private' });
  await api.put(`/projects/${projects.off?.id}`, { repository_access_level: 'disabled' });
  await api.post(`/projects/${projects.old?.id}/archive`);
  await api.delete(`/projects/${projects.deleted?.id}`);
  for (const name of ['hidden', 'members_only'] as const) {
    const project = projects[name] as ProjectRow;
    await world.member(project, guest, 'guest');
    await world.member(project, reporter, 'reporter');
    await world.member(project, former, 'master');
    await world.db.member.updateMany({
      where: { projectId: project.id, userId: former.id },
      data: { expiresAt: new Date('2020-01-01') },
    });
  }
  await world.db.user.update({ where: { id: external.id }, data: { external: true } });
}, 120_000);

describe('Searching code everywhere', () => {
  it('finds what each may read, and nothing else', LONG, async () => {
    const names = async (who?: TestUser) => pathsOf(await find(WORD, who)).sort();
    const all = ['hidden.ts', 'internal.ts', 'members_only.ts', 'open.ts'];
    expect(await names(ann)).toEqual(all);
    expect(await names(root)).toEqual(all);
    expect(await names(reporter)).toEqual(all);
    expect(await names(guest)).toEqual(['internal.ts', 'members_only.ts', 'open.ts']);
    expect(await names(stranger)).toEqual(['internal.ts', 'open.ts']);
    expect(await names(former)).toEqual(['internal.ts', 'open.ts']);
    expect(await names(external)).toEqual(['open.ts']);
    expect(await names()).toEqual(['open.ts']);
    // A word of two letters is found without the index.
    expect(pathsOf(await find('/zebraf.sh/ of', external))).toEqual(['open.ts']);
    expect(pathsOf(await find('of path:.ts', external))).toEqual(['open.ts']);
  });

  it('takes as many statements for many files as for few', LONG, async () => {
    const count = async (search: string) => (await world.statements(() => find(search, reporter))).length;
    const [one, many] = [await count(`${WORD} hidden`), await count(WORD)];
    expect(one).toBeGreaterThan(0);
    expect(many).toBe(one);
  });

  it(
    'is REST, of the server, of a group and the groups inside, without archived projects unless they are wanted',
    LONG,
    async () => {
      const at = async (path: string, who: TestUser = ann) => (await world.api(who).get(path)).body;
      const search = `scope=blobs&search=${WORD}`;
      const [one] = (await at(`/search?${search}`, external)) as Json[];
      expect(one).toEqual({
        basename: 'open',
        data: `// ${WORD} of open\n`,
        path: 'open.ts',
        filename: 'open.ts',
        id: null,
        ref: 'main',
        startline: 1,
        project_id: projects.open?.id,
      });
      expect(pathsOf(await at(`/groups/${inner.id}/search?${search}`))).toEqual(['hidden.ts']);
      expect(pathsOf(await at(`/groups/${inner.id}/search?${search}`, reporter))).toEqual(['hidden.ts']);
      expect(pathsOf(await at(`/groups/${group.id}/search?${search}`, stranger)).sort()).toEqual([
        'internal.ts',
        'open.ts',
      ]);
      expect(pathsOf(await at(`/search?${search}&include_archived=true`, external)).sort()).toEqual([
        'old.ts',
        'open.ts',
      ]);
      expect((await world.api(stranger).get(`/groups/${inner.id}/search?${search}`)).status).toBe(404);
      const page = await world.api(ann).get(`/search?${search}&per_page=2&page=2`);
      expect([page.headers['x-total'], page.body.length]).toEqual(['4', 2]);
    },
  );
});

describe('The language of searches in code', () => {
  let project: ProjectRow;
  const found = async (search: string) => {
    const query = `query ($ref: ProjectRef!, $search: String!) { project(ref: $ref) { find(search: $search) { code(first: 50) { nodes { path startLine data lines { line text } } } } } }`;
    const { body } = await world.graphql(query, { ref: project.fullPath, search }, ann);
    if (body.errors) return body.errors[0].message;
    return body.data.project.find.code.nodes as Json[];
  };
  const paths = async (search: string) => {
    const nodes = await found(search);
    return typeof nodes === 'string' ? nodes : pathsOf(nodes);
  };

  beforeAll(async () => {
    project = await world.project({ owner: ann });
    await commit(project, {
      'src/map.ts': `one\ntwo\nthree\nconst a = new Map();\nfive\nconst b = New map;\n`,
      'src/map.py': 'a = dict()\nmap = 100%\n',
      'docs/maps.md': 'A Map of new lands\n',
      'test/map.test.ts': 'expect(new Map())\n',
      'package-lock.json': '{ "new Map": 1 }\n',
      'large.txt': `new Map ${'x'.repeat(300_000)}\n`,
      'binary.bin': 'new Map \0',
      'pointer.dat': `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`,
    });
  }, 60_000);

  it('has words, texts, expressions, filters and their negation', LONG, async () => {
    expect(await paths('new map')).toEqual(['docs/maps.md', 'src/map.ts', 'test/map.test.ts']);
    expect(await paths('"new map"')).toEqual(['src/map.ts', 'test/map.test.ts']);
    expect(await paths('"new Map" -path:test')).toEqual(['src/map.ts']);
    expect(await paths('/new\\s+Map\\(/ lang:ts')).toEqual(['src/map.ts', 'test/map.test.ts']);
    expect(await paths('/^const b/')).toEqual(['src/map.ts']);
    expect(await paths('map lang:python')).toEqual(['src/map.py']);
    expect(await paths('map -lang:typescript -lands')).toEqual(['src/map.py']);
    expect(await paths('100%')).toEqual(['src/map.py']);
    expect(await paths('1_0')).toEqual([]);
    expect(await paths('path:src/*.ts')).toEqual(['src/map.ts']);
    expect(await paths('extension:md')).toEqual(['docs/maps.md']);
    expect(await paths('large')).toEqual(['large.txt']);
    expect(await paths('binary')).toEqual(['binary.bin']);
    expect(await paths('git-lfs')).toEqual([]);
    expect(await paths('-map')).toEqual([]);
  });

  it('shows the first lines that match, and those around the first', async () => {
    expect(await found('"new map" path:src')).toEqual([
      {
        path: 'src/map.ts',
        startLine: 1,
        data: 'one\ntwo\nthree\nconst a = new Map();\nfive\nconst b = New map;\n',
        lines: [
          { line: 4, text: 'const a = new Map();' },
          { line: 6, text: 'const b = New map;' },
        ],
      },
    ]);
  });

  it('says what is wrong, and takes no expression that takes any time', LONG, async () => {
    expect(await paths('/(a/')).toMatch(/invalid regular expression/);
    expect(await paths('/(a)\\1/')).toMatch(/back reference/);
    expect(await paths('/a{1,1000}/')).toMatch(/99 repetitions/);
    expect(await paths(`/${'a'.repeat(201)}/`)).toMatch(/too long/);
    expect(await paths('a b c d e f g h i j k')).toMatch(/too many terms/);
    const begun = performance.now();
    await paths('/((x+x+)+y)+$/ large');
    expect(performance.now() - begun).toBeLessThan(30_000);
  });
});

describe('Other branches, and what is not indexed yet', () => {
  it('are searched by git in the same language', LONG, async () => {
    const project = await world.project({ owner: ann });
    await world.member(project, guest, 'guest');
    await commit(project, { 'main.txt': 'only here\n' });
    const actions = Object.entries({
      'src/a.ts': 'const zero = 1;\nlet alpha = 10;\n',
      'src/b.py': 'alpha = 20\nbeta\n',
      'alpha.md': 'a page [of (text)\n',
    }).map(([file_path, content]) => ({ action: 'create', file_path, content }));
    const aside = { branch: 'aside', start_branch: 'main', commit_message: 'Aside', actions };
    expect((await world.api(ann).post(`/projects/${project.id}/repository/commits`, aside)).status).toBe(201);
    const query = `query ($ref: ProjectRef!, $search: String!, $branch: String) { project(ref: $ref) { find(search: $search) {
      code(ref: $branch, first: 50) { totalCount nodes { path ref language startLine data lines { line text } } } } } }`;
    const found = async (search: string, branch: string | null = 'aside', who = ann): Promise<Json[]> => {
      const { body } = await world.graphql(query, { ref: project.fullPath, search, branch }, who);
      return body.errors ? [{ path: body.errors[0].message }] : body.data.project.find.code.nodes;
    };
    expect(await found('alpha zero')).toEqual([
      {
        ...{ path: 'src/a.ts', ref: 'aside', language: 'typescript', startLine: 1 },
        data: 'const zero = 1;\nlet alpha = 10;\n',
        lines: [
          { line: 1, text: 'const zero = 1;' },
          { line: 2, text: 'let alpha = 10;' },
        ],
      },
    ]);
    const paths = async (search: string, branch?: string | null) => pathsOf(await found(search, branch));
    expect(await paths('alpha')).toEqual(['src/a.ts', 'src/b.py', 'alpha.md']);
    expect(await paths('alpha -beta')).toEqual(['src/a.ts', 'alpha.md']);
    expect(await paths('/alpha = \\d+;/')).toEqual(['src/a.ts']);
    expect(await paths('"[of (text)"')).toEqual(['alpha.md']);
    expect(await paths('alpha lang:py')).toEqual(['src/b.py']);
    expect(await paths('alpha -path:src')).toEqual(['alpha.md']);
    expect(await paths('extension:py')).toEqual(['src/b.py']);
    expect(await paths('/(unclosed/')).toEqual([expect.stringMatching(/invalid regular expression/)]);
    expect(await paths('only')).toEqual(['main.txt']);
    expect(await paths('alpha', null)).toEqual([]);
    expect(await found('alpha', 'aside', guest)).toEqual([]);
    await world.db.codeIndex.delete({ where: { projectId: project.id } });
    expect(await paths('only', null)).toEqual(['main.txt']);
  });
});

describe('The index of code', () => {
  it('follows pushes to the default branch, the choice of that branch, and deletion', LONG, async () => {
    const project = await world.project({ owner: ann });
    const word = world.unique('word');
    await commit(project, { 'a.txt': `first ${word}\n`, 'b.txt': `second ${word}\n` });
    expect(pathsOf(await find(word, ann))).toEqual(['a.txt', 'b.txt']);
    await commit(project, { 'a.txt': 'other\n' }, false);
    await commit(project, { 'b.txt': null }, false);
    expect(await find(word, ann)).toEqual([]);
    expect(pathsOf(await find(`other path:a.txt`, ann))).toContain('a.txt');
    const other = { branch: 'next', start_branch: 'main', commit_message: 'Next' };
    const actions = [{ action: 'create', file_path: 'c.txt', content: `third ${word}\n` }];
    await world.api(ann).post(`/projects/${project.id}/repository/commits`, { ...other, actions });
    await world.idle();
    expect(await find(word, ann)).toEqual([]);
    await world.api(ann).put(`/projects/${project.id}`, { default_branch: 'next' });
    await world.idle();
    expect((await find(word, ann)).map(({ path, ref }) => [path, ref])).toEqual([['c.txt', 'next']]);
    await world.api(ann).delete(`/projects/${project.id}`);
    expect(await find(word, ann)).toEqual([]);
    await world.idle();
    expect(await world.db.codeFile.count({ where: { projectId: project.id } })).toBe(0);
    await world.db.codeBlob.updateMany({ data: { createdAt: new Date('2020-01-01') } });
    await indexMissing(world);
    expect(await world.db.codeBlob.count({ where: { content: { contains: word } } })).toBe(0);
  });

  it('is made for projects that have none, and mended where a job ended midway', LONG, async () => {
    const project = await world.project({ owner: ann });
    const word = world.unique('word');
    await commit(project, { 'a.txt': `${word}\n` });
    await world.db.codeIndex.delete({ where: { projectId: project.id } });
    expect(await find(word, ann)).toEqual([]);
    await indexMissing(world);
    expect(pathsOf(await find(word, ann))).toEqual(['a.txt']);
    const gone = { where: { projectId: project.id } };
    await world.db.codeFile.deleteMany(gone);
    await world.db.$executeRaw`UPDATE code_indexes SET tip = NULL, updated_at = now() WHERE project_id = ${project.id}`;
    // Another one may be at work.
    await indexProject(world, project.id);
    expect(await find(word, ann)).toEqual([]);
    await world.db
      .$executeRaw`UPDATE code_indexes SET updated_at = now() - interval '1 hour' WHERE project_id = ${project.id}`;
    await indexMissing(world);
    expect(pathsOf(await find(word, ann))).toEqual(['a.txt']);
    const both = await Promise.all([indexProject(world, project.id), indexProject(world, project.id)]);
    expect(both).toHaveLength(2);
    expect((await world.db.codeIndex.findUnique({ where: { projectId: project.id } }))?.tip).toMatch(/^[0-9a-f]{40}$/);
  });
});

it('The document in docs/search.md is answered', async () => {
  const [block] = blocksOf('docs/search.md').filter(({ language }) => language === 'graphql');
  const { body } = await world.graphql(block?.text ?? '', {}, await world.user());
  expect(body.errors).toBeUndefined();
  expect(body.data.find.code).toMatchObject({ limited: false });
});

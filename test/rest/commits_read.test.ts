import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { COMMIT_KEYS } from '../support/commits.ts';
import { type Entry, gitDiff } from '../support/git_diff.ts';
import { oddHistory } from '../support/git_fixtures.ts';
import { HistoryBuilder } from '../support/git_history.ts';
import { git, gitLines } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { fillRepository, part } from '../support/repository.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reader = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let directory: string;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
  directory = await fillRepository(world, project, oddHistory({ packed: false }));
  at = `/projects/${project.id}/repository/commits`;
});

const notFound = { status: 404, body: { message: '404 Commit Not Found' } };
const hashOf = (revision: string) => git(directory, ['rev-parse', `${revision}^{commit}`]).trim();
const ids = (body: Json) => body.map(({ id }: Json) => id);

/** What git says of a commit, in the form of the contract. */
function oracle(sha: string): Json {
  const format = ['%H', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B'].join('%x00');
  const text = git(directory, ['log', '-1', '--encoding=UTF-8', `--format=${format}`, sha]);
  const [
    id = '',
    parents = '',
    author,
    authorEmail,
    authored = '',
    committer,
    committerEmail,
    committed = '',
    message = '',
  ] = text.replace(/\n$/, '').split('\0');
  const date = (iso: string) => iso.replace(/Z$/, '+00:00').replace(/(:\d\d)([+-])/, '$1.000$2');
  return {
    id,
    short_id: id.slice(0, 8),
    title: message.split('\n')[0],
    created_at: date(committed),
    parent_ids: parents === '' ? [] : parents.split(' '),
    message,
    author_name: author,
    author_email: authorEmail,
    authored_date: date(authored),
    committer_name: committer,
    committer_email: committerEmail,
    committed_date: date(committed),
    web_url: `${world.url}/${project.fullPath}/-/commit/${id}`,
    trailers: {},
    extended_trailers: {},
  };
}

describe('GET /projects/:id/repository/commits', () => {
  it(
    'lists the commits behind the default branch as git does, with exactly the keys of the contract',
    LONG,
    async () => {
      const wanted = gitLines(directory, ['log', '--format=%H', 'main']);
      const { status, headers, body } = await api.get(`${at}?per_page=100`);
      expect([status, headers['x-total']]).toEqual([200, String(wanted.length)]);
      expect(ids(body)).toEqual(wanted);
      for (const commit of body) {
        expect(Object.keys(commit)).toEqual(COMMIT_KEYS);
        expect({ ...commit, message: commit.message.trimEnd() }).toEqual({
          ...oracle(commit.id),
          message: oracle(commit.id).message.trimEnd(),
        });
      }
    },
  );

  itEveryNth(6, ['topic', 'feature/with/slashes.and.dots', 'per%cent', 'větev', 'v1.0', 'light'])(
    'lists those of %s',
    async (ref) => {
      const { body } = await api.get(`${at}?ref_name=${part(ref)}&per_page=100`);
      const full = ref === 'v1.0' ? 'refs/heads/v1.0' : ref;
      expect(ids(body)).toEqual(gitLines(directory, ['log', '--format=%H', full]));
    },
  );

  itEveryNth(5, ['src/a.txt', 'src', '/src/', 'unicode/žluťoučký/日本.txt', 'missing'])(
    'lists those that changed %s',
    async (path) => {
      const { headers, body } = await api.get(`${at}?path=${part(path)}&per_page=100`);
      const wanted = gitLines(directory, ['log', '--format=%H', 'main', '--', path.replace(/^\/|\/$/g, '')]);
      expect([ids(body), headers['x-total']]).toEqual([wanted, String(wanted.length)]);
    },
  );

  it('takes inclusive bounds of the time of the committer', LONG, async () => {
    const times = gitLines(directory, ['log', '--format=%ct', 'topic']).map(Number);
    const [newest = 0, second = 0] = times;
    const iso = (seconds: number) => part(new Date(seconds * 1000).toISOString());
    const count = async (query: string) => {
      const { headers } = await api.get(`${at}?ref_name=topic&per_page=1&${query}`);
      return Number(headers['x-total']);
    };
    expect(await count(`since=${iso(newest)}`)).toBe(1);
    expect(await count(`since=${iso(newest + 1)}`)).toBe(0);
    expect(await count(`until=${iso(second)}`)).toBe(times.length - 1);
    expect(await count(`since=${iso(second)}&until=${iso(second)}`)).toBe(1);
    expect(await api.get(`${at}?since=yesterday`)).toMatchObject({ status: 400, body: { error: 'since is invalid' } });
  });

  it('takes paths as they stand, and finds nothing where no file can be', LONG, async () => {
    const history = new HistoryBuilder();
    const root = history.commit({ branch: 'main', changes: [{ path: 'src/a\nb', content: 'x' }] });
    history.commit({ branch: 'main', from: [root], changes: [{ path: 'src/a', content: 'x' }] });
    const own = await world.project({ owner });
    await fillRepository(world, own, history.build());
    const found = async (path: string) => {
      const { status, headers, body } = await api.get(`/projects/${own.id}/repository/commits?path=${part(path)}`);
      return [status, Number(headers['x-total']), body.length];
    };
    expect(await found('src/a\nb')).toEqual([200, 1, 1]);
    expect(await found('src/a')).toEqual([200, 1, 1]);
    expect(await found('/src/')).toEqual([200, 2, 2]);
    for (const path of ['..', '../..', 'src/..', './src', 'src/../src/a', '.', 'src\n', '\nsrc', '*', ':/src', '-a']) {
      expect([path, ...(await found(path))]).toEqual([path, 200, 0, 0]);
    }
  });

  it('starts at page 1, whose neighbours the Link header names', LONG, async () => {
    const wanted = gitLines(directory, ['log', '--format=%H', 'main']);
    const first = await api.get(`${at}?per_page=2`);
    const second = await api.get(`${at}?per_page=2&page=2`);
    expect([...ids(first.body), ...ids(second.body)]).toEqual(wanted.slice(0, 4));
    expect(first.headers.link).toContain('page=2&per_page=2>; rel="next"');
    expect(ids((await api.get(`${at}?per_page=2&page=0`)).body)).toEqual(wanted.slice(0, 2));
    expect((await api.get(`${at}?per_page=2&page=1000`)).body).toEqual([]);
  });

  it('gives nothing for an empty repository, and 404 for an unknown ref', async () => {
    const empty = await world.project({ owner });
    const { status, headers, body } = await api.get(`/projects/${empty.id}/repository/commits`);
    expect([status, headers['x-total'], body]).toEqual([200, '0', []]);
    expect(await api.get(`${at}?ref_name=missing`)).toMatchObject(notFound);
  });

  it('401 for anonymous callers, even of public projects, before parameters are looked at', async () => {
    for (const path of [at, `${at}?since=x`, `${at}/main`, `${at}/main/diff`, `${at}/main/comments`]) {
      expect(await world.api().get(path)).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } });
    }
  });

  it('takes as many statements for a long list as for a short one', async () => {
    const short = await world.statements(() => api.get(`${at}?per_page=1`));
    const long = await world.statements(() => api.get(`${at}?per_page=100`));
    expect(long.length).toBe(short.length);
  });

  it('is the same in GraphQL', LONG, async () => {
    const query = `query ($ref: ProjectRef!) { project(ref: $ref) { repository { commits(ref: "topic", limit: 1) {
      totalCount nodes { sha title stats { total } } } } } }`;
    const { body } = await world.graphql(query, { ref: project.id }, reader);
    const { totalCount, nodes } = body.data.project.repository.commits;
    expect([totalCount, nodes[0].sha]).toEqual([3, hashOf('topic')]);
  });
});

describe('GET /projects/:id/repository/commits/:sha', () => {
  itEveryNth(7, ['main', 'topic', 'per%cent', 'feature/with/slashes.and.dots', 'v2.0/with-slash', 'nested', 'light'])(
    'gives the commit of %s, with lines counted and status',
    async (ref) => {
      const sha = hashOf(ref);
      const { status, body } = await api.get(`${at}/${part(ref)}`);
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual([...COMMIT_KEYS, 'stats', 'status', 'project_id']);
      expect(body).toMatchObject({ id: sha, status: null, stats: statsOf(sha) });
    },
  );

  it('takes hashes, in full and short', LONG, async () => {
    const sha = hashOf('topic');
    for (const hash of [sha, sha.slice(0, 8), sha.slice(0, 7)]) {
      const { status, body } = await api.get(`${at}/${hash}`);
      expect([hash, status, body.id]).toEqual([hash, 200, sha]);
    }
  });

  itEveryNth(7, ['missing', '0'.repeat(40), 'tree', 'main~x', 'main~4999', '-h', '../x'])('404 for %s', async (sha) => {
    expect(await api.get(`${at}/${part(sha)}`)).toMatchObject(notFound);
    expect(await api.get(`${at}/${part(sha)}/diff`)).toMatchObject(notFound);
    expect(await api.get(`${at}/${part(sha)}/comments`)).toMatchObject(notFound);
  });

  it('404 in an empty repository', async () => {
    const empty = await world.project({ owner });
    expect(await api.get(`/projects/${empty.id}/repository/commits/master`)).toMatchObject(notFound);
  });
});

describe('GET /projects/:id/repository/commits/:sha/diff', () => {
  it('gives for every commit what git says', LONG, async () => {
    for (const sha of gitLines(directory, ['log', '--format=%H', 'main', 'topic'])) {
      const parent = gitLines(directory, ['rev-parse', `${sha}^@`])[0];
      const { status, headers, body } = await api.get(`${at}/${sha}/diff`);
      const wanted = gitDiff(directory, parent === undefined ? ['--root', sha] : [parent, sha]);
      expect([status, headers['x-total']]).toEqual([200, String(wanted.length)]);
      expect(body.map(comparable)).toEqual(wanted.map(shown));
      for (const entry of body) {
        expect(Object.keys(entry)).toEqual([
          'diff',
          'old_path',
          'new_path',
          'a_mode',
          'b_mode',
          'new_file',
          'renamed_file',
          'deleted_file',
          'generated_file',
          'collapsed',
          'too_large',
        ]);
      }
    }
  });

  it('comes in pages, whose headers lead from one to the next', LONG, async () => {
    const { HistoryBuilder } = await import('../support/git_history.ts');
    const history = new HistoryBuilder();
    const paths = Array.from({ length: 25 }, (_, n) => `file-${String(n).padStart(2, '0')}`);
    history.commit({ branch: 'main', changes: paths.map((path) => ({ path, content: path })) });
    const own = await world.project({ owner });
    await fillRepository(world, own, history.build());
    const diff = `/projects/${own.id}/repository/commits/main/diff`;
    const pathsOf = (body: { new_path: string }[]) => body.map(({ new_path: path }) => path);
    const first = await api.get(diff);
    expect(pathsOf(first.body)).toEqual(paths.slice(0, 20));
    expect(first.headers).toMatchObject({
      'x-total': '25',
      'x-total-pages': '2',
      'x-per-page': '20',
      'x-page': '1',
      'x-next-page': '2',
      'x-prev-page': '',
      link: expect.stringContaining('rel="next"'),
    });
    const third = await api.get(`${diff}?page=3&per_page=10`);
    expect([pathsOf(third.body), third.headers['x-prev-page']]).toEqual([paths.slice(20), '2']);
    expect((await api.get(`${diff}?page=9`)).body).toEqual([]);
    expect(await api.get(`${diff}?per_page=x`)).toMatchObject({ status: 400, body: { error: 'per_page is invalid' } });

    const query = `query ($project: ProjectRef!, $after: String) { project(ref: $project) { repository { commit(ref: "main") {
      fileDiffs(first: 15, after: $after) { totalCount nodes { newPath } pageInfo { hasNextPage endCursor } } } } } }`;
    const read = async (after: string | null) =>
      (await world.graphql(query, { project: own.id, after }, owner)).body.data.project.repository.commit.fileDiffs;
    const start = await read(null);
    expect([start.totalCount, start.nodes.length, start.pageInfo.hasNextPage]).toEqual([25, 15, true]);
    const rest = await read(start.pageInfo.endCursor);
    expect(rest.nodes.map(({ newPath }: { newPath: string }) => newPath)).toEqual(paths.slice(15));
  });

  it('says where a file is too large to be compared', LONG, async () => {
    const { HistoryBuilder } = await import('../support/git_history.ts');
    const history = new HistoryBuilder();
    history.commit({ branch: 'main', changes: [{ path: 'large', content: 'line\n'.repeat(400_000) }] });
    const own = await world.project({ owner });
    await fillRepository(world, own, history.build());
    const { body } = await api.get(`/projects/${own.id}/repository/commits/main/diff`);
    expect(body).toMatchObject([{ new_path: 'large', diff: '', too_large: true }]);
  });
});

describe('GET /projects/:id/repository/commits/:sha/comments', () => {
  it('lists the comments on a commit, oldest first, with the author and their address', async () => {
    const sha = hashOf('topic');
    const data = { projectId: project.id, sha, authorId: owner.id };
    await world.db.commitComment.create({ data: { ...data, note: 'first' } });
    await world.db.commitComment.create({
      data: { ...data, note: 'second', path: 'src/b.txt', line: 1, lineType: 'new' },
    });
    await world.db.commitComment.create({ data: { ...data, sha: hashOf('main'), note: 'elsewhere' } });
    const { status, headers, body } = await world.api(reader).get(`${at}/topic/comments`);
    expect([status, headers['x-total']]).toEqual([200, '2']);
    expect(body).toMatchObject([
      { note: 'first', path: null, line: null, line_type: null },
      { note: 'second', path: 'src/b.txt', line: 1, line_type: 'new' },
    ]);
    for (const comment of body) {
      expect(Object.keys(comment)).toEqual(['note', 'path', 'line', 'line_type', 'author', 'created_at']);
      expect(comment.author).toMatchObject({ id: owner.id, email: `${owner.username}@example.org` });
      expect(comment.author.created_at).toMatch(/Z$/);
    }
    const page = await world.api(reader).get(`${at}/${sha}/comments?per_page=1&page=2`);
    expect(page.body.map(({ note }: Json) => note)).toEqual(['second']);
  });
});

/** Lines that a commit changed against its first parent, as git counts them. */
function statsOf(sha: string): Json {
  const lines = gitLines(directory, ['log', '-1', '--format=', '-m', '--first-parent', '-M', '--numstat', sha]);
  const [additions = 0, deletions = 0] = [0, 1].map((column) =>
    lines.reduce((sum, line) => sum + (Number(line.split('\t')[column]) || 0), 0),
  );
  return { additions, deletions, total: additions + deletions };
}

function comparable(entry: Json) {
  return {
    paths: [entry.old_path, entry.new_path],
    modes: [entry.a_mode, entry.b_mode],
    kind: [entry.new_file, entry.renamed_file, entry.deleted_file],
    body: entry.diff,
  };
}

/** An entry of git in the form of the contract; what is no UTF-8 in a name has become U+FFFD. */
function shown({ oldPath, newPath, modes, similarity, body }: Entry) {
  const [oldMode = '', newMode = ''] = modes.split(' ');
  const name = (latin1: string) => wellFormed(Buffer.from(latin1, 'latin1'));
  const mode = (text: string) => (text === '000000' ? '0' : text);
  return {
    paths: [name(oldPath), name(newPath)],
    modes: [mode(oldMode), mode(newMode)],
    kind: [mode(oldMode) === '0', similarity !== null, mode(newMode) === '0'],
    body: body.toWellFormed(),
  };
}

function wellFormed(bytes: Buffer): string {
  return bytes.toString('utf8').toWellFormed();
}

describe('GET /projects/:id/repository/commits/:sha/sequence', () => {
  it('counts the commits up to one', async () => {
    const lines = (...more: string[]) => Number(gitLines(directory, ['rev-list', '--count', ...more, 'topic'])[0]);
    expect(await api.get(`${at}/topic/sequence`)).toMatchObject({ status: 200, body: { count: lines() } });
    const alone = { count: lines('--first-parent') };
    expect((await api.get(`${at}/topic/sequence?first_parent=true`)).body).toEqual(alone);
    expect(await api.get(`${at}/${'f'.repeat(40)}/sequence`)).toMatchObject({ status: 404 });
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { oddHistory } from '../support/git_fixtures.ts';
import { HistoryBuilder } from '../support/git_history.ts';
import { git, gitCode, gitLines } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { fillRepository, part } from '../support/repository.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let directory: string;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
  directory = await fillRepository(world, project, oddHistory({ packed: true }));
  at = `/projects/${project.id}/repository/compare`;
});

const compare = (from: string, to: string) => api.get(`${at}?from=${part(from)}&to=${part(to)}`);

const PAIRS = [
  ['main', 'topic'],
  ['topic', 'main'],
  ['main', 'joined'],
  ['cross/one', 'cross/two'],
  ['v2.0/with-slash', 'feature/with/slashes.and.dots'],
  ['light', 'per%cent'],
] as const;

describe('GET /projects/:id/repository/compare', () => {
  itEveryNth(5, PAIRS)('compares %s and %s as git does it with three dots', async (from, to) => {
    const { status, body } = await compare(from, to);
    expect(status).toBe(200);
    const keys = ['commit', 'commits', 'diffs', 'compare_timeout', 'compare_same_ref', 'web_url'];
    expect(Object.keys(body)).toEqual(keys);
    const commits = gitLines(directory, ['log', '--reverse', '--format=%H', `${from}..${to}`]);
    expect(body.commits.map(({ id }: Json) => id)).toEqual(commits);
    expect(body.commit?.id ?? null).toBe(commits.at(-1) ?? null);
    const [base = ''] = gitLines(directory, ['merge-base', from, to]);
    const wanted = gitLines(directory, ['diff-tree', '-r', '-M', '--name-status', base, to]).map((line) => {
      const [kind, ...names] = line.split('\t');
      return [kind?.[0], names[0], names.at(-1)];
    });
    const letter = (entry: Json) => (entry.new_file ? 'A' : entry.deleted_file ? 'D' : entry.renamed_file ? 'R' : 'M');
    expect(body.diffs.map((entry: Json) => [letter(entry), entry.old_path, entry.new_path])).toEqual(wanted);
    expect([body.compare_timeout, body.compare_same_ref]).toEqual([false, false]);
  });

  it('finds nothing between a commit and itself, however it is named', async () => {
    const sha = git(directory, ['rev-parse', 'topic']).trim();
    expect((await compare('topic', sha)).body).toEqual({
      commit: null,
      commits: [],
      diffs: [],
      compare_timeout: false,
      compare_same_ref: true,
      web_url: expect.stringMatching(/\/-\/compare\/[0-9a-f]{40}\.\.\.[0-9a-f]{40}$/),
    });
  });

  it('compares histories that never met as they are', async () => {
    expect(gitCode(directory, ['merge-base', 'main', 'island'])).toBe(1);
    const { status, body } = await compare('main', 'island');
    expect([status, body.commits.length]).toEqual([200, 1]);
    const names = gitLines(directory, ['diff-tree', '-r', '-M', '--name-only', 'main', 'island']);
    expect(body.diffs.length).toBe(names.length);
  });

  it('says when there is too much to compare', LONG, async () => {
    const history = new HistoryBuilder();
    const first = history.commit({ branch: 'main', changes: [{ path: 'a', content: 'a' }] });
    history.commit({ branch: 'large', from: [first], changes: [{ path: 'b', content: 'line\n'.repeat(400_000) }] });
    const own = await world.project({ owner });
    await fillRepository(world, own, history.build());
    const { body } = await api.get(`/projects/${own.id}/repository/compare?from=main&to=large`);
    expect(body).toMatchObject({ compare_timeout: true, diffs: [{ new_path: 'b', diff: '', too_large: true }] });
  });

  it('400 without its parameters, 404 for unknown refs and in an empty repository', async () => {
    expect(await api.get(at)).toMatchObject({ status: 400, body: { error: 'from is missing, to is missing' } });
    const empty = await world.project({ owner });
    const answers = [
      await compare('missing', 'main'),
      await compare('main', 'missing'),
      await compare('main', ''),
      await api.get(`/projects/${empty.id}/repository/compare?from=a&to=b`),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 404, body: { message: '404 Commit Not Found' } });
    }
  });

  it('is the same in GraphQL', async () => {
    const query = `query ($ref: ProjectRef!) { project(ref: $ref) { repository { compare(from: "main", to: "joined") {
      sameRef timeout allCommits { title } diffs { newPath newFile additions } } } } }`;
    const { body } = await world.graphql(query, { ref: project.id }, owner);
    expect(body.data.project.repository.compare).toMatchObject({
      sameRef: false,
      timeout: false,
      diffs: [{ newPath: 'island.txt', newFile: true, additions: 1 }],
    });
  });
});

// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { run } from '../support/git_client.ts';
import { HistoryBuilder } from '../support/git_history.ts';
import { git, gitLines } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { fillRepository } from '../support/repository.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);

const ADA = 'Ada Example <ada@example.com>';
const BOB = 'Bob Example <bob@example.com>';

/** Two authors, a merge, and a third one on top. */
function history(): string {
  const h = new HistoryBuilder();
  const first = h.commit({ branch: 'main', changes: [{ path: 'a', content: '1\n2\n3\n' }], author: ADA });
  const left = h.commit({ branch: 'main', from: [first], changes: [{ path: 'a', content: '1\nx\n' }], author: BOB });
  const right = h.commit({
    branch: 'side',
    from: [first],
    changes: [{ path: 'b', content: 'b\n' }],
    author: 'Ada Renamed <ada@example.com>',
  });
  const merge = h.commit({
    branch: 'main',
    from: [left, right],
    changes: [{ path: 'b', content: 'b\n' }],
    author: 'Merger <merger@example.com>',
  });
  h.commit({ branch: 'next', from: [merge], changes: [{ path: 'c', content: 'c\nc\n' }], author: BOB });
  return h.build();
}

/** What git counts, by address. */
function oracle(directory: string, ref: string): Record<string, number[]> {
  const found: Record<string, number[]> = {};
  for (const sha of gitLines(directory, ['rev-list', '--no-merges', ref])) {
    const email = git(directory, ['log', '-1', '--format=%ae', sha]).trim();
    const counts = found[email] ?? [0, 0, 0];
    found[email] = counts;
    counts[0] = (counts[0] ?? 0) + 1;
    for (const line of gitLines(directory, ['log', '-1', '--format=', '--numstat', '-M', '--root', sha])) {
      const [added, removed] = line.split('\t').map(Number);
      counts[1] = (counts[1] ?? 0) + (added || 0);
      counts[2] = (counts[2] ?? 0) + (removed || 0);
    }
  }
  return found;
}

const counted = (body: Json) =>
  Object.fromEntries(body.map((one: Json) => [one.email, [one.commits, one.additions, one.deletions]]));

describe('GET /projects/:id/repository/contributors', () => {
  it('counts commits and lines by address, merges left out, with exactly the keys of the contract', LONG, async () => {
    const project = await world.project({ owner });
    const directory = await fillRepository(world, project, history());
    const { status, headers, body } = await api.get(`/projects/${project.id}/repository/contributors`);
    expect([status, headers['x-total']]).toEqual([200, '2']);
    for (const one of body) expect(Object.keys(one)).toEqual(['name', 'email', 'commits', 'additions', 'deletions']);
    expect(counted(body)).toEqual(oracle(directory, 'main'));
    expect(body.map(({ name }: Json) => name)).toEqual(['Ada Renamed', 'Bob Example']);
  });

  it('adds what comes behind the tip that it knows, and starts anew behind another one', LONG, async () => {
    const project = await world.project({ owner });
    const directory = await fillRepository(world, project, history());
    const at = `/projects/${project.id}/repository/contributors`;
    await api.get(at);
    git(directory, ['update-ref', 'refs/heads/main', 'refs/heads/next']);
    const extended = await api.get(at);
    expect(counted(extended.body)).toEqual(oracle(directory, 'main'));
    expect(extended.body.map(({ email }: Json) => email)).toEqual(['bob@example.com', 'ada@example.com']);
    git(directory, ['update-ref', 'refs/heads/main', 'refs/heads/side']);
    const other = await api.get(at);
    expect(counted(other.body)).toEqual(oracle(directory, 'main'));
  });

  it('counts long histories in parts, and keeps the answer for the next process', LONG, async () => {
    const h = new HistoryBuilder();
    let tip = h.commit({ branch: 'main', changes: [{ path: 'f', content: '0\n' }], author: ADA });
    for (let at = 1; at < 2_300; at++) {
      const changes = [{ path: `d${at % 7}/f${at % 90}`, content: `${at}\n`.repeat(1 + (at % 5)) }];
      tip = h.commit({ branch: 'main', from: [tip], changes, author: `A${at % 41} <a${at % 41}@example.com>` });
    }
    const project = await world.project({ owner });
    const directory = await fillRepository(world, project, h.build({ packed: true }));
    const at = `/projects/${project.id}/repository/contributors?per_page=100`;
    const expected: Record<string, number[]> = {};
    for (const block of git(directory, ['log', '--numstat', '-M', '--format=%x01%ae', 'main']).split('\x01').slice(1)) {
      const [email = '', ...lines] = block.split('\n');
      const row = expected[email] ?? [0, 0, 0];
      expected[email] = row;
      row[0] = (row[0] ?? 0) + 1;
      for (const line of lines) row[1] = (row[1] ?? 0) + (Number(line.split('\t')[0]) || 0);
      for (const line of lines) row[2] = (row[2] ?? 0) + (Number(line.split('\t')[1]) || 0);
    }
    expect(counted((await api.get(at)).body)).toEqual(expected);
    const select = { tip: true, contributors: true };
    const kept = await world.db.contributorCount.findUniqueOrThrow({ where: { projectId: project.id }, select });
    expect(kept.tip).toBe(git(directory, ['rev-parse', 'main']).trim());

    // Another process knows nothing but what was kept; a mark in it shows that it was used.
    const marked = JSON.parse(kept.contributors).map((one: Json) => ({ ...one, name: 'Kept' }));
    const data = { contributors: JSON.stringify(marked) };
    await world.db.contributorCount.update({ where: { projectId: project.id }, data });
    await world.repositories.forget(project);
    const again = await api.get(at);
    expect(new Set(again.body.map(({ name }: Json) => name))).toEqual(new Set(['Kept']));
    expect(counted(again.body)).toEqual(expected);

    // What was kept for a commit that is gone is of no use.
    await world.db.contributorCount.update({ where: { projectId: project.id }, data: { tip: '1'.repeat(40) } });
    await world.repositories.forget(project);
    const anew = await api.get(at);
    expect(anew.body.map(({ name }: Json) => name)).not.toContain('Kept');
    expect(counted(anew.body)).toEqual(expected);
  });

  it('are counted by a job when many commits were pushed', LONG, async () => {
    const h = new HistoryBuilder();
    let tip = h.commit({ branch: 'main', changes: [{ path: 'f', content: '0\n' }], author: ADA });
    for (let at = 1; at < 1_100; at++) {
      tip = h.commit({ branch: 'main', from: [tip], changes: [{ path: 'f', content: `${at}\n` }], author: BOB });
    }
    const project = await world.project({ owner });
    const source = h.build();
    await run(
      source,
      'push',
      '--quiet',
      `${world.url.replace('//', `//oauth2:${owner.token}@`)}/${project.fullPath}.git`,
      'main',
    );
    const kept = () => world.db.contributorCount.findUnique({ where: { projectId: project.id } });
    await world.until(async () => (await kept()) !== null);
    expect(await kept()).toMatchObject({ tip: git(source, ['rev-parse', 'main']).trim(), commits: 1_100 });
    expect(counted(JSON.parse((await kept())?.contributors ?? '[]'))).toEqual({
      'bob@example.com': [1_099, 1_099, 1_099],
      'ada@example.com': [1, 1, 0],
    });
  });

  it('is the same for many who ask at once, and paginated', LONG, async () => {
    const project = await world.project({ owner });
    await fillRepository(world, project, history());
    const at = `/projects/${project.id}/repository/contributors`;
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.get(at)));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const { headers, body } = await api.get(`${at}?per_page=1&page=2`);
    expect([headers['x-total'], body]).toEqual(['2', [answers[0]?.body[1]]]);
  });

  it('gives nothing for an empty repository', async () => {
    const { id } = await world.project({ owner });
    const { status, headers, body } = await api.get(`/projects/${id}/repository/contributors`);
    expect([status, headers['x-total'], body]).toEqual([200, '0', []]);
  });

  it('is the same in GraphQL', LONG, async () => {
    const project = await world.project({ owner });
    await fillRepository(world, project, history());
    const query = `{ project(ref: ${project.id}) { repository { contributors { totalCount nodes { email commits } } } } }`;
    const { body } = await world.graphql(query, {}, owner);
    expect(body.data.project.repository.contributors).toEqual({
      totalCount: 2,
      nodes: [
        { email: 'ada@example.com', commits: 2 },
        { email: 'bob@example.com', commits: 1 },
      ],
    });
  });
});

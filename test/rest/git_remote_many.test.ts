// Each test takes long: the long run has them all.
// @module-tag long
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { pushRefs } from '#src/domain/repository/record.ts';
import { commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { git, gitLines } from '../support/git_program.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const address = (project: { fullPath: string }) =>
  `${world.url.replace('http://', `http://${owner.username}:${owner.token}@`)}/${project.fullPath}.git`;

/** A working copy with some commits on `main`, and as many branches and tags that lead to them. */
async function manyRefs(count: number) {
  const work = await workingCopy();
  const commits: string[] = [];
  for (let at = 0; at < 5; at++) commits.push(await commitFile(work, 'a.txt', `${at}\n`));
  const folder = path.join(work, '.git');
  await run(work, 'tag', '-a', '-m', 'Notes', 'annotated', 'main');
  const annotation = await run(work, 'rev-parse', 'annotated');
  const lines = Array.from({ length: count - 2 }, (_, at) => {
    if (at % 10 === 0) return `create refs/tags/t/${at} ${annotation}\n`;
    return `create refs/heads/b/${at} ${commits[at % commits.length]}\n`;
  });
  git(folder, ['update-ref', '--stdin'], lines.join(''));
  return { work, folder };
}

const refsOf = (directory: string) => gitLines(directory, ['show-ref', '-d']);

describe('A mirror push of 2,000 refs', () => {
  it('arrives whole and is recorded, and what others write meanwhile is not lost', {
    timeout: 120_000,
  }, async () => {
    const project = await world.project({ owner });
    const { work, folder } = await manyRefs(2_000);
    await run(work, 'push', '--quiet', address(project), 'main');
    const api = world.api(owner);
    const commits: string[] = [];
    await api.post(`/projects/${project.id}/repository/branches`, { branch: 'own', ref: 'main' });
    const pushing = gitClient(work, 'push', address(project), 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*');
    let isPushing = true;
    const end = pushing.finally(() => {
      isPushing = false;
    });
    for (let at = 0; isPushing; at++) {
      const actions = [{ action: 'create', file_path: `f${at}`, content: `${at}` }];
      const { status, body } = await api.post(`/projects/${project.id}/repository/commits`, {
        branch: 'own',
        commit_message: `Add f${at}`,
        actions,
      });
      expect(status).toBe(201);
      commits.unshift(body.id);
    }
    expect((await end).code).toBe(0);
    expect(commits.length).toBeGreaterThan(1);

    const directory = world.repositories.directory(project);
    const ofOthers = (line: string) => line.endsWith(' refs/heads/own');
    expect(refsOf(directory).filter((line) => !ofOthers(line))).toEqual(refsOf(folder));
    expect(gitLines(directory, ['rev-list', 'main..own'])).toEqual(commits);
    expect(git(directory, ['fsck', '--strict'])).toBe('');
    const recorded = await world.db.recordedRef.findMany({ where: { projectId: project.id } });
    const values = recorded.map(({ name, oid }) => `${oid} ${name}`);
    expect(values.toSorted()).toEqual(gitLines(directory, ['show-ref']).toSorted());
    const events = { projectId: project.id, action: 'pushed new' };
    expect(await world.db.event.count({ where: events })).toBe(2_001);
    const { body, headers } = await api.get(`/projects/${project.id}/repository/tags?per_page=1`);
    expect([headers['x-total'], body[0].commit.id]).toEqual(['201', await run(work, 'rev-parse', 'main')]);

    // And goes again, with the branches that were written meanwhile.
    await run(work, 'push', '--quiet', '--mirror', address(project));
    expect(refsOf(directory)).toEqual(refsOf(folder));
    const gone = git(folder, ['for-each-ref', '--format=delete %(refname)', 'refs/heads/b', 'refs/tags/t']);
    git(folder, ['update-ref', '--stdin'], gone);
    await run(work, 'push', '--quiet', '--mirror', address(project));
    expect(refsOf(directory)).toEqual(refsOf(folder));
    expect(await world.db.recordedRef.count({ where: { projectId: project.id } })).toBe(2);
  });
});

describe('A lock on packed refs', () => {
  it('that a crash left is removed, and that of somebody at work is not', async () => {
    const project = await world.project({ owner });
    const work = await workingCopy();
    await commitFile(work, 'a.txt', 'one\n');
    await run(work, 'push', '--quiet', address(project), 'main');
    const names = Array.from({ length: 5 }, (_, at) => `main:refs/heads/b${at}`);
    const directory = world.repositories.directory(project);
    const lock = path.join(directory, 'packed-refs.lock');
    writeFileSync(lock, '');
    const { code, said } = await gitClient(work, 'push', address(project), ...names);
    expect([code, said]).toEqual([1, expect.stringContaining('packed-refs is locked')]);
    expect(gitLines(directory, ['for-each-ref', '--format=%(refname)'])).toEqual(['refs/heads/main']);
    const before = Date.now() / 1000 - 24 * 60 * 60;
    utimesSync(lock, before, before);
    await run(work, 'push', '--quiet', address(project), ...names);
    expect(existsSync(lock)).toBe(false);
    expect(gitLines(directory, ['for-each-ref'])).toHaveLength(6);
  });
});

describe('An atomic push', () => {
  it('that is overtaken leaves refs and record as they were', async () => {
    const project = await world.project({ owner });
    const work = await workingCopy();
    const first = await commitFile(work, 'a.txt', 'one\n');
    const second = await commitFile(work, 'a.txt', 'two\n');
    await run(work, 'push', '--quiet', address(project), `${first}:refs/heads/main`, `${second}:refs/heads/other`);
    const directory = world.repositories.directory(project);
    const state = async () => [
      refsOf(directory),
      await world.db.event.count({ where: { projectId: project.id } }),
      await world.db.recordedRef.findMany({ where: { projectId: project.id }, orderBy: { name: 'asc' } }),
      await world.db.projectCounters.findUnique({ where: { projectId: project.id } }),
    ];
    const before = await state();
    const changes = [
      { name: 'refs/heads/main', from: first, to: second },
      { name: 'refs/heads/new', from: null, to: second },
      // Somebody else has moved it since the client looked.
      { name: 'refs/heads/other', from: first, to: second },
    ];
    const outcomes = await pushRefs(world.as(owner), owner, project, changes, undefined, { atomic: true });
    expect(outcomes.map(({ error }) => error?.name)).toEqual(['NotAlone', 'NotAlone', 'RefChanged']);
    expect(await state()).toEqual(before);
    await run(work, 'push', '--quiet', '--atomic', address(project), 'main', 'main:new');
    expect(gitLines(directory, ['show-ref'])).toEqual([
      `${second} refs/heads/main`,
      `${second} refs/heads/new`,
      `${second} refs/heads/other`,
    ]);
    expect(await world.db.event.count({ where: { projectId: project.id } })).toBe(Number(before[1]) + 2);
  });
});

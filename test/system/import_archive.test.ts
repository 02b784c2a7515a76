import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tarOf } from '../support/gitlab_archives.ts';
import { freePort } from '../support/own_postgres.ts';
import { gantry, printed, scratchDirectory, settings, startServer } from '../support/server_process.ts';

// The command of docs/moving-in.md.
test('gantry import archive has the running server import an archive of GitLab, and lists what is left out', async () => {
  const { directory, remove } = scratchDirectory();
  const env = settings(path.join(directory, 'data'));
  const server = await startServer(env);
  try {
    const token = printed(server.output(), 'Private token') ?? '';
    const headers = { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' };
    const api = async (route: string) => (await fetch(`${server.url}/api/v4${route}`, { headers })).json();
    const { username } = (await api('/user')) as { username: string };
    await fetch(`${server.url}/api/v4/groups`, { method: 'POST', headers, body: '{"name":"team","path":"team"}' });
    const file = path.join(directory, 'export.tar.gz');
    writeFileSync(
      file,
      await tarOf({
        VERSION: '0.2.4',
        'tree/project.json': { description: 'Moved in' },
        'tree/project/issues.ndjson': [{ iid: 7, title: 'Fruit falls', author_id: 1, state: 'opened' }],
        'tree/project/triggers.ndjson': [{ token: 'x' }, { token: 'y' }],
      }),
    );
    const words = ['import', 'archive', file, '--into', 'team/shop', '--user', username];
    const done = await gantry(words, env);
    expect(done).toMatchObject({ status: 0 });
    expect(done.stdout).toBe(
      'Imported team/shop.\nWhat did not come along:\n' +
        '  triggers, line 1: Gantry does not take records of this kind along. (2 times)\n',
    );
    expect(await api('/projects/team%2Fshop')).toMatchObject({ description: 'Moved in' });
    expect(await api('/projects/team%2Fshop/issues')).toEqual([expect.objectContaining({ iid: 7 })]);
    const again = await gantry(words, env);
    expect(again.status).toBe(1);
    expect(again.stderr).toMatch(/has already been taken/);
    writeFileSync(file, await tarOf({ VERSION: '0.2.4' }));
    const bad = await gantry([...words.slice(0, 4), 'team/bad', ...words.slice(5)], env);
    expect(bad.status).toBe(1);
    expect(bad.stderr).toMatch(/team\/bad was not imported: The archive has no tree\/project\.json/);
  } finally {
    await server.end('SIGTERM');
    remove();
  }
});

test('gantry import gitlab-group brings a group with its projects from another server, and says how each part ended', async () => {
  const { directory, remove } = scratchDirectory();
  const PORT = String(await freePort());
  // The other server is this one.
  const env = settings(path.join(directory, 'data'), { PORT, GANTRY_IMPORT_HOSTS: `127.0.0.1:${PORT}` });
  const server = await startServer(env);
  try {
    const token = printed(server.output(), 'Private token') ?? '';
    const headers = { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' };
    const api = async (method: string, route: string, body?: object) => {
      const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      return (await (await fetch(`${server.url}/api/v4${route}`, sent)).json()) as { id: number; username: string };
    };
    const { username } = await api('GET', '/user');
    const group = await api('POST', '/groups', { name: 'Team', path: 'team', description: 'Who works' });
    await api('POST', '/groups', { name: 'Sub', path: 'sub', parent_id: group.id });
    const project = await api('POST', '/projects', { name: 'shop', namespace_id: group.id });
    await api('POST', `/projects/${project.id}/issues`, { title: 'Came along' });
    const words = ['import', 'gitlab-group', 'team', '--user', username, '--url', `http://127.0.0.1:${PORT}`];
    const given = { ...env, GANTRY_IMPORT_TOKEN: token };
    const done = await gantry([...words, '--path', 'moved'], given);
    expect([done.status, done.stderr]).toEqual([0, '']);
    for (const place of ['moved', 'moved/shop']) expect(done.stdout).toContain(`${place}: finished\n`);
    expect(await api('GET', '/groups/moved%2Fsub')).toMatchObject({ full_path: 'moved/sub' });
    expect(await api('GET', '/groups/moved')).toMatchObject({ description: 'Who works' });
    expect(await api('GET', '/projects/moved%2Fshop/issues')).toEqual([
      expect.objectContaining({ title: 'Came along' }),
    ]);
    const alone = await gantry([...words, '--path', 'alone', '--without-projects'], given);
    expect(alone.status).toBe(0);
    expect(await api('GET', '/groups/alone/projects')).toEqual([]);
    const wrong = await gantry([...words, '--path', 'none'], { ...env, GANTRY_IMPORT_TOKEN: 'wrong' });
    expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringMatching(/token/i)]);
  } finally {
    await server.end('SIGTERM');
    remove();
  }
});

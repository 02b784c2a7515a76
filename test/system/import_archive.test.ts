import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tarOf } from '../support/gitlab_archives.ts';
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

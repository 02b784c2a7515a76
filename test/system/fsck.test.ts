import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { gantry, printed, scratchDirectory, settings, startServer } from '../support/server_process.ts';

test('gantry fsck names what is wrong, beside a server that runs and without one, and says so by its exit status', async () => {
  const own = scratchDirectory();
  const server = await startServer(settings(own.directory));
  const headers = {
    'PRIVATE-TOKEN': printed(server.output(), 'Private token') ?? '',
    'Content-Type': 'application/json',
  };
  const post = async (address: string, body: object) => {
    const answer = await fetch(`${server.url}/api/v4/${address}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(201);
    return (await answer.json()) as { id: number; path_with_namespace: string };
  };
  const project = await post('projects', { name: 'checked' });
  await post(`projects/${project.id}/repository/files/a`, { branch: 'main', content: 'x', commit_message: 'x' });
  const env = settings(own.directory);
  const sound = await gantry(['fsck'], env);
  expect([sound.status, sound.stdout]).toEqual([0, 'Checked 1 project: all is well.\n']);

  const shard = project.id.toString(16).padStart(2, '0');
  const directory = path.join(own.directory, 'repositories', shard, `${project.id}.git`);
  writeFileSync(path.join(directory, 'refs/heads/broken'), `${'dead'.repeat(10)}\n`);
  const broken = await gantry(['fsck', '--project', project.path_with_namespace, '--fix'], env);
  expect(broken.status).toBe(1);
  expect(broken.stdout).toContain(`${project.path_with_namespace}: ${directory}\n  refs/heads/broken leads to dead`);
  expect((await gantry(['fsck', '--project', 'no/where'], env)).stderr).toContain('There is no project "no/where"');
  expect((await gantry(['fsck', '--fast'], env)).status).toBe(2);

  await server.end('SIGTERM');
  const stopped = await gantry(['fsck'], env);
  expect([stopped.status, stopped.stdout]).toEqual([1, expect.stringContaining('refs/heads/broken leads to dead')]);
  own.remove();
});

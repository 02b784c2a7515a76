import { expect, it } from 'vitest';
import { startCommittingWorld } from '../support/commits.ts';

const { world, owner, reporter, guest, filled, committed } = await startCommittingWorld();

it('a whole file of a commit is commented on, as long as the commit has it or takes it away', async () => {
  const { at, project } = await filled([
    { action: 'create', file_path: 'a.txt', content: 'a\n' },
    { action: 'create', file_path: 'gone.txt', content: 'b\n' },
  ]);
  const { id } = await committed(at, [
    { action: 'update', file_path: 'a.txt', content: 'A\n' },
    { action: 'delete', file_path: 'gone.txt' },
  ]);
  const path = `/projects/${project.id}/repository/commits/${id}/discussions`;
  const begin = (new_path: string, who = reporter) => {
    const position = { base_sha: id, start_sha: id, head_sha: id, position_type: 'file', old_path: new_path, new_path };
    return world.api(who).post(path, { body: 'About all of it', position });
  };
  for (const name of ['a.txt', 'gone.txt']) {
    const { status, body } = await begin(name);
    expect([name, status]).toEqual([name, 201]);
    expect(body.notes[0]).toMatchObject({
      type: 'DiffNote',
      position: { position_type: 'file', new_path: name, old_line: null, new_line: null, head_sha: id },
    });
  }
  expect((await begin('none.txt')).status).toBe(400);
  expect((await world.api(reporter).get(path)).body).toHaveLength(2);
  const answers = await Promise.all([begin('a.txt', guest), begin('a.txt', await world.user())]);
  expect(answers.map(({ status }) => status)).toEqual([403, 404]);
  expect((await world.api(owner).get(path)).body).toHaveLength(2);
});

// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

describe('The participants of an issue', () => {
  it('are its author, its assignee, writers of notes and users whom it mentions', async () => {
    const [owner, assignee, writer, mentioned, silent] = await Promise.all(
      Array.from({ length: 5 }, () => world.user()),
    );
    if (!owner || !assignee || !writer || !mentioned || !silent) throw new Error('There are five users');
    const project = await world.project({ owner, visibility: 'public' });
    const { iid } = await world.issue(project, owner, {
      description: `See @${mentioned.username}`,
      assigneeId: assignee.id,
    });
    await world.issue(project, silent);
    await world.api(writer).post(`/projects/${project.id}/issues/${iid}/notes`, { body: 'Me too' });
    await world.api(silent).post(`/projects/${project.id}/issues/${iid}/award_emoji`, { name: 'tada' });
    const query = `query ($ref: ProjectRef!, $iid: Int!) { project(ref: $ref) { issue(iid: $iid) {
      participants { totalCount nodes { username } } } } }`;
    const { data } = (await world.graphql(query, { ref: project.id, iid }, silent)).body;
    const wanted = [owner, assignee, writer, mentioned].sort((one, other) => one.id - other.id);
    expect(data.project.issue.participants).toEqual({
      totalCount: 4,
      nodes: wanted.map(({ username }) => ({ username })),
    });
  });
});

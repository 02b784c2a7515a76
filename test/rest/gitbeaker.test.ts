import { Gitlab } from '@gitbeaker/rest';
import { describe, expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();

describe('A client that was written for /api/v4', () => {
  it('walks the slice: project, labels, milestone, issues; list, filter, page, close, move, delete', async () => {
    const client = new Gitlab({ host: world.url, token: owner.token });
    const project = await client.Projects.create({ name: 'Walk', visibility: 'private' });
    const target = await client.Projects.create({ name: 'Target' });
    expect(await client.Projects.show(`${owner.username}/walk`)).toMatchObject({ id: project.id, name: 'Walk' });

    await client.ProjectLabels.create(project.id, 'bug', 'red');
    await client.ProjectLabels.create(project.id, 'ui', '#00ff00');
    expect((await client.ProjectLabels.all(project.id)).map(({ name }) => name)).toEqual(['bug', 'ui']);

    const milestone = await client.ProjectMilestones.create(project.id, 'v1', { dueDate: '2031-01-01' });
    for (let n = 1; n <= 25; n += 1) {
      const labels = n % 2 === 0 ? 'bug,ui' : 'bug';
      await client.Issues.create(project.id, `Issue ${n}`, {
        labels,
        ...(n === 3 ? { milestoneId: milestone.id } : {}),
      });
    }

    const all = await client.Issues.all({ projectId: project.id, sort: 'asc' });
    expect(all.map(({ iid }) => iid)).toEqual(Array.from({ length: 25 }, (_, n) => n + 1));
    expect(await client.Issues.all({ projectId: project.id, labels: 'bug,ui' })).toHaveLength(12);
    expect(await client.Issues.all({ projectId: project.id, milestone: 'v1' })).toMatchObject([{ title: 'Issue 3' }]);
    const page = await client.Issues.all({
      projectId: project.id,
      perPage: 10,
      page: 3,
      pagination: 'offset',
      showExpanded: true,
    });
    expect([page.data.length, page.paginationInfo]).toMatchObject([
      5,
      { total: 25, totalPages: 3, previous: 2, next: null },
    ]);

    expect(await client.Issues.edit(project.id, 1, { stateEvent: 'close' })).toMatchObject({ state: 'closed' });
    expect(await client.Issues.all({ projectId: project.id, state: 'closed' })).toMatchObject([{ iid: 1 }]);
    expect(await client.Issues.move(project.id, 2, target.id)).toMatchObject({
      project_id: target.id,
      iid: 1,
      title: 'Issue 2',
    });
    await client.Issues.remove(project.id, 5);
    expect(await client.Issues.all({ projectId: project.id, iids: [4, 5, 6], sort: 'asc' })).toMatchObject([
      { iid: 4 },
      { iid: 6 },
    ]);
    await expect(client.Issues.show(5, { projectId: project.id })).rejects.toThrow();
  });
});

import { describe, expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);

const assignees = await Promise.all(Array.from({ length: 6 }, () => world.user()));

/** A project in a group, with that many of everything; the same number in every list. */
async function filled(count: number) {
  const author = await world.user();
  const group = await world.group({ owner, visibility: 'private' });
  const project = await world.project({ owner, namespaceId: group.id });
  await world.member(group, author, 'master');
  const milestone = await world.milestone(project, owner);
  for (const assignee of assignees) await world.member(project, assignee, 'guest');
  for (let n = 1; n <= count; n += 1) {
    const label = await world.label(project, owner);
    const assigneeId = assignees[n % assignees.length]?.id;
    await world.issue(project, author, { labels: [label.title], milestoneId: milestone.id, assigneeId });
    await world.mergeRequest(project, author, { iid: n, milestoneId: milestone.id });
    if (n > 1) await world.milestone(project, owner);
  }
  return { author, group, project, milestone };
}

const few = await filled(1);
const many = await filled(30);

const LISTS: Record<string, (at: typeof few) => string> = {
  'the issues of a project': ({ project }) => `/projects/${project.id}/issues`,
  'the issues of a project by labels and search': ({ project }) =>
    `/projects/${project.id}/issues?search=i&milestone=%23started`,
  'the issues of a group': ({ group }) => `/groups/${group.id}/issues`,
  'the labels of a project': ({ project }) => `/projects/${project.id}/labels`,
  'the milestones of a project': ({ project }) => `/projects/${project.id}/milestones`,
  'the issues of a milestone': ({ project, milestone }) => `/projects/${project.id}/milestones/${milestone.id}/issues`,
  'the merge requests of a milestone': ({ project, milestone }) =>
    `/projects/${project.id}/milestones/${milestone.id}/merge_requests`,
};

describe('However long it is, the list of', () => {
  it.each(Object.entries(LISTS))('%s takes the same few statements', async (name, path) => {
    const lengths: number[] = [];
    // The first request of a kind shows what the others read.
    await api.get(path(few));
    const count = async (at: typeof few) =>
      (
        await world.statements(async () => {
          const { status, body } = await api.get(`${path(at)}${path(at).includes('?') ? '&' : '?'}per_page=100`);
          expect(status).toBe(200);
          lengths.push(body.length);
        })
      ).length;
    const [short, long] = [await count(few), await count(many)];
    if (!name.includes('search')) expect(lengths).toEqual([1, 30]);
    expect(long).toBe(short);
    expect(short).toBeGreaterThan(0);
    expect(short).toBeLessThanOrEqual(5);
  });

  it('own issues takes the same few statements', async () => {
    const count = async ({ author }: typeof few) =>
      (await world.statements(() => world.api(author).get('/issues?per_page=100'))).length;
    const [short, long] = [await count(few), await count(many)];
    expect([long, short <= 4]).toEqual([short, true]);
  });

  it('issues in GraphQL, with project and subscription of each, takes the same few statements', async () => {
    const query = `query ($ref: ProjectRef!) { project(ref: $ref) { issues(limit: 100) { totalCount nodes { title viewerSubscribed
      author { username } assignee { username } milestone { title } project { name } } } } }`;
    const count = async ({ project }: typeof few) =>
      (await world.statements(() => world.graphql(query, { ref: project.id }, owner))).length;
    await count(few);
    const [short, long] = [await count(few), await count(many)];
    expect(long).toBe(short);
    expect(short).toBeLessThanOrEqual(5);
  });
});

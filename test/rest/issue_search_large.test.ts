import { expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const group = await world.group({ owner });
const project = await world.project({ owner, namespaceId: group.id });
const other = await world.project({ owner, namespaceId: group.id });

/** What a project counts that has had so many issues: it then goes by what has the text anywhere. */
const haveHad = (count: number) =>
  world.db.$executeRaw`UPDATE project_counters SET last_issue_iid = ${count} WHERE project_id = ${project.id}`;

it('finds in a project with many issues what it finds in one with few, and nothing else', async () => {
  const guest = await world.user();
  await world.member(project, guest, 'guest');
  for (const title of ['A heron', 'Another one', 'The last heron']) await world.issue(project, owner, { title });
  await world.issue(project, owner, { title: 'Described', description: 'Herons as well' });
  await world.issue(project, owner, { title: 'A secret heron', confidential: true });
  const gone = await world.issue(project, owner, { title: 'A heron that is gone' });
  await world.api(owner).delete(`/projects/${project.id}/issues/${gone.iid}`);
  const closed = await world.issue(project, owner, { title: 'A closed heron' });
  await world.api(owner).put(`/projects/${project.id}/issues/${closed.iid}`, { state_event: 'close' });
  await world.issue(other, owner, { title: 'A heron elsewhere' });
  const asked = [
    'search=heron',
    'search=heron&state=opened',
    'search=heron&in=title&order_by=title&sort=asc',
    'search=heron&order_by=popularity',
    'search=heron&per_page=2&page=2&sort=asc',
    'search=nothing+has+this',
  ];
  const answers = async () => {
    const found: unknown[] = [];
    for (const who of [owner, guest]) {
      for (const query of asked) {
        const { body, headers } = await world.api(who).get(`/projects/${project.id}/issues?${query}`);
        found.push([query, headers['x-total'], body.map(({ title }: { title: string }) => title)]);
      }
    }
    return found;
  };
  await haveHad(7);
  const few = await answers();
  expect(few[0]).toEqual([
    'search=heron',
    '5',
    ['A closed heron', 'A secret heron', 'Described', 'The last heron', 'A heron'],
  ]);
  expect(few[6]).toEqual(['search=heron', '4', ['A closed heron', 'Described', 'The last heron', 'A heron']]);
  await haveHad(5_001);
  expect(await answers()).toEqual(few);
});

it('finds in a group what its projects have, and of a milestone what the caller wrote', async () => {
  const api = world.api(owner);
  const { body } = await api.get(`/groups/${group.id}/issues?search=heron&in=title&sort=asc`);
  expect(body.map(({ title }: { title: string }) => title)).toEqual([
    'A heron',
    'The last heron',
    'A secret heron',
    'A closed heron',
    'A heron elsewhere',
  ]);
  const milestone = await world.milestone(project, owner, { title: 'Spring' });
  const writer = await world.user();
  await world.member(project, writer, 'developer');
  const mine = await world.issue(project, writer, { title: 'Mine' });
  const theirs = await world.issue(project, owner, { title: 'Theirs' });
  await world.issue(project, writer, { title: 'Mine without' });
  await world.db.issue.updateMany({
    where: { id: { in: [mine.id, theirs.id] } },
    data: { milestoneId: milestone.id },
  });
  const titles = async (query: string) =>
    (await world.api(writer).get(`/issues?${query}`)).body.map(({ title }: { title: string }) => title);
  expect(await titles('milestone=Spring')).toEqual(['Mine']);
  expect(await titles('milestone=None')).toEqual(['Mine without']);
  expect(await titles('milestone=Autumn')).toEqual([]);
  expect(await titles('scope=all&milestone=Spring')).toEqual(['Theirs', 'Mine']);
});

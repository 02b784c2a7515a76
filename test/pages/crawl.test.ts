import { expect, it } from 'vitest';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

/** All addresses of pages in an answer. */
function addressesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(addressesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    ['web_url', 'target_url'].includes(name) && typeof inner === 'string' ? [inner] : addressesIn(inner),
  );
}

it('every address of a page that REST hands out has /-/ before the resource and leads to a page', async () => {
  const owner = await world.user();
  const group = await world.group({ owner, visibility: 'internal' });
  const below = await world.group({ owner, parentId: group.fullPath, visibility: 'internal' });
  const project = await world.project({ owner, namespaceId: below.id, visibility: 'internal' });
  const { body: milestone } = await world.api(owner).post(`/projects/${project.id}/milestones`, { title: 'One' });
  await world.issue(project, owner, { assigneeIds: [owner.id], milestoneId: milestone.id });
  await world.api(owner).post('/snippets', { title: 'a', file_name: 'a', content: 'a', visibility: 'internal' });
  const at = `/projects/${project.id}`;
  const paths = ['/projects', '/groups', '/user', '/users', '/issues', '/todos', '/snippets', at, `${at}/issues`];
  paths.push(
    `${at}/milestones`,
    `${at}/members`,
    `${at}/boards`,
    `/groups/${group.id}`,
    `/groups/${group.id}/projects`,
  );
  const found = new Set<string>();
  for (const path of paths) {
    const { status, body } = await world.api(owner).get(path);
    expect([path, status]).toEqual([path, 200]);
    for (const address of addressesIn(body)) found.add(address);
  }
  const addresses = [...found].map((address) => address.replace(world.url, ''));
  expect(addresses.length).toBeGreaterThan(5);
  expect(
    addresses.filter((address) =>
      /\/(?:issues|merge_requests|milestones|snippets)\/\d/.test(address.replaceAll('/-/', '')),
    ),
  ).toEqual([]);
  const browser = await signedIn(world, owner);
  for (const address of addresses) expect([address, (await browser.get(address)).status]).toEqual([address, 200]);
});

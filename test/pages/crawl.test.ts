import { expect, it } from 'vitest';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

/** Pages that are not there yet, by what their addresses hold behind `/-/`. */
const NOT_YET =
  /\/-\/(?:tree|blob|raw|blame|commits?|compare|branches|tags|issues\/|merge_requests|labels|milestones|boards|snippets)/;

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
  expect(addresses.filter((address) => NOT_YET.test(address)).length).toBeGreaterThan(2);
  // Projects have their first page beside these.
  const now = addresses.filter((address) => !NOT_YET.test(address) && address !== `/${project.fullPath}`);
  expect(now.length).toBeGreaterThan(2);
  expect(
    addresses.filter((address) =>
      /\/(?:issues|merge_requests|milestones|snippets)\/\d/.test(address.replaceAll('/-/', '')),
    ),
  ).toEqual([]);
  const browser = await signedIn(world, owner);
  for (const address of now) expect([address, (await browser.get(address)).status]).toEqual([address, 200]);
});

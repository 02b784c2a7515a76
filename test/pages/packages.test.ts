import { expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

async function projectWithPackages(visibility: 'public' | 'private') {
  const owner = await world.user();
  const project = await world.project({ owner, visibility });
  const publish = async (version: string, name: string) => {
    const address = `${world.url}/api/v4/projects/${project.id}/packages/generic/app/${version}/${name}`;
    const answer = await fetch(address, { method: 'PUT', body: '12345', headers: { 'private-token': owner.token } });
    expect(answer.status).toBe(201);
  };
  await publish('1.0', 'old.txt');
  await publish('2.0', 'app.txt');
  await publish('2.0', 'bin/tool.txt');
  const idOf = async (version: string) =>
    (await world.db.package.findFirstOrThrow({ where: { projectId: project.id, version } })).id;
  return { owner, project, at: `/${project.fullPath}/-/packages`, first: await idOf('1.0'), second: await idOf('2.0') };
}

it('The page of a package has its files, how it is installed, and its other versions', async () => {
  const { owner, project, at, first, second } = await projectWithPackages('private');
  const browser = await signedIn(world, owner);
  await browser.get(`/${project.fullPath}`);
  expect(browser.page).toContain(`href="${at}"`);
  await browser.get(at);
  expect(browser.page).toContain(`href="${at}/${second}"`);
  await browser.get(`${at}/${second}`);
  expect(browser.page).toContain('app 2.0</h1>');
  for (const name of ['app.txt', 'bin/tool.txt']) {
    expect(browser.page).toContain(`href="/api/v4/projects/${project.id}/packages/generic/app/2.0/${name}"`);
  }
  expect(browser.page).toContain('5 bytes');
  // Of "12345".
  expect(browser.page).toContain('5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5');
  expect(browser.page).toContain(`by Name of ${owner.username}`);
  expect(browser.page).not.toContain('old.txt');
  expect(browser.page).toContain(`href="${at}/${first}"`);
  expect(browser.page).toContain(`href="${at}/${second}/delete"`);
  expect((await browser.get(`${at}/${second + 1_000_000}`)).status).toBe(404);
});

it('It is for those who may read packages, and only maintainers delete from there', LONG, async () => {
  const { project, at, second } = await projectWithPackages('private');
  const reporter = await world.user();
  const guest = await world.user();
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  const seen = await signedIn(world, reporter);
  await seen.get(`${at}/${second}`);
  expect(seen.page).toContain('app.txt');
  expect(seen.page).not.toContain('/delete"');
  for (const [other, status] of [
    [guest, 403],
    [await world.user(), 404],
  ] as const) {
    const browser = await signedIn(world, other);
    expect((await browser.get(`${at}/${second}`)).status).toBe(status);
    expect(browser.page).not.toContain('app.txt');
  }
  const stranger = new Browser(world.send);
  expect((await stranger.get(`${at}/${second}`)).status).not.toBe(200);
  const open = await projectWithPackages('public');
  const visitor = new Browser(world.send);
  await visitor.get(`${open.at}/${open.second}`);
  expect(visitor.page).toContain('app.txt');
  expect(visitor.page).not.toContain('/delete"');
  // The package of another project is not found by its number.
  expect((await visitor.get(`${open.at}/${second}`)).status).toBe(404);
});

import { expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { PAGES_HOST, startSites } from '../support/sites.ts';

const { world, publish } = await startSites();
const [owner, developer] = [await world.user(), await world.user()];

async function published() {
  const project = await world.project({ owner, visibility: 'public' });
  await world.member(project, developer, 'developer');
  await publish(owner, project, { 'public/index.html': 'site' });
  return { project, at: `/${project.fullPath}/-/pages` };
}

it('shows where the site is and what was published, deletes a deployment once asked, and restores it', async () => {
  const { project, at } = await published();
  const browser = await signedIn(world, owner);
  await browser.get(at);
  expect(browser.page).toContain(`http://${owner.username}.${PAGES_HOST}/${project.path}/`);
  expect(browser.page).toContain('1 file, 4 bytes');
  const { id } = await world.db.pagesDeployment.findFirstOrThrow({ where: { projectId: project.id } });
  await browser.submit(`${at}/deployments/delete`, { id: String(id) });
  expect(browser.page).toContain('Delete this deployment?');
  expect((await world.db.pagesDeployment.findUniqueOrThrow({ where: { id } })).deletedAt).toBeNull();
  await browser.confirm(`${at}/deployments/delete`, { id: String(id) });
  await browser.follow();
  expect(browser.page).toContain('It can be restored for a day.');
  expect((await world.db.pagesDeployment.findUniqueOrThrow({ where: { id } })).deletedAt).not.toBeNull();
  await browser.submit(`${at}/deployments/restore`, { id: String(id) });
  await browser.follow();
  expect(browser.page).toContain('The deployment was restored.');
});

it('changes who can visit, and how the site is served, and says what is wrong', LONG, async () => {
  const { project, at } = await published();
  const browser = await signedIn(world, owner);
  await browser.get(at);
  await browser.submit(`${at}/access`, { pagesAccess: 'private' });
  await browser.follow();
  expect(browser.page).toContain('Members of the project');
  expect((await world.db.project.findUniqueOrThrow({ where: { id: project.id } })).pagesAccess).toBe('private');
  const settings = { uniqueDomainEnabled: ['false', 'true'], httpsOnly: 'false' };
  expect((await browser.submit(`${at}/settings`, { ...settings, primaryDomain: 'www.example.com' })).status).toBe(422);
  expect(browser.page).toContain('must be a verified domain of the project');
  await browser.submit(`${at}/settings`, { ...settings, primaryDomain: '' });
  expect(await world.db.pagesSettings.findUniqueOrThrow({ where: { projectId: project.id } })).toMatchObject({
    ...{ uniqueDomainEnabled: true, httpsOnly: false, primaryDomain: null },
  });
});

it('adds a domain, says how to prove it, verifies it, and removes it once asked', LONG, async () => {
  const { project, at } = await published();
  Object.assign(world.imports, { resolveTxt: async () => [] });
  const browser = await signedIn(world, owner);
  await browser.get(`${at}/domains`);
  expect((await browser.submit(`${at}/domains`, { domain: 'localhost' })).status).toBe(422);
  await browser.submit(`${at}/domains`, { domain: 'www.example.com' });
  await browser.follow();
  const { verificationCode: code } = await world.db.pagesDomain.findFirstOrThrow({ where: { projectId: project.id } });
  expect(browser.page).toContain('_gantry-pages-verification-code.www.example.com');
  expect(browser.page).toContain(`gantry-pages-verification-code=${code}`);
  Object.assign(world.imports, { resolveTxt: async () => [`gantry-pages-verification-code=${code}`] });
  await browser.submit(`${at}/domains/verify`, { domain: 'www.example.com' });
  await browser.follow();
  expect(browser.page).toContain('The domain is verified and leads to the site.');
  await browser.submit(`${at}/domains/delete`, { domain: 'www.example.com', named: 'www.example.com' });
  expect(browser.page).toContain('Remove www.example.com?');
  await browser.confirm(`${at}/domains/delete`, { domain: 'www.example.com' });
  expect(await world.db.pagesDomain.count({ where: { projectId: project.id } })).toBe(0);
});

it('shows developers what was published alone, and others nothing', async () => {
  const { project, at } = await published();
  await world.db.pagesSettings.create({ data: { projectId: project.id, problem: 'a <b>link</b>', problemJobId: 7 } });
  const browser = await signedIn(world, developer);
  await browser.get(at);
  expect(browser.page).toContain('The last site could not be published: a &lt;b&gt;link');
  expect(browser.page).not.toContain('Who can visit the site');
  expect((await browser.get(`${at}/domains`)).status).toBe(403);
  const other = await signedIn(world, await world.user());
  expect((await other.get(at)).status).toBe(403);
});

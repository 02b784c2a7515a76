import { expect, it } from 'vitest';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

it('The page of image tags protects them, says what is wrong, and has old ones deleted on a schedule', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const browser = await signedIn(world, owner);
  const settings = `/${project.fullPath}/-/settings`;
  const at = `${settings}/container_registry`;
  await browser.get(`${settings}/packages_and_registries`);
  expect(browser.page).toContain(`href="${at}"`);
  await browser.get(at);
  expect(browser.page).toContain('No tags are protected.');
  const levels = { minimumAccessLevelForPush: 'owner', minimumAccessLevelForDelete: 'admin' };
  await browser.submit(`${at}/protections`, { tagNamePattern: '(', immutable: 'false', ...levels });
  expect(browser.page).toContain('is an invalid regular expression');
  await browser.submit(`${at}/protections`, { tagNamePattern: 'v[0-9]+', immutable: 'false', ...levels });
  await browser.get(at);
  expect(browser.page).toContain('Push: Owners · Delete: Administrators');
  // What nobody changes needs no roles.
  await browser.submit(`${at}/protections`, { tagNamePattern: 'release', immutable: 'true', ...levels });
  await browser.get(at);
  expect(browser.page).toContain('Nobody changes or deletes them');
  const rules = await world.db.containerTagProtectionRule.findMany({ orderBy: { id: 'asc' } });
  expect(rules).toMatchObject([
    { minimumAccessLevelForPush: 'owner', minimumAccessLevelForDelete: 'admin' },
    { tagNamePattern: 'release', minimumAccessLevelForPush: null, minimumAccessLevelForDelete: null },
  ]);
  await browser.confirm(`${at}/protections/delete`, { id: String(rules[0]?.id), pattern: 'v[0-9]+' });
  await browser.get(at);
  expect(browser.page).not.toContain('v[0-9]+');

  const policy = {
    enabled: 'true',
    cadence: '7d',
    nameRegexDelete: 'dev-.*',
    nameRegexKeep: '',
    keepN: '',
    olderThan: '14d',
  };
  await browser.submit(`${at}/policy`, { ...policy, nameRegexDelete: '[' });
  expect(browser.page).toContain('invalid regular expression');
  await browser.submit(`${at}/policy`, policy);
  await browser.get(at);
  expect(browser.page).toContain('Next time:');
  expect(
    await world.db.containerExpirationPolicy.findUniqueOrThrow({ where: { projectId: project.id } }),
  ).toMatchObject({
    ...{ enabled: true, cadence: '7d', nameRegex: 'dev-.*', nameRegexKeep: null, keepN: null, olderThan: '14d' },
  });

  const developer = await world.user();
  await world.member(project, developer, 'developer');
  const other = await signedIn(world, developer);
  expect((await other.get(at)).status).toBe(403);
  await other.submit(`${at}/protections`, { tagNamePattern: 'x', immutable: 'true' });
  expect(await world.db.containerTagProtectionRule.count({ where: { projectId: project.id } })).toBe(1);
});

import { expect, it } from 'vitest';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

it('The page of package settings of a group saves them, says what is wrong, and removes them', async () => {
  const owner = await world.user();
  const group = await world.group({ owner });
  const browser = await signedIn(world, owner);
  const at = `/groups/${group.fullPath}/-/settings/packages_and_registries`;
  await browser.get(`/groups/${group.fullPath}/-/settings/general`);
  expect(browser.page).toContain(`href="${at}"`);
  await browser.get(at);
  expect(browser.page).toContain('The group has no settings of its own yet.');
  expect(browser.page).not.toContain(`href="${at}/delete"`);
  const values = { genericDuplicatesAllowed: 'false', mavenDuplicatesAllowed: 'true' };
  await browser.submit(at, { ...values, genericDuplicateExceptionRegex: '[' });
  expect(browser.page).toContain('is an invalid regular expression');
  await browser.submit(at, { ...values, genericDuplicateExceptionRegex: 'nightly' });
  const where = { namespaceId: group.id };
  expect(await world.db.packageSettings.findUnique({ where })).toMatchObject({
    ...{ genericDuplicatesAllowed: false, genericDuplicateExceptionRegex: 'nightly', mavenDuplicatesAllowed: true },
  });
  await browser.get(at);
  expect(browser.page).toContain('value="nightly"');
  await browser.confirm(`${at}/delete`, {});
  expect(await world.db.packageSettings.findUnique({ where })).toBeNull();
  const developer = await world.user();
  await world.member(group, developer, 'developer');
  expect((await (await signedIn(world, developer)).get(at)).status).toBe(404);
});

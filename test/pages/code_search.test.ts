import { expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();

it('the page of search finds code everywhere, in a group, in a project and on another branch of it', LONG, async () => {
  const group = await world.group({ owner, visibility: 'public' });
  const [open, hidden] = [
    await world.project({ owner, namespaceId: group.id, visibility: 'public' }),
    await world.project({ owner, namespaceId: group.id, visibility: 'private' }),
  ];
  const word = world.unique('axolotl');
  const text = `<b>one</b>\n${'\n'.repeat(9)}let a = '${word} & more';\n${'\n'.repeat(9)}${word}\n`;
  for (const [project, name] of [
    [open, 'src/open.ts'],
    [hidden, 'src/hidden.ts'],
  ] as const) {
    const actions = [{ action: 'create', file_path: name, content: text }];
    const commit = { branch: 'main', commit_message: 'Begin', actions };
    expect((await world.api(owner).post(`/projects/${project.id}/repository/commits`, commit)).status).toBe(201);
  }
  const aside = { branch: 'aside', start_branch: 'main', commit_message: 'Aside' };
  const actions = [{ action: 'create', file_path: 'aside.txt', content: `${word}\n` }];
  await world.api(owner).post(`/projects/${open.id}/repository/commits`, { ...aside, actions });
  await world.idle();

  const visitor = new Browser(world.send);
  await visitor.get(`/search?scope=code&search=${word}`);
  const address = `/${open.fullPath}/-/blob/main/src/open.ts?plain=1`;
  expect(visitor.page).toContain(`href="${address}#L11"`);
  expect(visitor.page).toContain(`href="${address}#L21">line 21</a>`);
  expect(visitor.page).toContain(`let a = &#39;${word} &amp; more&#39;;`);
  expect(visitor.page).toContain(open.fullPath);
  expect(visitor.page).not.toContain('hidden.ts');
  expect(visitor.page).not.toContain('aside.txt');
  await visitor.get(`/search?scope=code&group_id=${group.fullPath}&search=${word}%20path:nothing`);
  expect(visitor.page).toContain('Nothing in');

  const browser = await signedIn(world, owner);
  await browser.get(`/search?scope=code&group_id=${group.fullPath}&search=${word}`);
  expect(browser.page).toContain('src/open.ts</a>');
  expect(browser.page).toContain('src/hidden.ts</a>');
  await browser.get(`/search?scope=code&project_id=${open.fullPath}&search=${word}%20lang:ts`);
  expect(browser.page).toContain('src/open.ts</a>');
  expect(browser.page).not.toContain('src/hidden.ts</a>');
  await browser.get(`/search?scope=code&project_id=${open.fullPath}&ref=aside&search=${word}`);
  expect(browser.page).toContain(`/${open.fullPath}/-/blob/aside/aside.txt`);
  await browser.get(`/search?scope=code&search=${encodeURIComponent('/(/')}`);
  expect(browser.answer.status).toBe(400);
});

it(
  'the page of search finds commits, comments and pages of wikis everywhere, in a group and in a project',
  LONG,
  async () => {
    const group = await world.group({ owner, visibility: 'public' });
    const word = world.unique('echidna');
    const projects = [
      await world.project({ owner, namespaceId: group.id, visibility: 'public' }),
      await world.project({ owner, namespaceId: group.id, visibility: 'private' }),
    ];
    for (const project of projects) {
      const actions = [{ action: 'create', file_path: 'a', content: 'a' }];
      const commit = { branch: 'main', commit_message: `Add ${word} to <${project.path}>`, actions };
      await world.api(owner).post(`/projects/${project.id}/repository/commits`, commit);
      await world.api(owner).post(`/projects/${project.id}/wikis`, { title: 'Home', content: `<b>${word}</b>` });
      const issue = await world.issue(project, owner);
      await world.api(owner).post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body: `<i>${word}</i>` });
    }
    await world.api(owner).post(`/groups/${group.id}/wikis`, { title: 'About', content: word });
    const [open, hidden] = projects;
    const visitor = new Browser(world.send);
    const browser = await signedIn(world, owner);
    for (const place of ['', `&group_id=${group.fullPath}`, `&project_id=${open?.fullPath}`]) {
      for (const scope of ['commits', 'comments', 'wikis']) {
        const address = `/search?scope=${scope}&search=${word}${place}`;
        await visitor.get(address);
        expect(visitor.page).toContain(`/${open?.fullPath}/-/`);
        expect(visitor.page).not.toContain(hidden?.fullPath);
        expect(visitor.page).not.toMatch(new RegExp(`<[bi]>${word}`));
        await browser.get(address);
        expect(browser.page.includes(`/${hidden?.fullPath}/-/`)).toBe(!place.includes('project_id'));
      }
    }
    await visitor.get(`/search?scope=wikis&search=${word}`);
    expect(visitor.page).toContain(`href="/groups/${group.fullPath}/-/wikis/About"`);
    await visitor.get(`/${open?.fullPath}/-/wikis/Home`);
    expect(visitor.answer.status).toBe(200);
  },
);

import { expect, it } from 'vitest';
import { alertsOn, Browser, noticeOn } from '../support/browser.ts';
import { LONG } from '../support/long.ts';
import { opened, withTopic } from '../support/merge_requests.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();

async function withFile() {
  const project = await world.project({ owner, visibility: 'public' });
  const commit = async (content: string, action: string, more = {}) => {
    const actions = [{ action, file_path: 'a.txt', content }];
    const { body } = await world.api(owner).post(`/projects/${project.id}/repository/commits`, {
      branch: 'main',
      commit_message: content,
      actions,
      ...more,
    });
    return body.id as string;
  };
  return { project, at: `/${project.fullPath}`, commit };
}

it('forks a project into the namespace that was chosen, and lists the fork', async () => {
  const { at, commit } = await withFile();
  await commit('One', 'create');
  const forker = await world.user();
  const browser = await signedIn(world, forker);
  await browser.get(`${at}/-/forks/new`);
  expect(browser.page).toContain(`<option value="${forker.username}" selected>`);
  await browser.submit(`${at}/-/forks/new`, {
    namespace: forker.username,
    name: 'Mine',
    path: 'mine',
    visibility: 'public',
  });
  expect(browser.answer.headers.location).toBe(`/${forker.username}/mine`);
  await browser.get(`${at}/-/forks`);
  expect(browser.page).toContain(`href="/${forker.username}/mine"`);
  expect((await new Browser(world.send).get(`${at}/-/forks/new`)).headers.location).toMatch(/^\/users\/sign_in/);
});

it('watches a project with the level that was chosen', async () => {
  const { project, at } = await withFile();
  const browser = await signedIn(world, owner);
  await browser.get(at);
  expect((await browser.submit(`${at}/-/watch`, { level: 'watch' })).headers.location).toBe(at);
  const { body } = await world.api(owner).get(`/projects/${project.id}/notification_settings`);
  expect(body.level).toBe('watch');
});

it('reverts a commit on the branch, and by a new branch whose merge request is opened', LONG, async () => {
  const { project, at, commit } = await withFile();
  await commit('One', 'create');
  const second = await commit('Two', 'update');
  const browser = await signedIn(world, owner);
  await browser.get(`${at}/-/commit/${second}/revert`);
  await browser.submit(`${at}/-/commit/${second}/revert`, { branch: 'main', mergeRequest: 'true', newBranch: 'undo' });
  expect(browser.answer.headers.location).toContain('merge_requests/new?merge_request%5Bsource_branch%5D=undo');
  await browser.follow();
  expect(browser.page).toContain('1 file changed');
  expect(browser.page).toContain('Revert &quot;Two&quot;');
  const file = `/projects/${project.id}/repository/files/a.txt/raw?ref=`;
  expect((await world.api(owner).get(`${file}main`)).body).toBe('Two');
  await browser.submit(`${at}/-/commit/${second}/revert`, { branch: 'main' });
  expect((await world.api(owner).get(`${file}main`)).body).toBe('One');
});

it(
  'offers no merge request to others of a branch that somebody pushed to, and to them only until one is open',
  LONG,
  async () => {
    const { project, at, commit } = await withFile();
    await commit('One', 'create');
    await commit('Two', 'update', { branch: 'topic', start_branch: 'main' });
    const other = await world.user();
    await world.member(project, other, 'developer');
    const browser = await signedIn(world, owner);
    await browser.get(at);
    expect(browser.page).toContain('You pushed to <a class="branch"');
    expect(browser.page).toContain(`${at}/-/merge_requests/new?merge_request[source_branch]=topic`);
    await (await signedIn(world, other)).get(at).then(({ body }) => expect(body).not.toContain('You pushed to'));
    await world.api(owner).post(`/projects/${project.id}/merge_requests`, {
      source_branch: 'topic',
      target_branch: 'main',
      title: 'Topic',
    });
    await browser.get(at);
    expect(browser.page).not.toContain('You pushed to');
  },
);

it('keeps, changes and deletes snippets of one’s own', LONG, async () => {
  const browser = await signedIn(world, owner);
  await browser.get('/-/snippets/new');
  await browser.submit('/-/snippets', { title: 'Notes', fileName: 'n.md', content: 'a\r\nb', visibility: 'private' });
  const at = String(browser.answer.headers.location);
  expect(at).toMatch(/^\/-\/snippets\/\d+$/);
  await browser.get(`${at}/edit`);
  const change = { title: 'Notices', visibility: 'private' };
  const more = { fileName: ['n.md', 'b.sh'], content: ['c', 'echo'], previousName: ['n.md', ''] };
  await browser.submit(`${at}/edit`, { ...change, ...more });
  await browser.get(at);
  expect(browser.page).toMatch(/n\.md[\s\S]*b\.sh[\s\S]*<span class="hljs-built_in">echo<\/span>/);
  await browser.get(`${at}/edit`);
  const moved = { fileName: ['n.md', 'c.sh', ''], content: ['c', 'echo 2', ''], previousName: ['n.md', 'b.sh', ''] };
  await browser.submit(`${at}/edit`, { ...change, ...moved, fileName: ['n.md', 'n.md', ''] });
  expect([browser.answer.status, alertsOn(browser.page)]).toEqual([422, ['file path has already been taken']]);
  expect(browser.page).toContain('echo 2</textarea>');
  await browser.submit(`${at}/edit`, { ...change, ...moved });
  await browser.submit(`${at}/edit`, { ...change, ...moved, previousName: ['n.md', 'c.sh', ''], removed: 'n.md' });
  const id = at.split('/').at(-1);
  const { body: kept } = await world.api(owner).get(`/snippets/${id}`);
  expect(kept.files.map(({ path }: { path: string }) => path)).toEqual(['c.sh']);
  await browser.get('/-/snippets');
  expect(browser.page).toContain('Notices');
  const stranger = await signedIn(world, await world.user());
  await stranger.get('/-/snippets');
  expect(stranger.page).not.toContain('Notices');
  expect((await stranger.get(`${at}/edit`)).status).toBe(404);
  await browser.confirm(`${at}/delete`, { named: 'Notices' });
  expect((await browser.get(at)).status).toBe(404);
});

it('ends a review with a summary and a request for changes, and asks the reviewer again', LONG, async () => {
  const project = await world.project({ owner, visibility: 'public' });
  const ann = await world.user();
  await world.member(project, ann, 'developer');
  await withTopic(world, project, owner);
  const { iid } = await opened(world, project, owner);
  const at = `/${project.fullPath}/-/merge_requests/${iid}`;
  const reviewers = async () =>
    (await world.api(owner).get(`/projects/${project.id}/merge_requests/${iid}/reviewers`)).body.map(
      ({ user, state }: { user: { username: string }; state: string }) => [user.username, state],
    );
  const browser = await signedIn(world, ann);
  await browser.get(`${at}/diffs`);
  await browser.submit(`${at}/diffs/publish`, { verdict: 'request_changes', summary: 'Not yet.' });
  await browser.follow();
  expect(noticeOn(browser.page)).toBe('You requested changes.');
  expect(await reviewers()).toEqual([[ann.username, 'requested_changes']]);
  const author = await signedIn(world, owner);
  await author.get(at);
  expect(author.page).toContain('Not yet.');
  expect(author.page).toContain('requested changes');
  const userId = /name="userId" value="([^"]*)"/.exec(author.page)?.[1] ?? '';
  await author.submit(`${at}/request_review`, { userId });
  expect(await reviewers()).toEqual([[ann.username, 'unreviewed']]);
  await browser.get(`${at}/diffs`);
  expect((await browser.submit(`${at}/diffs/publish`, { verdict: 'comment', summary: ' ' })).status).toBe(422);
  const guest = await signedIn(world, await world.user());
  await guest.get(`${at}/diffs`);
  expect(guest.page).not.toContain('value="request_changes"');
  expect((await guest.submit(`${at}/diffs/publish`, { verdict: 'request_changes' })).status).toBe(422);
  expect(await reviewers()).toEqual([[ann.username, 'unreviewed']]);
});

it('starts a pipeline with variables and inputs', LONG, async () => {
  const { at, commit } = await withFile();
  await commit(
    'spec:\n  inputs:\n    word: { default: none }\n---\njob: { script: "echo $[[ inputs.word ]] $KEY" }\n',
    'create',
    {
      actions: [
        {
          action: 'create',
          file_path: '.gitlab-ci.yml',
          content:
            'spec:\n  inputs:\n    word: { default: none }\n---\n"job-$[[ inputs.word ]]": { script: "echo $KEY" }\n',
        },
      ],
    },
  );
  const browser = await signedIn(world, owner);
  await browser.get(`${at}/-/pipelines/new`);
  await browser.submit(`${at}/-/pipelines`, {
    ref: 'main',
    key: ['KEY', ''],
    value: ['Value', ''],
    type: ['env_var', 'env_var'],
    inputName: ['word', ''],
    inputValue: ['apple', ''],
  });
  await browser.follow();
  expect(browser.page).toContain('job-apple');
});

it('shows visitors the title and text of the team, and public projects alone', async () => {
  const admin = await world.user({ admin: true });
  const secret = await world.project({ owner, name: 'Hidden treasure' });
  const { project } = await withFile();
  const browser = await signedIn(world, admin);
  await browser.get('/admin/settings/sign_in');
  await browser.submit('/admin/settings/sign_in', { frontPageTitle: 'Orchard', frontPageText: 'We grow **apples**.' });
  const visitor = new Browser(world.send);
  await visitor.get('/');
  expect(visitor.page).toContain('<h1 id="welcome">Orchard</h1>');
  expect(visitor.page).toContain('<strong>apples</strong>');
  expect(visitor.page).toContain(`href="/${project.fullPath}"`);
  expect(visitor.page).not.toContain(secret.name);
});

import { describe, expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { HistoryBuilder } from '../support/git_history.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { fillRepository } from '../support/repository.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

const DAY = 86_400;
const now = Math.floor(Date.now() / 1000);

/** Three commits of the last days, one of a year and a half ago, and one that is ahead of its time. */
async function projectWithHistory(visibility: 'public' | 'private' = 'public') {
  const owner = await world.user();
  const project = await world.project({ owner, visibility });
  const history = new HistoryBuilder();
  const file = (path: string, content: string) => [{ path, content }];
  const root = history.commit({ branch: 'main', time: now - 550 * DAY, changes: file('old.txt', 'one\ntwo\n') });
  const moved = history.commit({
    ...{ branch: 'main', from: [root], time: now - 3 * DAY },
    changes: [{ path: 'old.txt', remove: true }, ...file('new ö.txt', 'one\ntwo\nthree\n')],
  });
  const changed = history.commit({
    ...{ branch: 'main', from: [moved], time: now - 60, author: 'Eve <eve@example.com>' },
    changes: file('new ö.txt', 'one\n2\nthree\n'),
  });
  const last = history.commit({ branch: 'main', from: [changed], time: now - 30, changes: file('b.txt', 'b\n') });
  history.commit({ branch: 'main', from: [last], time: now + 10 * DAY, changes: file('c.txt', 'c\n') });
  await fillRepository(world, project, history.build());
  return { owner, project };
}

const ACTIVITY = `query ($ref: ProjectRef!, $of: String, $interval: CommitInterval!) { project(ref: $ref) { repository {
  commitActivity(ref: $of, interval: $interval) { from commits } } } }`;

describe('Commits over time', () => {
  it('are counted by days, weeks and months, up to now', async () => {
    const { owner, project } = await projectWithHistory();
    const activity = async (interval: string, of?: string) => {
      const variables = { ref: project.fullPath, interval, ...(of !== undefined && { of }) };
      const { body } = await world.graphql(ACTIVITY, variables, owner);
      return body.data.project.repository.commitActivity;
    };
    const today = new Date().toISOString().slice(0, 10);
    const days = await activity('DAY');
    expect(days).toHaveLength(30);
    expect(days.at(-1).from.slice(0, 10)).toBe(today);
    // Seconds before midnight the newest two may be of the day before.
    expect(days.at(-1).commits + days.at(-2).commits).toBe(2);
    expect(days.reduce((sum: number, one: { commits: number }) => sum + one.commits, 0)).toBe(3);
    const weeks = await activity('WEEK');
    expect(weeks).toHaveLength(13);
    for (const { from } of weeks) expect(new Date(from).getUTCDay()).toBe(1);
    const months = await activity('MONTH');
    expect(months.map(({ from }: { from: string }) => from.slice(8, 10))).toEqual(Array(12).fill('01'));
    expect(months.reduce((sum: number, one: { commits: number }) => sum + one.commits, 0)).toBe(3);
    expect(await activity('DAY', 'none')).toBeNull();
  });

  it('are shown with the contributors, to those who can read the code', LONG, async () => {
    const { owner, project } = await projectWithHistory('private');
    const browser = await signedIn(world, owner);
    const at = `/${project.fullPath}/-/graphs/main`;
    await browser.get(`/${project.fullPath}/-/commits/main`);
    expect(browser.page).toContain(`href="${at}"`);
    await browser.get(`${at}?interval=month`);
    expect(browser.page).toContain('3 commits');
    expect(browser.page.match(/class="chart-commits"/g)?.length).toBeGreaterThan(0);
    expect(browser.page).toMatch(/<th scope="row">Eve<\/th><td>1<\/td>/);
    expect(browser.page).toMatch(/<th scope="row">Ada Example<\/th><td>4<\/td>/);
    const guest = await world.user();
    await world.member(project, guest, 'guest');
    expect((await (await signedIn(world, guest)).get(at)).status).not.toBe(200);
    expect((await (await signedIn(world, await world.user())).get(at)).status).toBe(404);
    expect((await new Browser(world.send).get(at)).status).not.toBe(200);
  });
});

it(
  'Blame goes on to what was before a commit, under the name that the file had, and tells old lines from new ones',
  LONG,
  async () => {
    const { project } = await projectWithHistory();
    const visitor = new Browser(world.send);
    await visitor.get(`/${project.fullPath}/-/blame/main/new%20%C3%B6.txt`);
    expect(new Set(visitor.page.match(/data-age="\d"/g))).toEqual(new Set(['data-age="1"', 'data-age="5"']));
    const [, before = ''] = /class="blame-before" href="([^"]+)"/.exec(visitor.page) ?? [];
    expect(before).toMatch(/\/-\/blame\/[0-9a-f]{40}\/new%20%C3%B6\.txt$/);
    await visitor.get(before);
    expect(visitor.page).toContain('two');
    const [, earlier = ''] = /class="blame-before" href="([^"]+)"/.exec(visitor.page) ?? [];
    expect(earlier).toMatch(/\/old\.txt$/);
    await visitor.get(earlier);
    expect(visitor.answer.status).toBe(200);
    expect(visitor.page).not.toContain('blame-before');
  },
);

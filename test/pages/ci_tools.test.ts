// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { chartsOf } from '#pages/chart.ts';
import { projectWithCommit } from '../support/ci.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

it('checks a configuration and shows its jobs and the merged file, or what is wrong', async () => {
  const owner = await world.user();
  const { project } = await projectWithCommit(world, owner, { config: 'committed:\n  script: make\n' });
  const browser = await signedIn(world, owner);
  const at = `/${project.fullPath}/-/ci/lint`;
  await browser.get(at);
  expect(browser.page).not.toContain('The configuration is valid');
  const content =
    '.base:\n  image: node:24\nunit:\n  extends: .base\n  script: "echo <b>"\nship:\n  script: s\n  only: [tags]\n';
  await browser.submit(at, { content, ref: '' });
  expect(browser.answer.status).toBe(200);
  expect(browser.page).toContain('The configuration is valid');
  expect(browser.page).toContain('2 jobs');
  expect(browser.page).toMatch(/aria-label="Merged file">[\s\S]*image: (&quot;)?node:24/);
  expect(browser.page).not.toContain('echo <b>');
  expect(browser.page).toContain('<textarea id="content" name="content"');
  await browser.submit(at, { content, ref: 'master', dryRun: 'true' });
  expect(browser.page).toContain('1 job<');
  await browser.submit(at, { content: '<nowhere>:\n  stage: test', ref: '' });
  expect(browser.page).toMatch(/role="alert">[^<]*&lt;nowhere&gt;/);
  expect(browser.page).not.toContain('The configuration is valid');
  expect((await browser.submit(at, { content, ref: 'no-such-branch' })).status).toBe(422);
  expect(browser.page).toContain('no-such-branch');
});

it('checks the committed file of a branch by its address, for developers alone', async () => {
  const owner = await world.user();
  const { project } = await projectWithCommit(world, owner, {
    config: 'committed:\n  script: make\n',
    visibility: 'internal',
  });
  const at = `/${project.fullPath}/-/ci/lint`;
  const browser = await signedIn(world, owner);
  await browser.get(`${at}?ref=master`);
  expect(browser.page).toContain('committed');
  const other = await signedIn(world, await world.user());
  expect((await other.get(at)).status).toBe(404);
  await other.get(`/${project.fullPath}/-/pipelines`);
  expect((await other.submit(at, { content: 'a: {script: b}' })).status).toBe(404);
});

it('draws how pipelines ended and how long they took, with the same numbers in a table', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const of = (
    target: { id: number },
    days: number,
    status: 'success' | 'failed' | 'running',
    duration: number | null,
    source: 'push' | 'parent_pipeline' = 'push',
  ) =>
    world.db.pipeline.create({
      data: {
        ...{ projectId: target.id, userId: owner.id, ref: 'main', sha: '1'.repeat(40), source, status, duration },
        createdAt: new Date(Date.now() - days * 86_400_000),
      },
    });
  const first = await of(project, 0, 'success', 60);
  await of(project, 0, 'failed', 120);
  await of(project, 0, 'running', null);
  await of(project, 0, 'success', 5_000, 'parent_pipeline');
  await of(project, 3, 'success', 30);
  const old = await of(project, 400, 'failed', 9_000);
  const elsewhere = await of(await world.project({ owner }), 0, 'failed', 1);
  const job = (pipelineId: number, projectId: number, name: string, status: 'success' | 'failed', seconds: number) =>
    world.db.job.create({
      data: {
        ...{ projectId, pipelineId, userId: owner.id, name, stage: 'test', stageIndex: 1, status, needs: [], tags: [] },
        startedAt: new Date(Date.now() - seconds * 1000),
        finishedAt: new Date(),
      },
    });
  await job(first.id, project.id, 'unit', 'success', 60);
  await job(first.id, project.id, 'unit', 'failed', 120);
  await job(first.id, project.id, 'lint', 'success', 10);
  await job(old.id, project.id, 'ancient', 'failed', 10);
  await job(elsewhere.id, elsewhere.projectId, 'foreign', 'failed', 10);
  const browser = await signedIn(world, owner);
  const at = `/${project.fullPath}/-/pipelines/charts`;
  const statements = await world.statements(() => browser.get(`${at}?interval=day`));
  expect(statements.length).toBeLessThanOrEqual(5);
  const rows = [...browser.page.matchAll(/<tr><th scope="row">([^<]*)<\/th>((?:<td>[^<]*<\/td>)+)<\/tr>/g)].map(
    ([, day, cells = '']) => [day, ...[...cells.matchAll(/<td>([^<]*)/g)].map(([, cell]) => cell)],
  );
  const jobs = rows.splice(30);
  expect(jobs).toEqual([
    ['unit', '2', '1', '50%', '1 min 30 s', '3 min 0 s'],
    ['lint', '1', '0', '0%', '10 s', '10 s'],
  ]);
  expect(rows).toHaveLength(30);
  const day = (before: number) => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10);
  expect(rows[0]).toEqual([day(0), '3', '1', '1', '1 min 30 s']);
  expect(rows[3]).toEqual([day(3), '1', '1', '0', '30 s']);
  expect(rows[1]).toEqual([day(1), '0', '0', '0', '–']);
  expect(browser.page).toContain('4 pipelines, 50% successful');
  expect(browser.page.match(/class="chart-dot"/g)).toHaveLength(2);
  for (const [interval, count] of [
    ['week', 13],
    ['month', 12],
  ] as const) {
    await browser.get(`${at}?interval=${interval}`);
    expect(browser.page.match(/<tr><th scope="row">/g)).toHaveLength(count + jobs.length);
  }
});

it('lays out spans without pipelines, and interrupts the line at them', () => {
  const span = (at: number, medianDuration: number | null) => ({
    from: `2027-01-0${at}T00:00:00Z`,
    totalCount: medianDuration === null ? 0 : 4,
    successCount: medianDuration === null ? 0 : 1,
    failedCount: medianDuration === null ? 0 : 1,
    medianDuration,
  });
  const charts = chartsOf([span(1, 10), span(2, null), span(3, 20), span(4, 5)]);
  expect(charts.line.match(/M/g)).toHaveLength(2);
  expect(charts.line.match(/L/g)).toHaveLength(1);
  expect(charts.bars.map(({ kind }) => kind)).toEqual(Array(3).fill(['good', 'bad', 'other']).flat());
  for (const { x, y, width, height } of charts.bars) {
    expect(x + width).toBeLessThanOrEqual(charts.width);
    expect(y + height).toBeLessThanOrEqual(charts.floor + 0.2);
  }
  expect(chartsOf([]).bars).toEqual([]);
});

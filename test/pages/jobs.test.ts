// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { writeTrace } from '#src/domain/ci/job_logs/append.ts';
import { storeArtifacts } from '../support/artifacts.ts';
import { signedIn } from '../support/oauth.ts';
import { endJob, takenJob } from '../support/running_job.ts';
import { startWorld } from '../support/world.ts';
import { zip } from '../support/zip.ts';

const world = await startWorld();

/** A job that has ended, with a log of so many lines, in a project of its own. */
async function printed(lines: number, options: { visibility?: 'private' | 'internal' } = {}) {
  const owner = await world.user();
  const project = await world.project({ owner, ...options });
  const job = await takenJob(world, owner, project);
  const log = Array.from({ length: lines }, (_, at) => `output ${at + 1} of all`).join('\n');
  await writeTrace(world, job.id, `${log}\n`);
  await endJob(world, job.id);
  return { owner, project, job, at: `/${project.fullPath}/-/jobs/${job.id}` };
}

const numbersOn = (page: string) => [...page.matchAll(/id="L(\d+)"/g)].map(([, line]) => Number(line));

it('shows the end of a long log with the numbers of its lines, and leads to the parts before', async () => {
  const { owner, at } = await printed(2_500);
  const browser = await signedIn(world, owner);
  await browser.get(at);
  const numbers = numbersOn(browser.page);
  expect([numbers[0], numbers.at(-1), numbers.length]).toEqual([1_501, 2_500, 1_000]);
  expect(browser.page).toContain('<a href="#L2500">2500</a><span>output 2500 of all</span>');
  expect(browser.page).toContain(`${at}?from=501#log`);
  await browser.get(`${at}?from=501`);
  expect([numbersOn(browser.page)[0], numbersOn(browser.page).at(-1)]).toEqual([501, 1_500]);
  expect(browser.page).toContain(`${at}?from=1501#log`);
  expect(browser.page).toContain('<span>output 501 of all</span>');
  await browser.get(`${at}?from=9000`);
  expect([browser.answer.status, numbersOn(browser.page)]).toEqual([200, []]);
});

it('finds lines of a log whatever their colors, and leads to them', async () => {
  const { owner, job, at } = await printed(1);
  const lines = Array.from({ length: 3_000 }, (_, at) =>
    at === 41 ? '\x1b[31mERR\x1b[0mOR: <b>lost</b>' : `line ${at}`,
  );
  await writeTrace(world, job.id, lines.join('\n'));
  const browser = await signedIn(world, owner);
  await browser.get(`${at}?search=${encodeURIComponent('error: <B>')}`);
  expect(browser.page).toContain(`${at}?from=22#L42">Line 42</a> <code>ERROR: &lt;b&gt;lost&lt;/b&gt;</code>`);
  expect(browser.page).toContain('1 line with “error: &lt;B&gt;”');
  await browser.get(`${at}?search=nowhere`);
  expect(browser.page).toContain('0 lines with “nowhere”');
  await browser.get(`${at}?search=line`);
  expect(browser.page).toContain('The first 100 lines with');
});

it('sends the log as plain text, which no browser takes for a page', async () => {
  const { owner, job, at } = await printed(1);
  await writeTrace(world, job.id, '<script>alert(1)</script>\x1b[31m');
  const browser = await signedIn(world, owner);
  const { status, headers, body } = await browser.get(`${at}/raw`);
  expect([status, body]).toEqual([200, '<script>alert(1)</script>\x1b[31m']);
  expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['content-security-policy']).toBe('sandbox');
});

it('keeps a log with all variables from those who are no developers, who still see the job', async () => {
  const { project, job, at } = await printed(3);
  const reporter = await world.user();
  await world.member(project, reporter, 'reporter');
  await world.db.jobTrace.update({ where: { jobId: job.id }, data: { debug: true } });
  const browser = await signedIn(world, reporter);
  await browser.get(`${at}?search=output`);
  expect(browser.answer.status).toBe(200);
  expect(browser.page).toContain('only developers can read its log');
  expect(browser.page).not.toContain('output 1');
  expect((await browser.get(`${at}/raw`)).status).toBe(403);
  await world.db.job.update({ where: { id: job.id }, data: { status: 'failed' } });
  await browser.get(`/${project.fullPath}/-/pipelines/${job.pipelineId}`);
  expect(browser.answer.status).toBe(200);
  expect(browser.page).not.toContain('output 3');
});

it('tells what a job needs, its attempts, its environment, and who ran it', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const { id, pipelineId } = await takenJob(world, owner, project, { name: 'ship' });
  const by = { projectId: project.id, userId: owner.id, pipelineId, stage: 'build', stageIndex: 0 };
  const needed = await world.db.job.create({ data: { ...by, name: 'compile', status: 'success' } });
  const decoy = await world.db.job.create({ data: { ...by, name: 'lint', status: 'success' } });
  const before = await world.db.job.create({ data: { ...by, name: 'ship', status: 'failed', retried: true } });
  const elsewhere = await takenJob(world, owner, project, { name: 'ship' });
  const runner = await world.db.runner.create({
    data: { description: 'Big <iron>', tokenHash: Buffer.from(world.unique('runner')) },
  });
  await world.db.job.update({
    where: { id },
    data: { needs: ['compile'], environment: 'prod & more', runnerId: runner.id, coverage: 81.5, tags: ['fast'] },
  });
  const browser = await signedIn(world, owner);
  await browser.get(`/${project.fullPath}/-/jobs/${id}`);
  const at = `/${project.fullPath}/-/jobs`;
  expect(browser.page).toContain(`${at}/${needed.id}">compile</a>`);
  expect(browser.page).toContain(`${at}/${before.id}"`);
  for (const other of [decoy.id, elsewhere.id]) expect(browser.page).not.toContain(`${at}/${other}"`);
  for (const text of ['Big &lt;iron&gt;', '81.5%', 'fast', 'environments?name=prod%20%26%20more']) {
    expect(browser.page).toContain(text);
  }
});

const FILES = {
  'report/index.html': '<script>alert(document.cookie)</script>',
  'report/pages/a & b.txt': 'Text of <a>',
  'picture.png': Buffer.from('iVBORw0KGgo=', 'base64'),
  'drawing.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  'binary.dat': Buffer.from([0, 255, 1, 2]),
};

it('browses artifacts by folder, and shows texts and pictures within the page', async () => {
  const { owner, project, job, at } = await printed(1);
  await storeArtifacts(world, { id: job.id, projectId: project.id }, { content: await zip(FILES) });
  const browser = await signedIn(world, owner);
  await browser.get(at);
  expect(browser.page).toContain(`${at}/artifacts/browse"`);
  expect(browser.page).toMatch(/removed <time/);
  await browser.get(`${at}/artifacts/browse`);
  expect(browser.page).toContain(`${at}/artifacts/browse/report"`);
  expect(browser.page).toContain(`${at}/artifacts/file/picture.png"`);
  expect(browser.page).not.toContain('index.html');
  await browser.get(`${at}/artifacts/browse/report`);
  expect(browser.page).toContain(`${at}/artifacts/file/report/index.html"`);
  expect(browser.page).not.toContain('picture.png');
  await browser.get(`${at}/artifacts/file/report/pages/a%20%26%20b.txt`);
  expect(browser.page).toContain('Text of &lt;a&gt;');
  await browser.get(`${at}/artifacts/file/picture.png`);
  expect(browser.page).toContain(`<img src="${at}/artifacts/raw/picture.png" alt="picture.png">`);
  await browser.get(`${at}/artifacts/file/binary.dat`);
  expect(browser.page).toContain('The file is not shown');
  for (const path of ['browse/none', 'file/none', 'file/report', 'raw/none', 'browse/report/..']) {
    expect([path, (await browser.get(`${at}/artifacts/${path}`)).status >= 400]).toEqual([path, true]);
  }
});

it('never lets a file of artifacts run as a page of this server', async () => {
  const { owner, project, job, at } = await printed(1);
  await storeArtifacts(world, { id: job.id, projectId: project.id }, { content: await zip(FILES) });
  const browser = await signedIn(world, owner);
  await browser.get(`${at}/artifacts/file/report/index.html`);
  expect(browser.page).toContain('&lt;script&gt;alert(document.cookie)');
  expect(browser.page).not.toContain('<script>alert');
  for (const [path, type, kind] of [
    ['report/index.html', 'application/octet-stream', 'attachment'],
    ['drawing.svg', 'image/svg+xml', 'attachment'],
    ['picture.png', 'image/png', 'inline'],
  ] as const) {
    const { status, headers } = await browser.get(`${at}/artifacts/raw/${path}`);
    expect([status, headers['content-type'], headers['x-content-type-options']]).toEqual([200, type, 'nosniff']);
    expect(headers['content-security-policy']).toContain('sandbox');
    expect(headers['content-disposition']).toMatch(new RegExp(`^${kind}`));
  }
});

it('keeps, downloads and deletes artifacts, for those who may', async () => {
  const { owner, project, job, at } = await printed(1, { visibility: 'internal' });
  const guest = await world.user();
  const bytes = await storeArtifacts(world, { id: job.id, projectId: project.id });
  const visitor = await signedIn(world, guest);
  await visitor.get(`${at}/artifacts/browse`);
  expect(visitor.answer.status).toBe(200);
  expect(visitor.page).not.toContain(`${at}/artifacts/keep`);
  expect((await visitor.get(`${at}/artifacts/delete`)).status).toBe(404);
  await visitor.get(at);
  for (const word of ['keep', 'delete']) {
    expect((await visitor.confirm(`${at}/artifacts/${word}`)).status).toBeGreaterThanOrEqual(400);
  }
  const browser = await signedIn(world, owner);
  const download = await browser.get(`${at}/artifacts/download`);
  expect([download.status, Number(download.headers['content-length'])]).toEqual([200, bytes.length]);
  await browser.get(at);
  expect((await browser.submit(`${at}/artifacts/keep`)).headers.location).toBe(at);
  expect((await world.db.jobArtifacts.findUniqueOrThrow({ where: { jobId: job.id } })).expireAt).toBeNull();
  await browser.get(`${at}/artifacts/delete`);
  expect(browser.page).toContain('Delete the artifacts of unit?');
  expect((await browser.confirm(`${at}/artifacts/delete`)).headers.location).toBe(at);
  expect(await world.db.jobArtifacts.count({ where: { jobId: job.id } })).toBe(0);
});

it('keeps artifacts that only developers may read from others, whatever page they ask', async () => {
  const { project, job, at } = await printed(1, { visibility: 'internal' });
  const reporter = await world.user();
  await world.member(project, reporter, 'reporter');
  await storeArtifacts(world, { id: job.id, projectId: project.id });
  await world.db.job.update({ where: { id: job.id }, data: { options: { artifacts: { public: false } } } });
  const browser = await signedIn(world, reporter);
  for (const path of ['browse', 'file/app.txt', 'raw/app.txt', 'download']) {
    expect([path, (await browser.get(`${at}/artifacts/${path}`)).status]).toEqual([path, 403]);
  }
});

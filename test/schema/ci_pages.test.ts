// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { writeTrace } from '#src/domain/ci/job_logs/append.ts';
import { storeArtifacts } from '../support/artifacts.ts';
import { takenJob } from '../support/running_job.ts';
import { startWorld, type TestUser } from '../support/world.ts';
import { zip } from '../support/zip.ts';

const world = await startWorld();

async function ask(user: TestUser, query: string) {
  const headers = { 'Content-Type': 'application/json', 'PRIVATE-TOKEN': user.token };
  const { body } = await world.send('POST', '/graphql', { headers, body: JSON.stringify({ query }) });
  return body;
}

it('reads parts of a job log by line, however long its lines are', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const { id } = await takenJob(world, owner, project);
  const lines = async (from = -1000) => {
    const { data } = await ask(
      owner,
      `{ project(ref: ${project.id}) { job(id: ${id}) { traceLines(from: ${from}) { firstLine lineCount content } } } }`,
    );
    return data.project.job.traceLines;
  };
  expect(await lines()).toEqual({ firstLine: 1, lineCount: 0, content: '' });
  await writeTrace(world, id, 'one\ntwo\nthree');
  expect(await lines()).toEqual({ firstLine: 1, lineCount: 3, content: 'one\ntwo\nthree' });
  expect(await lines(2)).toEqual({ firstLine: 2, lineCount: 3, content: 'two\nthree' });
  expect(await lines(4)).toEqual({ firstLine: 4, lineCount: 3, content: '' });
  expect(await lines(-5)).toMatchObject({ firstLine: 1, content: 'one\ntwo\nthree' });
  expect(await lines(-2)).toEqual({ firstLine: 2, lineCount: 3, content: 'two\nthree' });
  expect(await lines(0)).toMatchObject({ firstLine: 1 });
  const long = 'x'.repeat(100 * 1024);
  await writeTrace(world, id, `a\n${long}\n${long}\nend\n`);
  expect(await lines()).toEqual({ firstLine: 3, lineCount: 4, content: `${long}\nend\n` });
  expect(await lines(1)).toEqual({ firstLine: 1, lineCount: 4, content: `a\n${long}\n` });
  await writeTrace(world, id, `${long}${long}\nend`);
  expect((await lines(1)).content).toHaveLength(128 * 1024);
  expect(await lines()).toEqual({ firstLine: 2, lineCount: 2, content: 'end' });
});

it('finds a text in the lines of a log across the pieces in which it is read', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const { id } = await takenJob(world, owner, project);
  const filler = Array.from({ length: 20_000 }, (_, at) => `line ${at + 1}`);
  filler[15_000] = 'before \x1b[1mNEE\x1b[0mdle behind';
  await writeTrace(world, id, filler.join('\n'));
  const query = (text: string) =>
    ask(owner, `{ project(ref: ${project.id}) { job(id: ${id}) { traceMatches(text: "${text}") { line text } } } }`);
  const { data } = await query('needle');
  expect(data.project.job.traceMatches).toEqual([{ line: 15_001, text: 'before NEEdle behind' }]);
  expect((await query('line')).data.project.job.traceMatches).toHaveLength(100);
  expect((await query(' ')).data.project.job.traceMatches).toEqual([]);
});

it('lists the folders of artifacts, two hundred entries at a time, and none that are not there', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const job = await takenJob(world, owner, project);
  const many = Object.fromEntries(
    Array.from({ length: 250 }, (_, at) => [`many/f${String(at).padStart(3, '0')}`, 'x']),
  );
  const content = await zip({ ...many, 'a.txt': 'four', 'many/deep/er/b.txt': 'sixsix' });
  await storeArtifacts(world, { id: job.id, projectId: project.id }, { content });
  const folder = async (args = '(path: "")') => {
    const fields = 'entryCount entries { name path isFolder: folder size }';
    const { data } = await ask(
      owner,
      `{ project(ref: ${project.id}) { job(id: ${job.id}) { artifactFolder${args} { ${fields} } } } }`,
    );
    return data.project.job.artifactFolder;
  };
  expect(await folder()).toEqual({
    entryCount: 2,
    entries: [
      { name: 'many', path: 'many', isFolder: true, size: 256 },
      { name: 'a.txt', path: 'a.txt', isFolder: false, size: 4 },
    ],
  });
  const first = await folder('(path: "many")');
  expect([first.entryCount, first.entries.length]).toEqual([251, 200]);
  expect(first.entries[0]).toEqual({ name: 'deep', path: 'many/deep', isFolder: true, size: 6 });
  const rest = await folder('(path: "many", offset: 200)');
  expect(rest.entries.map(({ name }: { name: string }) => name).at(-1)).toBe('f249');
  for (const path of ['man', 'many/../many', 'a.txt', '/']) expect(await folder(`(path: "${path}")`)).toBeNull();
});

it('reads attempts, needs, origins and rights of many records with the statements for one', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const schedule = {
    projectId: project.id,
    ownerId: owner.id,
    description: 's',
    ref: 'refs/heads/main',
    cron: '0 0 * * *',
  };
  const make = async () => {
    const { pipelineId } = await takenJob(world, owner, project, { name: 'first' });
    const next = await takenJob(world, owner, project, { name: 'second', pipelineId });
    await world.db.job.update({ where: { id: next.id }, data: { needs: ['first'] } });
    const { id: scheduleId } = await world.db.pipelineSchedule.create({ data: schedule });
    await world.db.pipeline.update({ where: { id: pipelineId }, data: { scheduleId } });
    const environment = { projectId: project.id, name: world.unique('env'), slug: world.unique('env') };
    const { id: environmentId } = await world.db.environment.create({ data: environment });
    const iid = 1 + (await world.db.deployment.count({ where: { projectId: project.id } }));
    const by = { projectId: project.id, userId: owner.id, ref: 'main', sha: '1'.repeat(40), environmentId, iid };
    await world.db.deployment.create({ data: by });
    const tokenHash = Buffer.from(world.unique('token'));
    const runner = { description: 'r', tokenHash, projects: { create: { projectId: project.id } } };
    await world.db.runner.create({ data: runner });
  };
  const query = `{ project(ref: ${project.id}) {
    pipelines(first: 20) { nodes { schedule { description viewerCanUpdate viewerCanDelete viewerCanPlay viewerCanTakeOwnership } mergeRequest { iid } variableKeys } }
    jobs(first: 20) { nodes { attempts { databaseId } neededJobs { name } traceEnd viewerCanDeleteArtifacts } }
    environments(first: 20) { nodes { deployments(first: 2) { nodes { iid } } } }
    runners(first: 20) { nodes { viewerCanUpdate viewerCanDelete } } } }`;
  await make();
  await make();
  let answer: Awaited<ReturnType<typeof ask>>;
  const few = await world.statements(async () => {
    answer = await ask(owner, query);
  });
  for (let at = 0; at < 4; at++) await make();
  const many = await world.statements(async () => {
    answer = await ask(owner, query);
  });
  expect(many).toHaveLength(few.length);
  const { pipelines, jobs, environments, runners } = answer?.data.project ?? {};
  expect(pipelines.nodes).toHaveLength(6);
  expect(pipelines.nodes[0].schedule).toEqual({
    description: 's',
    viewerCanUpdate: true,
    viewerCanDelete: true,
    viewerCanPlay: true,
    viewerCanTakeOwnership: false,
  });
  expect(jobs.nodes.slice(0, 2).map(({ neededJobs }: { neededJobs: object[] }) => neededJobs)).toEqual([
    [{ name: 'first' }],
    [],
  ]);
  for (const { attempts } of jobs.nodes) expect(attempts).toHaveLength(1);
  for (const { deployments } of environments.nodes) expect(deployments.nodes).toHaveLength(1);
  expect(runners.nodes.at(-1)).toEqual({ viewerCanUpdate: true, viewerCanDelete: true });
});

it('tells nobody rights over runners of several projects, and no merge request that is hidden', async () => {
  const [owner, guest] = [await world.user(), await world.user()];
  const [project, second] = [await world.project({ owner, visibility: 'internal' }), await world.project({ owner })];
  const tokenHash = Buffer.from(world.unique('token'));
  const { id } = await world.db.runner.create({
    data: { description: 'r', tokenHash, projects: { create: [{ projectId: project.id }, { projectId: second.id }] } },
  });
  const rights = `{ runner(id: ${id}) { viewerCanUpdate viewerCanDelete } }`;
  expect((await ask(owner, rights)).data.runner).toEqual({ viewerCanUpdate: true, viewerCanDelete: false });
  expect((await ask(guest, rights)).data.runner).toBeNull();
  const job = await takenJob(world, owner, project);
  await world.db.pipeline.update({ where: { id: job.pipelineId }, data: { mergeRequestId: 1_000_000 } });
  const { data } = await ask(
    owner,
    `{ project(ref: ${project.id}) { pipeline(id: ${job.pipelineId}) { mergeRequest { iid } } } }`,
  );
  expect(data.project.pipeline.mergeRequest).toBeNull();
});

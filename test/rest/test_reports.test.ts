// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { storeReport } from '../support/artifacts.ts';
import { endJob, takenJob } from '../support/running_job.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const guest = await world.user();
const stranger = await world.user();
let project: ProjectRow;

beforeAll(async () => {
  project = await world.project({ owner });
  await world.member(project, guest, 'guest');
});

const passed = (name: string, time = 1) => `<testcase classname="C" name="${name}" time="${time}"/>`;
const failed = (name: string) =>
  `<testcase classname="C" name="${name}" time="0.5"><failure>wrong</failure><system-out>[[ATTACHMENT|a/ä.png]]</system-out></testcase>`;
const suite = (...cases: string[]) => `<testsuites><testsuite>${cases.join('')}</testsuite></testsuites>`;

/** A pipeline whose jobs, by their names, have these reports. */
async function pipelineWith(reports: Record<string, string>) {
  const ids: Record<string, number> = {};
  let pipelineId: number | undefined;
  for (const [name, content] of Object.entries(reports)) {
    const job = await takenJob(world, owner, project, { name, ...(pipelineId === undefined ? {} : { pipelineId }) });
    pipelineId = job.pipelineId;
    ids[name] = job.id;
    await storeReport(world, { id: job.id, projectId: project.id }, 'junit', content);
    await endJob(world, job.id);
  }
  return { ids, pipelineId, at: `/projects/${project.id}/pipelines/${pipelineId}` };
}

const report = async (at: string) => (await world.api(owner).get(`${at}/test_report`)).body;
const summary = async (at: string) => (await world.api(owner).get(`${at}/test_report_summary`)).body;

describe('The test report of a pipeline with children', () => {
  it('holds the tests of the children, too, as long as their jobs are current', async () => {
    const [parent, child, other] = [
      await pipelineWith({ unit: suite(passed('a')) }),
      await pipelineWith({ below: suite(passed('b'), failed('c')) }),
      await pipelineWith({ apart: suite(passed('d')) }),
    ];
    const bridge = { projectId: project.id, userId: owner.id, name: 'go', stage: 's', stageIndex: 0, bridge: true };
    const { id } = await world.db.job.create({ data: { ...bridge, pipelineId: parent.pipelineId ?? 0 } });
    const sourced = (pipelineId: number | undefined, source: 'parent_pipeline' | 'pipeline') =>
      world.db.pipeline.update({ where: { id: pipelineId ?? 0 }, data: { source, sourceJobId: id } });
    await sourced(child.pipelineId, 'parent_pipeline');
    // A pipeline of another project is none of its parts.
    await sourced(other.pipelineId, 'pipeline');
    const names = async (at: string) => (await report(at)).test_suites.map(({ name }: { name: string }) => name);
    expect(await names(parent.at)).toEqual(['unit', 'below']);
    expect((await summary(parent.at)).total).toMatchObject({ count: 3, failed: 1 });
    expect(await names(child.at)).toEqual(['below']);
    await world.db.job.update({ where: { id }, data: { retried: true } });
    expect(await names(parent.at)).toEqual(['unit']);
  });
});

describe('GET /projects/:id/pipelines/:pipeline_id/test_report', () => {
  it('holds the tests of its jobs: parallel ones together, those of a matrix apart', async () => {
    const { at, ids } = await pipelineWith({
      'unit 1/2': suite(passed('a'), failed('b')),
      'unit 2/2': suite(passed('c', 2)),
      'lint: [x]': suite(
        '<testcase name="d"><skipped/></testcase>',
        '<testcase name="e"><error>lost</error></testcase>',
      ),
    });
    const none = { classname: 'C', file: null, system_output: null, attachment_url: null };
    const a = { ...none, status: 'success', name: 'a', execution_time: 1 };
    expect(await report(at)).toEqual({
      total_time: 3.5,
      total_count: 5,
      success_count: 2,
      failed_count: 1,
      skipped_count: 1,
      error_count: 1,
      test_suites: [
        {
          name: 'unit',
          total_time: 3.5,
          total_count: 3,
          success_count: 2,
          failed_count: 1,
          skipped_count: 0,
          error_count: 0,
          suite_error: null,
          test_cases: [
            a,
            {
              ...a,
              status: 'failed',
              name: 'b',
              execution_time: 0.5,
              system_output: 'wrong',
              attachment_url: `${world.url}/api/v4/projects/${project.id}/jobs/${ids['unit 1/2']}/artifacts/a/%C3%A4.png`,
            },
            { ...a, name: 'c', execution_time: 2 },
          ],
        },
        expect.objectContaining({
          name: 'lint: [x]',
          skipped_count: 1,
          error_count: 1,
          test_cases: [
            { ...none, classname: null, status: 'skipped', name: 'd', execution_time: 0 },
            { ...none, classname: null, status: 'error', name: 'e', execution_time: 0, system_output: 'lost' },
          ],
        }),
      ],
    });
  });

  it('says why a report cannot be read, and still holds the others', async () => {
    const { at } = await pipelineWith({ broken: '<testsuite>', unit: suite(passed('a')) });
    const { total_count, test_suites } = await report(at);
    expect([total_count, test_suites.map(({ name, suite_error }: never) => [name, suite_error])]).toEqual([
      1,
      [
        ['broken', 'JUnit XML parsing failed: testsuite is not closed'],
        ['unit', null],
      ],
    ]);
    expect((await summary(at)).total.suite_error).toContain('not closed');
  });

  it('leaves out jobs that were retried and reports that have expired, and is empty without any', async () => {
    const { at, ids } = await pipelineWith({ old: suite(passed('a')), over: suite(passed('b')) });
    expect((await report(at)).total_count).toBe(2);
    await world.db.job.update({ where: { id: ids.old ?? 0 }, data: { retried: true } });
    const expireAt = new Date(Date.now() - 1);
    await world.db.jobReport.updateMany({ where: { jobId: ids.over ?? 0 }, data: { expireAt } });
    const counts = { total_count: 0, success_count: 0, failed_count: 0, skipped_count: 0, error_count: 0 };
    expect(await report(at)).toEqual({ total_time: 0, ...counts, test_suites: [] });
  });

  it('ends reports that would take too long or too much', async () => {
    const { at } = await pipelineWith({ large: ' '.repeat(21 * 1024 * 1024), unit: suite(passed('a')) });
    const { test_suites } = await report(at);
    expect(test_suites[0].suite_error).toContain('larger than');
    expect(test_suites[1].total_count).toBe(1);
  });

  it('is for who may read pipelines: 403 and 404 for others', async () => {
    const { at } = await pipelineWith({ unit: suite(passed('a')) });
    const statuses = async (who: typeof owner) =>
      Promise.all(
        ['test_report', 'test_report_summary'].map(async (end) => (await world.api(who).get(`${at}/${end}`)).status),
      );
    expect([await statuses(guest), await statuses(stranger)]).toEqual([
      [200, 200],
      [404, 404],
    ]);
    await world.db.project.update({ where: { id: project.id }, data: { publicJobs: false } });
    expect(await statuses(guest)).toEqual([403, 403]);
    await world.db.project.update({ where: { id: project.id }, data: { publicJobs: true } });
  });
});

describe('GET /projects/:id/pipelines/:pipeline_id/test_report_summary', () => {
  it('has the same numbers without the tests', async () => {
    const { at, ids } = await pipelineWith({ 'unit 1/2': suite(passed('a')), 'unit 2/2': suite(failed('b')) });
    expect(await summary(at)).toEqual({
      total: { time: 1.5, count: 2, success: 1, failed: 1, skipped: 0, error: 0, suite_error: null },
      test_suites: [
        {
          name: 'unit',
          total_time: 1.5,
          total_count: 2,
          success_count: 1,
          failed_count: 1,
          skipped_count: 0,
          error_count: 0,
          build_ids: [ids['unit 1/2'], ids['unit 2/2']],
          suite_error: null,
        },
      ],
    });
  });
});

describe('Pipeline.testReport', () => {
  it('holds the tests of several pipelines by GraphQL', async () => {
    const one = await pipelineWith({ unit: suite(passed('a'), failed('b')) });
    const two = await pipelineWith({ unit: suite(passed('c')) });
    const query = `query ($project: ProjectRef!) { project(ref: $project) { pipelines(first: 2) { nodes {
      databaseId testReport { total { count failed } testSuites { testCases { status name jobId } } } } } } }`;
    const { body } = await world.graphql(query, { project: project.id }, owner);
    const reports = body.data.project.pipelines.nodes.map((node: never) => Object.values(node));
    expect(reports).toEqual([
      [
        two.pipelineId,
        {
          total: { count: 1, failed: 0 },
          testSuites: [{ testCases: [{ status: 'SUCCESS', name: 'c', jobId: two.ids.unit }] }],
        },
      ],
      [
        one.pipelineId,
        {
          total: { count: 2, failed: 1 },
          testSuites: [
            {
              testCases: [
                { status: 'SUCCESS', name: 'a', jobId: one.ids.unit },
                { status: 'FAILED', name: 'b', jobId: one.ids.unit },
              ],
            },
          ],
        },
      ],
    ]);
  });
});

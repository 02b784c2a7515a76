// One part in depth, which the long run has.
// @module-tag long
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { can, type ProjectAbility, projectAbilities } from '#src/access/permissions/abilities.ts';
import { artifactsStore } from '#src/domain/ci/artifacts_store.ts';
import { createVariable } from '#src/domain/ci/variables/save.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { storeArtifacts } from '../support/artifacts.ts';
import { projectWithCommit } from '../support/ci.ts';
import type { Answer } from '../support/http.ts';
import { registerRunner, type TestRunner } from '../support/runner.ts';
import { endJob, takenJob } from '../support/running_job.ts';
import { startWorld, type TestUser } from '../support/world.ts';

/* What can be read in more than one way asks for the same rights on each of them. */

const world = await startWorld({ pagesHost: 'pages.example.test' });
const owner = await world.user();
const stranger = await world.user();

/** The statuses of requests by their paths. */
async function statuses(paths: readonly string[], who: TestUser | undefined): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const path of paths) found[path] = (await world.api(who).get(path)).status;
  return found;
}

const all = (paths: readonly string[], status: number) => Object.fromEntries(paths.map((path) => [path, status]));

describe('With public jobs off, what jobs write', () => {
  const people: Record<string, TestUser> = {};
  let project: ProjectRow;
  let job: { id: number; pipelineId: number };

  beforeAll(async () => {
    project = await world.project({ owner, visibility: 'public' });
    for (const role of ['guest', 'reporter'] as const) {
      people[role] = await world.user();
      await world.member(project, people[role], role);
    }
    people.stranger = stranger;
    job = await takenJob(world, owner, project);
    await endJob(world, job.id);
    await world.db.pipeline.update({ where: { id: job.pipelineId }, data: { status: 'success' } });
    await world.db.jobTraceChunk.create({ data: { jobId: job.id, position: 0, content: Buffer.from('the-output') } });
    await storeArtifacts(world, { id: job.id, projectId: project.id });
    const report = gzipSync('<testsuite><testcase name="the-output"/></testsuite>');
    const place = { projectId: project.id, secret: 'f'.repeat(32), fileName: 'junit.xml.gz' };
    await artifactsStore(world).write(place, Readable.from([report]), report.length);
    const { projectId, secret, fileName } = place;
    const values = { type: 'junit', format: 'gzip', fileName, secret, size: report.length, sha256: '0'.repeat(64) };
    await world.db.jobReport.create({ data: { jobId: job.id, projectId, ...values } });
  });

  const rest = () => {
    const at = `/projects/${project.id}`;
    return [
      `${at}/jobs/${job.id}/trace`,
      `${at}/jobs/${job.id}/artifacts`,
      `${at}/jobs/${job.id}/artifacts/app.txt`,
      `${at}/jobs/artifacts/master/download?job=unit`,
      `${at}/jobs/artifacts/master/raw/app.txt?job=unit`,
      `${at}/pipelines/${job.pipelineId}/test_report`,
      `${at}/pipelines/${job.pipelineId}/test_report_summary`,
    ];
  };
  const FIELDS = [
    'trace',
    'traceTail',
    'traceEnd',
    'traceLines(from: 1) { content }',
    'traceMatches(text: "output") { text }',
    'artifactsFile { filename }',
    'artifactsExpireAt',
    'files { filename }',
    'artifactFile(path: "app.txt") { text }',
    'artifactFolder(path: "") { entries { name } }',
    'pipeline { testReport { total { count } } }',
  ];
  /** The fields of the job that are there, one operation each, as a refused one takes others with it. */
  async function read(who: TestUser): Promise<string[]> {
    const found: string[] = [];
    for (const field of FIELDS) {
      const query = `query ($project: ProjectRef!, $id: ID!) { project(ref: $project) { job(id: $id) { value: ${field} } } }`;
      const { body } = await world.graphql(query, { project: project.id, id: String(job.id) }, who);
      const value = body.data?.project?.job?.value;
      if (value != null && !(Array.isArray(value) && value.length === 0) && value.testReport !== null)
        found.push(field);
    }
    return found;
  }

  it.each([
    [true, 'stranger', 200],
    [true, 'guest', 200],
    [false, 'stranger', 403],
    [false, 'guest', 403],
    [false, 'reporter', 200],
  ] as const)('is (public: %s) for a %s: %i, by every way', async (publicJobs, who, status) => {
    await world.db.project.update({ where: { id: project.id }, data: { publicJobs } });
    const person = people[who] as TestUser;
    expect(await statuses(rest(), person)).toEqual(all(rest(), status));
    expect(await read(person)).toEqual(status === 200 ? FIELDS : []);
    // The job itself stays in the lists.
    const { body } = await world.api(person).get(`/projects/${project.id}/jobs/${job.id}`);
    expect([body.id, body.artifacts_file != null, body.artifacts.length > 0]).toEqual([
      job.id,
      status === 200,
      status === 200,
    ]);
  });

  it('is an ability that only closes where the one for jobs stays open', () => {
    const open: Record<string, boolean> = {};
    for (const publicJobs of [true, false]) {
      const subject = { ...project, accessLevel: 0, publicJobs };
      for (const ability of ['read_pipeline', 'read_job_output'] as const)
        open[`${ability} ${publicJobs}`] = can(stranger.actor, ability, subject);
    }
    expect(open).toEqual({
      'read_pipeline true': true,
      'read_job_output true': true,
      'read_pipeline false': true,
      'read_job_output false': false,
    });
  });
});

describe('The log of a job that prints its variables', () => {
  let runner: TestRunner;
  beforeAll(async () => {
    runner = await registerRunner(world);
  });
  beforeEach(async () => {
    await world.idle();
    await world.db.job.updateMany({ where: { status: { in: ['pending', 'running'] } }, data: { status: 'canceled' } });
  });

  /** Where a variable of a job may come from, each putting it in its place. */
  const ORIGINS: Record<string, (name: string, value: string) => Promise<{ projectId: number }>> = {
    file: async (name, value) => started(`unit: {script: [x], variables: {${name}: "${value}"}}`),
    project: async (name, value) =>
      started('unit: {script: [x]}', ({ id }) => createVariable(world.as(owner), { project: id, key: name, value })),
    group: async (name, value) =>
      started('unit: {script: [x]}', async ({ namespaceId }) =>
        createVariable(world.as(owner), { group: namespaceId, key: name, value }),
      ),
    pipeline: async (name, value) => {
      const { projectId } = await started('unit: {script: [x]}');
      await world.db.job.updateMany({ where: { projectId }, data: { status: 'canceled' } });
      const variables = [{ key: name, value }];
      await world.api(owner).post(`/projects/${projectId}/pipeline`, { ref: 'master', variables });
      await world.idle();
      return { projectId };
    },
  };

  async function started(config: string, prepare: (project: ProjectRow) => Promise<unknown> = async () => undefined) {
    const group = await world.group({ owner, visibility: 'public' });
    const { project } = await projectWithCommit(world, owner, { config, visibility: 'public', namespaceId: group.id });
    await prepare(project);
    await world.idle();
    return { projectId: project.id };
  }

  it.each([
    ...Object.keys(ORIGINS).map((origin) => [origin, 'CI_DEBUG_TRACE', 'true', 403] as const),
    ['file', 'CI_DEBUG_SERVICES', 'True', 403] as const,
    ['file', 'CI_DEBUG_TRACE', '$ANOTHER', 403] as const,
    ['file', 'CI_DEBUG_TRACE', 'false', 200] as const,
    ['file', 'DEBUG', 'true', 200] as const,
  ])(
    'by a variable of its %s (%s: %s) is for developers and up, whatever its runner says: %i',
    async (origin, name, value, status) => {
      const { projectId } = (await ORIGINS[origin]?.(name, value)) ?? { projectId: 0 };
      const job = await runner.take();
      expect(job.job_info.project_id).toBe(projectId);
      await runner.print(job, 0, 'a');
      const trace = `/projects/${projectId}/jobs/${job.id}/trace`;
      const asked = async (who: TestUser) => (await world.api(who).get(trace)).status;
      expect([await asked(stranger), await asked(owner)]).toEqual([status, 200]);
    },
  );
});

describe('Labels, milestones and boards', () => {
  let project: ProjectRow;
  let member: TestUser;
  const LISTS = ['labels', 'milestones', 'boards'];

  beforeAll(async () => {
    const group = await world.group({ owner, visibility: 'public' });
    project = await world.project({ owner, visibility: 'public', namespaceId: group.id });
    member = await world.user();
    await world.member(project, member, 'guest');
    await world.label(project, owner, 'hidden-label');
    await world.milestone(project, owner, { title: 'hidden-milestone' });
    await world.db.board.create({ data: { projectId: project.id, name: 'hidden-board' } });
  });

  const only = (...membersOnly: string[]) =>
    world.db.project.update({ where: { id: project.id }, data: { membersOnly } });
  const paths = () => LISTS.map((list) => `/projects/${project.id}/${list}`);
  /** Every other way to them: answers in which none of them may occur. */
  const ways = (): Record<string, (who: TestUser) => Promise<Answer>> => ({
    search: (who) => world.api(who).get('/search?scope=milestones&search=hidden-milestone'),
    group: (who) =>
      world.api(who).get(`/groups/${project.namespaceId}/search?scope=milestones&search=hidden-milestone`),
    labels: (who) =>
      world.graphql(
        `{ group(ref: ${project.namespaceId}) { labels(includeDescendantGroups: true, onlyGroupLabels: false) { nodes { title } } } }`,
        {},
        who,
      ),
    events: (who) => world.api(who).get(`/projects/${project.id}/events?target_type=milestone`),
    feed: (who) => world.api(who).get(`/users/${owner.id}/events?target_type=milestone`),
  });

  it('follow issues and merge requests: when both are for members, others read none, and nothing leads there', async () => {
    await only('issues', 'mergeRequests');
    expect(await statuses(paths(), stranger)).toEqual(all(paths(), 403));
    expect(await statuses(paths(), member)).toEqual(all(paths(), 200));
    const { body } = await world.api(stranger).get(`/projects/${project.id}`);
    expect(Object.keys(body._links).filter((name) => /labels|issues|merge/.test(name))).toEqual([]);
    for (const [name, way] of Object.entries(ways())) {
      expect([name, JSON.stringify((await way(stranger)).body).includes('hidden-')]).toEqual([name, false]);
    }
  });

  it('are read by all who see the project while one of the two is for all; boards show issues alone', async () => {
    await only('issues');
    const [labels = '', milestones = '', boards = ''] = paths();
    expect(await statuses(paths(), stranger)).toEqual({ [labels]: 200, [milestones]: 200, [boards]: 403 });
    const { body } = await world.api(stranger).get(`/projects/${project.id}`);
    expect(
      Object.keys(body._links)
        .filter((name) => /labels|issues|merge/.test(name))
        .sort(),
    ).toEqual(['labels', 'merge_requests']);
    await only('mergeRequests');
    expect(await statuses(paths(), stranger)).toEqual(all(paths(), 200));
    for (const [name, way] of Object.entries(ways())) {
      expect([name, JSON.stringify((await way(stranger)).body).includes('hidden-')]).toEqual([name, true]);
    }
  });

  it('hold every ability to read what shows in features', () => {
    const shown = (Object.keys(projectAbilities) as ProjectAbility[]).filter(
      (name) => 'shownIn' in projectAbilities[name],
    );
    expect(shown).toEqual(['read_label', 'read_milestone', 'read_board']);
  });
});

describe('A whole e-mail address', () => {
  it('finds its user where it is public, for that user and for administrators, and else nobody, in every search', async () => {
    const admin = await world.user({ admin: true });
    const [hidden, shown] = [await world.user(), await world.user()];
    const group = await world.group({ owner, visibility: 'public' });
    const project = await world.project({ owner, visibility: 'public', namespaceId: group.id });
    for (const one of [hidden, shown, stranger])
      for (const place of [project, group]) await world.member(place, one, 'guest');
    const address = async ({ id }: TestUser) => {
      const email = `${world.unique('address')}@private.example`;
      await world.db.user.update({ where: { id }, data: { email } });
      return email;
    };
    const [ofHidden, ofShown] = [await address(hidden), await address(shown)];
    await world.db.user.update({ where: { id: shown.id }, data: { publicEmail: ofShown } });
    const issue = await world.issue(project, hidden);
    await world.api(shown).post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body: 'here' });
    const searches = (text: string): Record<string, (who: TestUser) => Promise<Answer>> => ({
      users: (who) => world.api(who).get(`/users?search=${text}`),
      search: (who) => world.api(who).get(`/search?scope=users&search=${text}`),
      members: (who) => world.api(who).get(`/projects/${project.id}/members?query=${text}`),
      inherited: (who) => world.api(who).get(`/projects/${project.id}/members/all?query=${text}`),
      group: (who) => world.api(who).get(`/groups/${group.id}/members?query=${text}`),
      ofProject: (who) => world.api(who).get(`/projects/${project.id}/users?search=${text}`),
      participants: (who) =>
        world.graphql(
          'query ($p: ProjectRef!, $i: Int!, $t: String) { project(ref: $p) { issue(iid: $i) { participants(search: $t) { nodes { databaseId username } } } } }',
          { p: project.id, i: issue.iid, t: text },
          who,
        ),
    });
    const found = async (text: string, who: TestUser, whom: TestUser) => {
      const names: string[] = [];
      for (const [name, search] of Object.entries(searches(text))) {
        const { body } = await search(who);
        if (JSON.stringify(body).includes(whom.username)) names.push(name);
      }
      return names;
    };
    const everywhere = Object.keys(searches(''));
    expect(await found(ofHidden, stranger, hidden)).toEqual([]);
    expect(await found(ofHidden, owner, hidden)).toEqual([]);
    expect(await found(ofHidden, hidden, hidden)).toEqual(everywhere);
    expect(await found(ofHidden, admin, hidden)).toEqual(everywhere);
    expect(await found(ofShown, stranger, shown)).toEqual(everywhere);
  });
});

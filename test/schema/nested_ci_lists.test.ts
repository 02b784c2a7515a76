// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { createTrigger } from '#src/domain/ci/triggers/save.ts';
import { createVariable } from '#src/domain/ci/variables/save.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createSnippet } from '#src/domain/snippets/save.ts';
import { commitFile, projectWithCommit } from '../support/ci.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { asker, below, expectStatementPerLevel, type Level } from '../support/nested_lists.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const ask = asker(world);
const owner = await world.user();
const [reporter, stranger, foreigner] = [await world.user(), await world.user(), await world.user({ external: true })];
const everybody = [owner, reporter, stranger, foreigner];

/** A project with that many of everything that pipelines and their surroundings have. */
async function filled(count: number): Promise<ProjectRow> {
  const { project } = await projectWithCommit(world, owner, { visibility: 'public' });
  await world.member(project, reporter, 'reporter');
  // Who is external sees internal texts as a member alone.
  if (count === 2) await world.member(project, foreigner, 'guest');
  for (let n = 1; n <= count; n += 1) {
    await deployed(project, n);
    await createTrigger(world.as(owner), project.id, `Trigger ${n}`);
    await createVariable(world.as(owner), { project: project.id, key: `KEY_${n}`, value: `value ${n}` });
    const text = { project: project.id, title: `Text ${n}`, fileName: 'a.txt', content: `text ${n}` };
    for (const visibility of ['private', 'internal', 'public'] as const) {
      await createSnippet(world.as(n % 2 ? owner : reporter), { ...text, visibility });
    }
  }
  return project;
}

/** A pipeline with two jobs and a posted status, of which one job has deployed. */
async function deployed({ id: projectId }: ProjectRow, n: number): Promise<void> {
  const { db } = world;
  const ofUser = { projectId, userId: n % 2 ? owner.id : reporter.id };
  const commit = { ref: n % 2 ? 'master' : 'gone', sha: String(n).repeat(40) };
  const { id: pipelineId } = await db.pipeline.create({ data: { ...ofUser, ...commit, source: 'api', coverage: n } });
  const job = { ...ofUser, pipelineId, stage: 'test', stageIndex: 0, coverage: n };
  await db.job.create({ data: { ...job, name: 'unit' } });
  await db.job.create({ data: { ...job, name: 'posted', generic: true } });
  const { id: jobId } = await db.job.create({ data: { ...job, name: 'deploy', status: 'success' } });
  const place = { projectId, name: `place-${n}`, slug: `place-${n}` };
  const { id: environmentId } = await db.environment.create({ data: place });
  const deployment = { ...ofUser, ...commit, environmentId };
  await db.deployment.create({ data: { ...deployment, iid: 2 * n, jobId } });
  await db.deployment.create({ data: { ...deployment, iid: 2 * n + 1 } });
}

const [one] = [await filled(1), await filled(2), await filled(3), await filled(0)];

const PIPELINE = 'ref sha status coverage beforeSha user { username } createdAt';
const JOB = 'name status ref tag coverage user { username } artifactsFile { size } runner { databaseId }';
const JOBS = `totalCount nodes { ${JOB} }`;
const DEPLOYMENT = `iid ref user { username } environment { name externalUrl } deployable { ${JOB} pipeline { ${PIPELINE} } }`;

interface Readable extends Level {
  /** Who may read it; everybody where it is not said. */
  readers?: TestUser[];
}

const LEVELS: Record<string, Readable> = {
  pipelines: { selection: `pipelines(first: 2) { totalCount nodes { ${PIPELINE} } }`, levels: 2 },
  'the pipelines of somebody in an order': {
    selection: `pipelines(username: "${owner.username}", orderBy: STATUS, sort: ASC) { totalCount nodes { ${PIPELINE} } }`,
    levels: 2,
  },
  'the latest pipelines of branches': {
    selection: 'pipelines(scope: BRANCHES) { totalCount nodes { ref sha } }',
    levels: 2,
  },
  'pipelines with their jobs': {
    selection: `pipelines { nodes { ${PIPELINE} jobs(first: 1) { ${JOBS} } } }`,
    levels: 3,
  },
  jobs: { selection: `jobs(scope: [CREATED, SUCCESS]) { ${JOBS} }`, levels: 2 },
  'jobs with the other jobs of their pipelines': {
    selection: `jobs { nodes { name pipeline { ref jobs { ${JOBS} } } } }`,
    levels: 3,
  },
  environments: {
    selection: 'environments { totalCount nodes { name slug state externalUrl } }',
    levels: 2,
    readers: [owner, reporter],
  },
  'environments with their projects': {
    selection: 'environments { nodes { name project { fullPath } } }',
    levels: 3,
    readers: [owner, reporter],
  },
  deployments: {
    selection: `deployments { totalCount nodes { ${DEPLOYMENT} } }`,
    levels: 2,
    readers: [owner, reporter],
  },
  'deployments with the jobs of their pipelines': {
    selection: `deployments { nodes { iid deployable { name pipeline { jobs { ${JOBS} } } } } }`,
    levels: 3,
    readers: [owner, reporter],
  },
  triggers: {
    selection: 'triggers { totalCount nodes { token description owner { username } } }',
    levels: 2,
    readers: [owner],
  },
  variables: { selection: 'variables { totalCount nodes { key value } }', levels: 2, readers: [owner] },
  'snippets with their texts': { selection: 'snippets(first: 1) { nodes { title content } }', levels: 2 },
  snippets: {
    selection: 'snippets(first: 4) { totalCount nodes { title webUrl author { username email } project { path } } }',
    levels: 3,
  },
};

describe('Below a list, lists of', () => {
  const cases = Object.entries(LEVELS);

  itEveryNth(3, cases)('%s take one statement for a level, however many records are above', async (_, level) => {
    await expectStatementPerLevel(world, level, owner);
  });

  itEveryNth(5, cases)(
    '%s hold what each holds when it is asked for alone, for whoever may read them',
    async (_, level) => {
      for (const who of level.readers ?? everybody) {
        const { nodes } = (await ask(below(4, level.selection), who)).projects;
        expect(nodes.length).toBe(4);
        for (const node of nodes) {
          const alone = await ask(`{ project(ref: ${node.databaseId}) { databaseId ${level.selection} } }`, who);
          expect(node).toEqual(alone.project);
        }
      }
    },
  );

  it(
    'statuses and comments take one statement each for all commits, and hold what each holds alone',
    LONG,
    async () => {
      for (const name of ['build', 'lint', 'test']) {
        const sha = await commitFile(world, owner, one);
        await world.api(owner).post(`/projects/${one.id}/statuses/${sha}`, { state: 'success', name, coverage: 7 });
        const comment = { note: `On ${name}`, path: name };
        await world.api(owner).post(`/projects/${one.id}/repository/commits/${sha}/comments`, comment);
      }
      const lists = `statuses(first: 5) { totalCount nodes { name status sha ref pipelineId coverage generic
      author { username } } } comments { totalCount nodes { note path line lineType author { username email } } }`;
      const list = (limit: number) =>
        `{ project(ref: ${one.id}) { repository { commits(limit: ${limit}) { nodes { sha ${lists} } } } } }`;
      // The first request with a document shows what the others read of its project.
      for (const limit of [1, 3]) await ask(list(limit), owner);
      const count = async (limit: number) => (await world.statements(() => ask(list(limit), owner))).length;
      expect(await count(3)).toBe(await count(1));
      const { nodes } = (await ask(list(3), reporter)).project.repository.commits;
      for (const list of ['statuses', 'comments']) {
        expect(nodes.map((node: Record<string, { totalCount: number }>) => node[list]?.totalCount)).toEqual([1, 1, 1]);
      }
      for (const node of nodes) {
        const alone = await ask(
          `{ project(ref: ${one.id}) { repository { commit(ref: "${node.sha}") { sha ${lists} } } } }`,
          reporter,
        );
        expect(node).toEqual(alone.project.repository.commit);
      }
    },
  );
});

describe('A list below projects', () => {
  it('refuses whoever may not read it, by name', async () => {
    for (const [name, who] of [
      ['triggers', reporter],
      ['variables', stranger],
      ['deployments', stranger],
    ] as const) {
      const { body } = await world.graphql(below(4, `${name} { nodes { databaseId: __typename } }`), {}, who);
      expect(body.errors?.[0]).toMatchObject({ path: ['projects', 'nodes', expect.any(Number), name] });
      expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
    }
  });

  it('names the latest pipelines of the branches of each project, and of no other one', async () => {
    const { nodes } = (await ask(below(4, 'pipelines(scope: BRANCHES) { nodes { ref sha } }'), stranger)).projects;
    type Listed = { pipelines: { nodes: { sha: string }[] } };
    const first = (node: Listed) => node.pipelines.nodes.map(({ sha }) => sha[0]);
    expect(nodes.slice(1).map(first)).toEqual([['1'], ['3'], []]);
  });
});

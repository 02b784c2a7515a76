import { createDeployment } from '#src/domain/ci/deployments/create.ts';
import { createEnvironment } from '#src/domain/ci/environments/save.ts';
import { playJob, retryJob } from '#src/domain/ci/jobs/change.ts';
import { stopEnvironment } from '#src/domain/ci/jobs/stop_environment.ts';
import { cancelPipeline } from '#src/domain/ci/pipelines/cancel.ts';
import { createPipeline } from '#src/domain/ci/pipelines/create.ts';
import { type NewStatus, postStatus } from '#src/domain/ci/statuses/post.ts';
import { fireTrigger } from '#src/domain/ci/triggers/fire.ts';
import { createTrigger } from '#src/domain/ci/triggers/save.ts';
import { createVariable } from '#src/domain/ci/variables/save.ts';
import { tipOf } from '#src/entrances/seed/push.ts';
import { type Outcome, runJobs } from '#src/entrances/seed/run_pipeline.ts';
import type { Scene, Stage } from '#src/entrances/seed/stage.ts';

const APPLES = 'orchard/apples';
const WEBSITE = 'orchard/website';

const BUILT: Outcome = {
  state: 'success',
  seconds: 41,
  trace: '$ npm install\nadded 12 packages in 38s\nJob succeeded\n',
};
const LINTED: Outcome = { state: 'success', seconds: 8, trace: '$ npm run lint\nJob succeeded\n' };
const UNTIDY: Outcome = {
  state: 'failed',
  seconds: 7,
  trace: '$ npm run lint\nsrc/basket.js:8 missing semicolon\nERROR: Job failed: exit code 1\n',
};
const BROKEN: Outcome = {
  state: 'failed',
  seconds: 12,
  trace: "$ npm test\nAssertionError: 'A' == 'B'\n    at test/grade.js:9\nERROR: Job failed: exit code 1\n",
};
const tested = (coverage: number): Outcome => ({
  state: 'success',
  seconds: 15,
  coverage,
  trace: `$ npm test\nCoverage: ${coverage}%\nJob succeeded\n`,
});
const deployed = (to: string): Outcome => ({
  state: 'success',
  seconds: 63,
  trace: `$ ./deploy ${to}\nUploading 4 files …\nJob succeeded\n`,
});

/** The outcomes of the pipelines, and deployments. */
export const pipelineScenes: readonly Scene[] = [
  variable('2025-02-01 10:00', 'ada', APPLES, 'DEPLOY_HOST', 'deploy.example.com'),
  variable('2025-02-01 10:01', 'ada', APPLES, 'DEPLOY_KEY', 'not-a-real-key'),
  variable('2025-02-01 10:02', 'ada', WEBSITE, 'CACHE', 'off'),
  {
    at: '2025-02-01 10:05',
    play: async (stage) => createTrigger(await stage.as('ada'), APPLES, 'Nightly', stage.secrets.triggerToken()),
  },
  // Master and its first pipeline; then a branch that fails, is fixed and merged.
  runJobs('2025-02-03 09:31', APPLES, 'master', {
    build: BUILT,
    unit: tested(78),
    lint: UNTIDY,
    staging: deployed('staging'),
  }),
  runJobs('2025-02-17 17:21', APPLES, 'fix/rounding', { build: BUILT, unit: BROKEN, lint: LINTED }),
  runJobs('2025-02-18 09:46', APPLES, 'fix/rounding', {
    build: BUILT,
    unit: tested(81.5),
    lint: LINTED,
    review: deployed('review'),
  }),
  runJobs('2025-02-19 15:01', APPLES, 'master', {
    build: BUILT,
    unit: tested(81.5),
    lint: LINTED,
    staging: deployed('staging'),
  }),
  { at: '2025-02-19 16:00', play: (stage) => stop(stage, 'chloe', 'review/fix/rounding') },
  runJobs('2025-02-19 16:01', APPLES, 'fix/rounding', {
    stop_review: { state: 'success', seconds: 9, trace: '$ ./undeploy review\nJob succeeded\n' },
  }),
  runJobs('2025-02-28 11:01', APPLES, 'master', {
    build: BUILT,
    unit: tested(84),
    lint: LINTED,
    staging: deployed('staging'),
  }),
  ...release('2025-03-03', 'v1.0.0', 84),
  // One canceled, one with a retried job, and one by the trigger.
  runJobs('2025-04-14 14:01', APPLES, 'feature/bruises', { build: BUILT }),
  {
    at: '2025-04-14 14:05',
    play: async (stage) => cancelPipeline(await stage.as('chloe'), APPLES, await latest(stage, 'feature/bruises')),
  },
  runJobs('2025-04-28 10:01', APPLES, 'master', { build: BUILT, unit: BROKEN, lint: LINTED }),
  { at: '2025-04-28 10:20', play: retryUnit },
  runJobs('2025-04-28 10:21', APPLES, 'master', { unit: tested(86), staging: deployed('staging') }),
  {
    at: '2025-05-02 02:00',
    async play(stage) {
      const call = { token: stage.secrets.triggerToken(), ref: 'master', variables: { NIGHTLY: 'yes' } };
      await fireTrigger({ ...(await stage.as('ada')), actor: null }, APPLES, call);
    },
  },
  runJobs('2025-05-02 02:01', APPLES, 'master', { build: { ...BUILT, state: 'failed' } }),
  runJobs('2025-05-05 09:01', APPLES, 'master', {
    build: BUILT,
    unit: tested(86),
    lint: LINTED,
    staging: deployed('staging'),
  }),
  ...release('2025-05-12', 'v1.1.0', 86),
  // The present: one running, one waiting.
  runJobs('2025-06-20 16:31', APPLES, 'feature/cider-press', {
    build: BUILT,
    unit: { seconds: 5, trace: '$ npm test\n' },
  }),
  { at: '2025-06-23 09:00', play: async (stage) => createPipeline(await stage.as('ada'), APPLES, 'master') },

  {
    at: '2025-02-03 12:00',
    play: async (stage) =>
      createEnvironment(await stage.as('ada'), WEBSITE, { name: 'www', externalUrl: 'https://orchard.example.com' }),
  },
  status('2025-03-04 10:00', {
    name: 'ci/build',
    state: 'success',
    targetUrl: 'https://ci.example.com/1',
    coverage: 92.5,
  }),
  status('2025-03-04 10:02', { name: 'ci/links', state: 'failed', description: 'Two links lead nowhere' }),
  status('2025-03-04 11:00', { name: 'ci/links', state: 'success', description: 'All links lead somewhere' }),
  status('2025-03-04 11:10', { name: 'security/scan', state: 'running' }),
  {
    at: '2025-03-04 11:30',
    async play(stage) {
      const context = await stage.as('ben');
      const sha = await tipOf(context, WEBSITE, 'main');
      await createDeployment(context, WEBSITE, { environment: 'www', sha, ref: 'main' });
    },
  },
];

/** A tag is tested, and deployed to production manually. */
function release(day: string, tag: string, coverage: number): Scene[] {
  return [
    runJobs(`${day} 16:01`, APPLES, tag, { build: BUILT, unit: tested(coverage), lint: LINTED }),
    {
      at: `${day} 16:10`,
      async play(stage) {
        const job = await jobOf(stage, await latest(stage, tag), 'production');
        await playJob(await stage.as('ada'), APPLES, job);
      },
    },
    runJobs(`${day} 16:11`, APPLES, tag, { production: deployed('production') }),
  ];
}

async function retryUnit(stage: Stage): Promise<void> {
  await retryJob(await stage.as('ben'), APPLES, await jobOf(stage, await latest(stage, 'master'), 'unit'));
}

async function stop(stage: Stage, by: string, name: string): Promise<void> {
  const where = { projectId: stage.project(APPLES), name };
  const { id } = await stage.stores.db.environment.findFirstOrThrow({ where, select: { id: true } });
  await stopEnvironment(await stage.as(by), APPLES, id);
}

async function latest(stage: Stage, ref: string): Promise<number> {
  const where = { projectId: stage.project(APPLES), ref };
  const found = await stage.stores.db.pipeline.findFirstOrThrow({
    where,
    orderBy: { id: 'desc' },
    select: { id: true },
  });
  return found.id;
}

async function jobOf({ stores }: Stage, pipelineId: number, name: string): Promise<number> {
  const where = { pipelineId, name, retried: false };
  const found = await stores.db.job.findFirstOrThrow({ where, select: { id: true } });
  return found.id;
}

function variable(at: string, by: string, project: string, key: string, value: string): Scene {
  return { at, play: async (stage) => createVariable(await stage.as(by), { project, key, value }) };
}

function status(at: string, values: NewStatus): Scene {
  return {
    at,
    async play(stage) {
      const context = await stage.as('ben');
      return postStatus(context, WEBSITE, await tipOf(context, WEBSITE, 'main'), values);
    },
  };
}

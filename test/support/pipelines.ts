import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectWithCommit } from './ci.ts';
import { startWorld } from './world.ts';

/** A file with jobs of three stages, of which some are for tags, manual or may fail. */
export const CONFIG = `
image: node:24
stages: [build, test, deploy]
variables: {A: 1}
before_script: [prepare]
compile:
  stage: build
  script: [make, make install]
unit:
  script: test
  coverage: '/\\d+%/'
lint:
  script: lint
  allow_failure: true
release:
  stage: deploy
  script: release
  only: [tags]
ship:
  stage: deploy
  script: ship
  when: manual
  except: [tags]
`;

/** The keys of a pipeline in lists, and alone. */
export const LIST_KEYS = [
  'id',
  'status',
  'ref',
  'sha',
  'iid',
  'project_id',
  'source',
  'created_at',
  'updated_at',
  'web_url',
  'name',
];
export const KEYS = [
  'id',
  'iid',
  'project_id',
  'name',
  'sha',
  'ref',
  'status',
  'source',
  'web_url',
  'before_sha',
  'tag',
  'yaml_errors',
  'user',
  'created_at',
  'updated_at',
  'started_at',
  'finished_at',
  'committed_at',
  'duration',
  'queued_duration',
  'coverage',
  'detailed_status',
];

/** A world with somebody of each role, and what tests of pipelines ask of it. */
export async function startPipelineWorld() {
  const world = await startWorld();
  const [owner, developer] = [await world.user(), await world.user()];
  const [reporter, guest] = [await world.user(), await world.user()];

  /** Gives everybody their role in a project. */
  async function members({ id }: { id: number }) {
    const place = { id, issuesEnabled: true } as ProjectRow;
    await world.member(place, developer, 'developer');
    await world.member(place, reporter, 'reporter');
    await world.member(place, guest, 'guest');
  }

  /** A project whose commit says what its pipelines do; the pipeline that came of it is there. */
  async function configured(config: string) {
    const made = await projectWithCommit(world, owner, { config });
    await members(made.project);
    await world.idle();
    return made;
  }

  const jobsOf = (pipelineId: number) => world.db.job.findMany({ where: { pipelineId }, orderBy: { id: 'asc' } });
  const statesOf = async (pipelineId: number) =>
    (await jobsOf(pipelineId)).filter(({ retried }) => !retried).map(({ name, status }) => `${name} ${status}`);
  return { world, owner, developer, reporter, guest, members, configured, jobsOf, statesOf };
}

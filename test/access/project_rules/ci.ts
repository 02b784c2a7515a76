import { createDeployment } from '#src/domain/ci/deployments/create.ts';
import { createEnvironment } from '#src/domain/ci/environments/save.ts';
import { createPipeline } from '#src/domain/ci/pipelines/create.ts';
import { createScheduleVariable } from '#src/domain/ci/schedules/variables.ts';
import { findTrigger, triggerToken } from '#src/domain/ci/triggers/list.ts';
import { createTrigger } from '#src/domain/ci/triggers/save.ts';
import { createVariable } from '#src/domain/ci/variables/save.ts';
import { createFile } from '#src/domain/repository/files/write.ts';
import { select } from '#src/platform/records/selection.ts';
import { storeArtifacts } from '../../support/artifacts.ts';
import type { Rule, Stage } from '../matrix.ts';
import type { ProjectGiven } from './given.ts';

/** behaviour.md 6 of pipelines, jobs, statuses, variables, triggers, runners, environments and deployments. */
export function ciRules({
  world,
  owner,
  reading,
  project,
  commit,
  named,
  branches,
}: ProjectGiven): Record<string, Rule> {
  const newVariable = async (at: Stage) => ({ ...project(at), key: world.unique('KEY_'), value: 'v' });
  const variable = async (at: Stage) => {
    const given = await newVariable(at);
    await createVariable(world.as(owner), { project: at.project.id, ...given });
    return given;
  };
  const reading20 = { success: 200, level: 20, open: 'user' } as const;
  /** A pipeline with a job that waits for somebody, in a project that says what pipelines do on `topic`. */
  const pipeline = async (at: Stage) => {
    const { id } = await branches(at);
    await configure(id);
    const { id: pipelineId } = await createPipeline(world.as(owner), id, 'topic');
    const job = await world.db.job.findFirstOrThrow({ where: { pipelineId, name: 'ship' } });
    return { id, pipeline_id: pipelineId, job_id: job.id };
  };
  /** The latest one of a branch. */
  const latest = async (at: Stage) => {
    const { id } = await pipeline(at);
    return { id, ref: 'topic' };
  };
  const configuredProjects = new Set<number>();
  const configure = async (id: number) => {
    if (configuredProjects.has(id)) return;
    configuredProjects.add(id);
    const content = 'unit: {stage: build, script: x}\nship: {script: x, when: manual}';
    await createFile(world.as(owner), id, { path: '.gitlab-ci.yml', branch: 'topic', content, message: 'Jobs' });
    await world.idle();
  };
  const job = async (at: Stage) => {
    const { id, job_id } = await pipeline(at);
    return { id, job_id };
  };
  /** As job, when it has finished and printed something. */
  const finishedJob = async (at: Stage) => {
    const given = await job(at);
    await world.db.job.update({ where: { id: given.job_id }, data: { status: 'failed' } });
    await world.db.jobTraceChunk.create({ data: { jobId: given.job_id, position: 0, content: Buffer.from('text') } });
    return given;
  };
  /** As job, with artifacts that are kept for a day. */
  const jobWithArtifacts = async (at: Stage) => {
    const given = await job(at);
    await storeArtifacts(world, { id: given.job_id, projectId: given.id });
    return given;
  };
  /** Of a branch whose pipeline succeeded. */
  const latestArtifacts = async (at: Stage) => {
    const { id, pipeline_id, job_id } = await pipeline(at);
    await storeArtifacts(world, { id: job_id, projectId: id });
    await world.db.pipeline.update({ where: { id: pipeline_id }, data: { status: 'success' } });
    return { id, ref_name: 'topic', job: 'ship' };
  };
  const manualJob = async (at: Stage) => {
    const given = await job(at);
    await world.db.job.update({ where: { id: given.job_id }, data: { status: 'manual' } });
    return given;
  };
  const environment = async (at: Stage) => {
    const { id } = await createEnvironment(world.as(owner), at.project.id, { name: world.unique('env') });
    return { id: at.project.id, environment_id: id };
  };
  /** A group with a job that runs. */
  const resourceGroup = async (at: Stage) => {
    const { id, job_id } = await job(at);
    const { key } = await world.db.resourceGroup.create({ data: { projectId: id, key: world.unique('key') } });
    await world.db.job.update({ where: { id: job_id }, data: { resourceGroup: key, holdsResource: true } });
    return { id, key };
  };
  const outside = async (at: Stage) => {
    const { id } = await branches(at);
    return { id, environment: world.unique('env'), sha: 'topic', ref: 'topic' };
  };
  const deployment = async (at: Stage) => {
    const { id, ...input } = await outside(at);
    return { id, deployment_id: (await createDeployment(world.as(owner), id, input)).id };
  };
  const trigger = async (at: Stage) => {
    const { id } = await createTrigger(world.as(owner), at.project.id, 'a trigger');
    return { id: at.project.id, trigger_id: id };
  };
  /** A schedule of the owner. */
  const schedule = async (at: Stage) => {
    const { id } = await branches(at);
    await configure(id);
    const data = { projectId: id, ownerId: owner.id, description: 'new', ref: 'refs/heads/topic', cron: '0 0 1 1 *' };
    return { id, pipeline_schedule_id: (await world.db.pipelineSchedule.create({ data })).id };
  };
  const scheduleVariable = async (at: Stage) => {
    const given = await schedule(at);
    const named = { id: given.pipeline_schedule_id, key: 'KEY', value: 'v' };
    await createScheduleVariable(world.as(owner), given.id, named);
    return { ...given, key: 'KEY', value: 'w' };
  };
  /** The token of a trigger is all that it takes. */
  const fire = async (at: Stage) => {
    const { id } = await branches(at);
    await configure(id);
    const made = await createTrigger(world.as(owner), id, 'a trigger');
    const trigger = await findTrigger(
      world.as(owner),
      made.project,
      made.id,
      select('Trigger', { ownerId: true, tokenEncrypted: true }),
    );
    return { id, token: triggerToken(world.as(owner), trigger), ref: 'topic' };
  };
  /** A runner that is enabled for these projects. */
  const runnerOf = async (...places: { id: number }[]) => {
    const projects = { create: places.map(({ id: projectId }) => ({ projectId })) };
    const tokenHash = Buffer.from(world.unique('runner'));
    return (await world.db.runner.create({ data: { description: 'a runner', tokenHash, projects } })).id;
  };

  const schedules = '/projects/:id/pipeline_schedules';
  return {
    'GET /projects/:id/runners': { success: 200, level: 40, given: project },
    'POST /projects/:id/runners': {
      success: 201,
      level: 40,
      given: async (at) => ({ ...project(at), runner_id: await runnerOf(at.elsewhere) }),
    },
    'POST /projects/:id/runners/reset_registration_token': { success: 201, level: 40, given: project },
    'DELETE /projects/:id/runners/:runner_id': {
      success: 204,
      level: 40,
      given: async (at) => ({ ...project(at), runner_id: await runnerOf(at.project, at.elsewhere) }),
    },
    'GET /projects/:id/repository/commits/:sha/statuses': { ...reading20, given: commit },
    'POST /projects/:id/statuses/:sha': {
      success: 201,
      level: 30,
      given: async (at) => ({ ...(await branches(at)), sha: 'topic', state: 'success' }),
    },
    'GET /projects/:id/pipelines': { ...reading, given: project },
    'GET /projects/:id/pipelines/:pipeline_id': { ...reading, given: pipeline },
    'GET /projects/:id/pipelines/latest': { ...reading, given: latest },
    'GET /projects/:id/pipelines/:pipeline_id/test_report': { ...reading, given: pipeline },
    'GET /projects/:id/pipelines/:pipeline_id/test_report_summary': { ...reading, given: pipeline },
    'GET /projects/:id/pipelines/:pipeline_id/variables': { success: 200, level: 40, given: pipeline },
    'GET /projects/:id/pipelines/:pipeline_id/bridges': { ...reading, given: pipeline },
    'PUT /projects/:id/pipelines/:pipeline_id/metadata': {
      success: 200,
      level: 30,
      given: async (at) => ({ ...(await pipeline(at)), name: 'nightly' }),
    },
    'DELETE /projects/:id/pipelines/:pipeline_id': { success: 204, level: 50, given: pipeline },
    'GET /projects/:id/ci/lint': {
      success: 200,
      level: 20,
      open: 'anyone',
      given: async (at) => ({ id: (await branches(at)).id }),
    },
    'POST /projects/:id/ci/lint': {
      success: 200,
      level: 30,
      given: (at) => ({ ...project(at), content: 'a: {script: x}' }),
    },
    'POST /projects/:id/pipeline': {
      success: 201,
      level: 30,
      given: async (at) => ({ ...(await branches(at)), ref: 'topic' }),
    },
    'POST /projects/:id/pipelines/:pipeline_id/retry': { success: 201, level: 30, given: pipeline },
    'POST /projects/:id/pipelines/:pipeline_id/cancel': { success: 200, level: 30, given: pipeline },
    'GET /projects/:id/jobs': { ...reading, given: project },
    'GET /projects/:id/pipelines/:pipeline_id/jobs': { ...reading, given: pipeline },
    'GET /projects/:id/jobs/:job_id': { ...reading, given: job },
    'GET /projects/:id/jobs/:job_id/trace': { ...reading, given: job },
    'GET /projects/:id/jobs/:job_id/artifacts': { ...reading, given: jobWithArtifacts },
    'GET /projects/:id/jobs/artifacts/:ref_name/download': { ...reading, given: latestArtifacts },
    'GET /projects/:id/jobs/:job_id/artifacts/:artifact_path': {
      ...reading,
      given: async (at) => ({ ...(await jobWithArtifacts(at)), artifact_path: 'app.txt' }),
    },
    'GET /projects/:id/jobs/artifacts/:ref_name/raw/:artifact_path': {
      ...reading,
      given: async (at) => ({ ...(await latestArtifacts(at)), artifact_path: 'app.txt' }),
    },
    'DELETE /projects/:id/jobs/:job_id/artifacts': { success: 204, level: 40, given: jobWithArtifacts },
    'DELETE /projects/:id/artifacts': { success: 202, level: 40, given: project },
    'POST /projects/:id/jobs/:job_id/artifacts/keep': { success: 200, level: 30, given: jobWithArtifacts },
    'POST /projects/:id/jobs/:job_id/cancel': { success: 201, level: 30, given: job },
    'POST /projects/:id/jobs/:job_id/retry': { success: 201, level: 30, given: finishedJob },
    'POST /projects/:id/jobs/:job_id/play': { success: 200, level: 30, given: manualJob },
    'POST /projects/:id/jobs/:job_id/erase': { success: 201, level: 30, given: finishedJob },
    'GET /projects/:id/environments': { success: 200, level: 20, given: project },
    'POST /projects/:id/environments': { success: 201, level: 30, given: (at) => ({ ...project(at), ...named() }) },
    'GET /projects/:id/environments/:environment_id': { success: 200, level: 20, given: environment },
    'PUT /projects/:id/environments/:environment_id': {
      success: 200,
      level: 40,
      given: async (at) => ({ ...(await environment(at)), ...named() }),
    },
    'DELETE /projects/:id/environments/:environment_id': { success: 204, level: 40, given: environment },
    'POST /projects/:id/environments/:environment_id/stop': { success: 200, level: 30, given: environment },
    'GET /projects/:id/resource_groups': { success: 200, level: 30, given: project },
    'GET /projects/:id/resource_groups/:key': { success: 200, level: 30, given: resourceGroup },
    'PUT /projects/:id/resource_groups/:key': {
      success: 200,
      level: 30,
      given: async (at) => ({ ...(await resourceGroup(at)), process_mode: 'newest_first' }),
    },
    'GET /projects/:id/resource_groups/:key/upcoming_jobs': { success: 200, level: 30, given: resourceGroup },
    'GET /projects/:id/resource_groups/:key/current_job': { success: 200, level: 30, given: resourceGroup },
    'GET /projects/:id/deployments': { success: 200, level: 20, given: project },
    'GET /projects/:id/deployments/:deployment_id': { success: 200, level: 20, given: deployment },
    'GET /projects/:id/deployments/:deployment_id/merge_requests': { success: 200, level: 20, given: deployment },
    'PUT /projects/:id/deployments/:deployment_id': {
      success: 200,
      level: 30,
      given: async (at) => ({ ...(await deployment(at)), status: 'failed' }),
    },
    'DELETE /projects/:id/deployments/:deployment_id': {
      success: 204,
      level: 40,
      given: async (at) => {
        const given = await deployment(at);
        await world.db.deployment.update({ where: { id: given.deployment_id }, data: { status: 'failed' } });
        return given;
      },
    },
    'POST /projects/:id/deployments': { success: 201, level: 30, given: outside },
    [`GET ${schedules}`]: { ...reading, given: project },
    [`POST ${schedules}`]: {
      success: 201,
      level: 30,
      given: async (at) => {
        const { id } = await branches(at);
        await world.db.pipelineSchedule.deleteMany({ where: { projectId: id } });
        return { id, description: 'new', ref: 'topic', cron: '@daily' };
      },
    },
    [`GET ${schedules}/:pipeline_schedule_id`]: { ...reading, given: schedule },
    // Others than the owner of a schedule take it over first.
    [`PUT ${schedules}/:pipeline_schedule_id`]: {
      success: 200,
      level: 50,
      given: async (at) => ({ ...(await schedule(at)), description: 'changed' }),
    },
    [`DELETE ${schedules}/:pipeline_schedule_id`]: { success: 204, level: 40, given: schedule },
    [`POST ${schedules}/:pipeline_schedule_id/take_ownership`]: { success: 201, level: 40, given: schedule },
    [`POST ${schedules}/:pipeline_schedule_id/play`]: { success: 201, level: 30, given: schedule },
    [`GET ${schedules}/:pipeline_schedule_id/pipelines`]: { ...reading, given: schedule },
    [`POST ${schedules}/:pipeline_schedule_id/variables`]: {
      success: 201,
      level: 50,
      given: async (at) => ({ ...(await schedule(at)), key: 'KEY', value: 'v' }),
    },
    [`GET ${schedules}/:pipeline_schedule_id/variables/:key`]: { success: 200, level: 40, given: scheduleVariable },
    [`PUT ${schedules}/:pipeline_schedule_id/variables/:key`]: { success: 200, level: 50, given: scheduleVariable },
    [`DELETE ${schedules}/:pipeline_schedule_id/variables/:key`]: { success: 202, level: 50, given: scheduleVariable },
    'GET /projects/:id/triggers': { success: 200, level: 40, given: project },
    'GET /projects/:id/triggers/:trigger_id': { success: 200, level: 40, given: trigger },
    'POST /projects/:id/triggers': { success: 201, level: 40, given: (at) => ({ ...project(at), description: 'new' }) },
    'PUT /projects/:id/triggers/:trigger_id': {
      success: 200,
      level: 40,
      given: async (at) => ({ ...(await trigger(at)), description: 'changed' }),
    },
    'POST /projects/:id/triggers/:trigger_id/take_ownership': { success: 200, level: 40, given: trigger },
    'DELETE /projects/:id/triggers/:trigger_id': { success: 204, level: 40, given: trigger },
    'POST /projects/:id/trigger/pipeline': { success: 201, level: 0, open: 'token', given: fire },
    'POST /projects/:id/ref/:ref/trigger/pipeline': { success: 201, level: 0, open: 'token', given: fire },
    'GET /projects/:id/variables': { success: 200, level: 40 },
    'GET /projects/:id/variables/:key': { success: 200, level: 40, given: variable },
    'POST /projects/:id/variables': { success: 201, level: 40, given: newVariable },
    'PUT /projects/:id/variables/:key': { success: 200, level: 40, given: variable },
    'DELETE /projects/:id/variables/:key': { success: 204, level: 40, given: variable },
  };
}

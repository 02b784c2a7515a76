import { createTrigger } from '#src/domain/ci/triggers/save.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createFile, updateFile } from '#src/domain/repository/files/write.ts';
import type { TestUser, World } from './world.ts';

/** A project of the owner with one commit on `master`: of `.gitlab-ci.yml` where one is given, else of a file `a`. */
export async function projectWithCommit(
  world: World,
  owner: TestUser,
  { config, ...input }: { config?: string; visibility?: 'private' | 'internal' | 'public'; namespaceId?: number } = {},
): Promise<{ project: ProjectRow; sha: string }> {
  const project = await world.project({ owner, ...input });
  return { project, sha: await commitFile(world, owner, project, config) };
}

/** Commits a file to a branch: `.gitlab-ci.yml` where a config is given. The hash of the commit. */
export async function commitFile(
  world: World,
  owner: TestUser,
  { id }: { id: number },
  config?: string,
  branch = 'master',
): Promise<string> {
  const file = { path: config === undefined ? world.unique('file') : '.gitlab-ci.yml', branch, message: 'Change' };
  const input = { ...file, content: config ?? 'a' };
  const write = config !== undefined && (await hasConfig(world, owner, id, branch)) ? updateFile : createFile;
  return (await write(world.as(owner), id, input)).commit.oid;
}

async function hasConfig(world: World, owner: TestUser, id: number, ref: string): Promise<boolean> {
  const { status } = await world.api(owner).get(`/projects/${id}/repository/files/%2Egitlab-ci%2Eyml?ref=${ref}`);
  return status === 200;
}

/** A pipeline with a job, a deployment, a trigger and a schedule, all with that word in their names; without any commit. */
export async function pipelineOf(world: World, owner: TestUser, { id: projectId }: { id: number }, word: string) {
  const by = { projectId, userId: owner.id };
  const where = { ref: word, sha: '1'.repeat(40) };
  const pipeline = await world.db.pipeline.create({ data: { ...by, ...where, source: 'api', yamlErrors: word } });
  const grouped = { resourceGroup: word, holdsResource: true };
  const place = { stage: word, stageIndex: 0, environment: word, description: word, ...grouped };
  const job = await world.db.job.create({ data: { ...by, ...place, pipelineId: pipeline.id, name: word } });
  await world.db.jobTraceChunk.create({ data: { jobId: job.id, position: 0, content: Buffer.from(word) } });
  const environment = await world.db.environment.create({ data: { projectId, name: word, slug: word } });
  const iid = 1 + (await world.db.deployment.count({ where: { projectId } }));
  const target = { iid, environmentId: environment.id, jobId: job.id };
  await world.db.deployment.create({ data: { ...by, ...where, ...target } });
  await world.db.resourceGroup.create({ data: { projectId, key: word } });
  await createTrigger(world.as(owner), projectId, word);
  const schedule = { projectId, ownerId: owner.id, description: word, ref: `refs/heads/${word}`, cron: '0 0 1 1 *' };
  const { id: scheduleId } = await world.db.pipelineSchedule.create({ data: schedule });
  await world.db.pipeline.update({ where: { id: pipeline.id }, data: { scheduleId } });
  return pipeline;
}

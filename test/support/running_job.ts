import { JOB_TOKEN } from '#src/access/credentials/tokens/runner_tokens.ts';
import { newToken, tokenHash } from '#src/platform/secrets.ts';
import type { TestUser, World } from './world.ts';

/** A job that a runner has taken, with its token. */
export interface TakenJob {
  id: number;
  pipelineId: number;
  token: string;
}

/** A job of the project that runs, in a pipeline of its own or in the one that is named; without any commit. */
export async function takenJob(
  world: World,
  owner: TestUser,
  { id: projectId }: { id: number },
  { name = 'unit', stageIndex = 0, pipelineId }: { name?: string; stageIndex?: number; pipelineId?: number } = {},
): Promise<TakenJob> {
  const by = { projectId, userId: owner.id };
  const place = { ref: 'master', sha: '1'.repeat(40), source: 'api', status: 'running' } as const;
  const pipeline = pipelineId ?? (await world.db.pipeline.create({ data: { ...by, ...place } })).id;
  const token = newToken(JOB_TOKEN);
  const runs = { status: 'running', startedAt: new Date(), tokenHash: tokenHash(token) } as const;
  const data = { ...by, ...runs, pipelineId: pipeline, name, stage: `stage ${stageIndex}`, stageIndex };
  const { id } = await world.db.job.create({ data });
  return { id, pipelineId: pipeline, token };
}

/** Ends a job as its runner would. */
export async function endJob(
  world: World,
  id: number,
  status: 'success' | 'failed' | 'canceled' = 'success',
): Promise<void> {
  await world.db.job.update({ where: { id }, data: { status, finishedAt: new Date() } });
}

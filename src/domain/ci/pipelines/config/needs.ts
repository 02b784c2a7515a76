import { listOf } from '#src/domain/ci/pipelines/config/base/needs.ts';
import { InvalidConfig, type Need } from '#src/domain/ci/pipelines/config/base/types.ts';
import {
  type ExpansionLimit,
  isRecord,
  type Raw,
  readBoolean,
  requireKeys,
  scalarText,
} from '#src/domain/ci/pipelines/config/base/values.ts';
import type { JobConfig } from '#src/domain/ci/pipelines/config/model.ts';

/** Jobs of other pipelines that one job may need. */
const MAX_CROSS_PIPELINE_NEEDS = 5;

/** A job of another pipeline whose artifacts a job gets. */
export interface CrossNeed {
  /** Its ID, or variables that give it. */
  pipeline: string;
  job: string;
}

/**
 * Splits needs into those of the pipeline itself, null if there are none but others, and those of other pipelines that are above it, or
 * beside it below the same. Throws InvalidConfig.
 */
export function splitNeeds(
  value: unknown,
  where: string,
  budget: ExpansionLimit,
): { own: unknown; cross: CrossNeed[] } {
  const list = listOf(value);
  const others = list.filter((entry) => isRecord(entry) && entry.pipeline != null && entry.job != null);
  if (others.length === 0) return { own: value, cross: [] };
  if (others.length > MAX_CROSS_PIPELINE_NEEDS) {
    throw new InvalidConfig(
      `${where} config has too many needs of other pipelines (maximum is ${MAX_CROSS_PIPELINE_NEEDS})`,
    );
  }
  const own = list.filter((entry) => !others.includes(entry));
  return { own: own.length === 0 ? null : own, cross: others.map((entry) => readCross(entry as Raw, where, budget)) };
}

function readCross(entry: Raw, where: string, budget: ExpansionLimit): CrossNeed {
  requireKeys(entry, where, ['pipeline', 'job', 'artifacts']);
  const [pipeline, job] = [scalarText(entry.pipeline), scalarText(entry.job)];
  if (!pipeline || !job) throw new InvalidConfig(`${where} pipeline and job should be strings`);
  if (readBoolean(entry.artifacts, `${where} artifacts`) === false) {
    throw new InvalidConfig(`${where} artifacts of a job of another pipeline can't be left out`);
  }
  return { pipeline: budget.spend(pipeline), job: budget.spend(job) };
}

/** Replaces base names by those of the jobs that `parallel` makes of them. */
export function withParallelNames(needs: readonly Need[], jobs: readonly JobConfig[]): Need[] {
  const groups = new Map<string, string[]>();
  for (const { group, name } of jobs) if (group !== name) groups.set(group, [...(groups.get(group) ?? []), name]);
  return needs.flatMap((need) => {
    const names = groups.get(need.job);
    if (!names) return [need];
    const wanted = need.matrix?.map((suffix) => `${need.job}: ${suffix}`);
    return names.filter((name) => !wanted || wanted.includes(name)).map((name) => ({ ...need, job: name }));
  });
}

/** Every job that is needed must be one of the file, in the same stage or an earlier one, and none may wait for itself. Throws InvalidConfig. */
export function checkNeeds(jobs: readonly JobConfig[], stages: readonly string[]): void {
  const byName = new Map(jobs.map((job) => [job.name, job]));
  for (const job of jobs) {
    for (const need of needsOf(job)) {
      const found = byName.get(need.job);
      if (!found && need.optional) continue;
      if (!found) throw new InvalidConfig(`${job.name} job: undefined need: ${need.job}${instead(byName.keys())}`);
      if (stages.indexOf(found.stage) > stages.indexOf(job.stage)) {
        throw new InvalidConfig(
          `${job.name} job: need ${need.job} is not defined in current or prior stages: it is in ${found.stage}, and ${job.name} in ${job.stage}`,
        );
      }
    }
  }
  inOrder(jobs);
}

/** Names of jobs that an error lists. */
const MAX_LISTED = 10;

/** The end of an error about a job that is not there: which ones are. */
export function instead(names: Iterable<string>): string {
  const all = [...names];
  const more = all.length > MAX_LISTED ? ` and ${all.length - MAX_LISTED} more` : '';
  return `; there are ${all.slice(0, MAX_LISTED).join(', ')}${more}`;
}

function needsOf({ needs, rules }: JobConfig): Need[] {
  return [...(needs ?? []), ...(rules ?? []).flatMap((rule) => rule.needs ?? [])];
}

/** The jobs so that each comes after those that it needs, and otherwise as given. Throws InvalidConfig for circles. */
export function inOrder(jobs: readonly JobConfig[]): JobConfig[] {
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const ordered: JobConfig[] = [];
  const states = new Map<string, 'open' | 'done'>();
  for (const start of jobs) {
    const open: { job: JobConfig; left: string[] }[] = [];
    const enter = (job: JobConfig) => {
      states.set(job.name, 'open');
      open.push({ job, left: needsOf(job).map((need) => need.job) });
    };
    if (!states.has(start.name)) enter(start);
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const next = top.left.shift();
      if (next === undefined) {
        states.set(top.job.name, 'done');
        ordered.push(top.job);
        open.pop();
        continue;
      }
      const found = byName.get(next);
      if (states.get(next) === 'open') {
        throw new InvalidConfig(`The pipeline has circular dependencies: ${next} waits for itself`);
      }
      if (found && !states.has(next)) enter(found);
    }
  }
  return ordered;
}

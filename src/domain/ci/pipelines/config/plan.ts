import type { PipelineOrigin } from '#src/domain/ci/pipelines/config/base/origin.ts';
import { PatternMatcher } from '#src/domain/ci/pipelines/config/base/pattern.ts';
import { type Answers, Incomplete, Sources, type Wanted } from '#src/domain/ci/pipelines/config/base/sources.ts';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import type { DefinedVariables, Raw } from '#src/domain/ci/pipelines/config/base/values.ts';
import type { Included } from '#src/domain/ci/pipelines/config/compose/include.ts';
import { Merger } from '#src/domain/ci/pipelines/config/compose/merge.ts';
import type { Config, JobConfig } from '#src/domain/ci/pipelines/config/model.ts';
import { compose, readConfig } from '#src/domain/ci/pipelines/config/parse.ts';
import { Judge, type KnownVariables } from '#src/domain/ci/pipelines/config/rules/judge.ts';
import type { AutoCancel } from '#src/domain/ci/pipelines/config/rules/model.ts';
import { selectPipeline } from '#src/domain/ci/pipelines/config/select.ts';
import { writeYaml } from '#src/domain/ci/pipelines/config/yaml/write.ts';

/** The jobs of a commit's file for the push, schedule or other origin of a pipeline. */
export interface PipelinePlan {
  /** Null if the commit has no file, or the file is invalid. */
  jobs: JobConfig[] | null;
  stages: string[];
  /** Why the file is invalid. */
  error: string | null;
  warnings: string[];
  /** Whether the rules of the workflow rule the pipeline out. */
  isFiltered: boolean;
  /** May contain variables, also these of the file. */
  name: string | null;
  variables: DefinedVariables;
  autoCancel: AutoCancel | null;
  included: Included[];
  /** The configuration in one piece, as YAML; only if it is asked for. */
  merged: string | null;
}

/** A file, and what is known about the pipeline to make of it. */
export interface PlanRequest {
  text: string;
  /** Null for all jobs of the file. */
  origin: PipelineOrigin | null;
  known: KnownVariables;
  answers: Answers;
  /** The values of the inputs that the file declares. */
  inputs?: Raw | undefined;
  /** Whether the configuration in one piece is asked for. */
  wantsMerged?: boolean;
}

/** A plan, or what has to be looked for to make it. */
export type PlanAnswer = { plan: PipelinePlan } | { missing: Wanted[] };

export const NO_PLAN: PipelinePlan = {
  jobs: null,
  stages: [],
  error: null,
  warnings: [],
  isFiltered: false,
  name: null,
  variables: { values: {}, raw: [] },
  autoCancel: null,
  included: [],
  merged: null,
};

/** Reads a file and selects its jobs for its origin; all jobs without one. */
export function planOf({ text, origin, known, answers, inputs, wantsMerged = false }: PlanRequest): PlanAnswer {
  const sources = new Sources(answers);
  const matcher = new PatternMatcher();
  const judge = new Judge(known, matcher, sources);
  try {
    const composed = compose(text, { sources, matcher, judge, merger: new Merger() }, inputs);
    const { raw, included } = composed;
    const config = readConfig(composed);
    const selection = origin ? selectPipeline(config, origin, { matcher, judge }) : allOf(config);
    if (sources.missing.length > 0) return { missing: sources.missing };
    const { stages } = config;
    const warnings = [...config.warnings, ...selection.warnings];
    // Conditions have had their effect, if there is an origin.
    const without = origin ? { rules: null, only: null, except: null } : { rules: null };
    const jobs = selection.jobs.map((job) => ({ ...job, ...without }));
    return {
      plan: {
        ...selection,
        jobs,
        stages,
        warnings,
        included,
        error: null,
        merged: wantsMerged ? writeYaml(raw) : null,
      },
    };
  } catch (error) {
    const { missing } = sources;
    if (error instanceof Incomplete || (error instanceof InvalidConfig && missing.length > 0)) return { missing };
    if (!(error instanceof InvalidConfig)) throw error;
    return { plan: { ...NO_PLAN, error: error.message } };
  }
}

function allOf({ jobs, workflow, variables }: Config) {
  return { jobs, variables, isFiltered: false, name: workflow.name, autoCancel: workflow.autoCancel, warnings: [] };
}

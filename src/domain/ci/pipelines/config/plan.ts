import { type Config, InvalidConfig, type JobConfig } from '#src/domain/ci/pipelines/config/model.ts';
import { parseConfig } from '#src/domain/ci/pipelines/config/parse.ts';
import { type Occasion, selectJobs } from '#src/domain/ci/pipelines/config/select.ts';

/** The jobs of a commit's file for an occasion. */
export interface PipelinePlan {
  /** Null if the commit has no file. */
  jobs: JobConfig[] | null;
  config: Config | null;
  /** Why the file is invalid. */
  error: string | null;
}

/** Parses a file and selects its jobs for the occasion; all jobs without one. */
export function planOf({ text, occasion }: { text: string; occasion: Occasion | null }): PipelinePlan {
  try {
    const config = parseConfig(text);
    return { config, jobs: occasion ? selectJobs(config, occasion) : config.jobs, error: null };
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    return { config: null, jobs: null, error: error.message };
  }
}

/** The parts of a job's payload (runner-protocol.md, Job) that this runner uses. */
export interface JobPayload {
  id: number;
  token: string;
  job_info: { name: string; stage: string; project_id: number; project_name: string };
  git_info: GitInfo;
  /** Seconds. */
  runner_info: { timeout: number };
  variables: {
    key: string;
    value: string;
    public: boolean;
    file: boolean;
    masked?: boolean | null;
    raw?: boolean | null;
  }[];
  steps: JobStep[];
  image?: JobImage | null;
  services?: JobService[] | null;
  artifacts?: JobArtifacts[] | null;
  cache?: JobCache[] | null;
  dependencies?: JobDependency[] | null;
}

export interface GitInfo {
  repo_url: string;
  ref: string;
  sha: string;
  ref_type: 'branch' | 'tag';
  /** What is fetched; servers of earlier versions do not say. */
  refspecs?: string[] | null;
  /** How many commits; 0 for all. */
  depth?: number | null;
}

export interface JobImage {
  name: string;
  entrypoint?: string[] | null;
  pull_policy?: string[] | null;
}

export interface JobService extends JobImage {
  /** Further names, separated by commas or blanks. */
  alias?: string | null;
  command?: string[] | null;
  variables?: { key: string; value: string }[] | null;
}

export interface JobStep {
  name: string;
  script: string[];
  /** Seconds. */
  timeout: number;
  when: string;
  allow_failure: boolean;
}

export interface JobArtifacts {
  name?: string | null;
  untracked?: boolean | null;
  paths?: string[] | null;
  when?: string | null;
  expire_in?: string | null;
  exclude?: string[] | null;
  /** `archive`, or the kind of report. */
  artifact_type?: string | null;
  /** `zip`, `gzip` or `raw`. */
  artifact_format?: string | null;
}

export interface JobCache {
  key?: string | null;
  /** `pull` only restores it, and `push` only saves it. */
  policy?: string | null;
  untracked?: boolean | null;
  paths?: string[] | null;
  /** Keys that are tried when there is no cache of the own one. */
  fallback_keys?: string[] | null;
}

export interface JobDependency {
  id: number;
  name: string;
  token: string;
  artifacts_file?: { filename: string; size: number } | null;
}

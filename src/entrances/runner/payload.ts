/** The parts of a job's payload (runner-protocol.md, Job) that this runner uses. */
export interface JobPayload {
  id: number;
  token: string;
  job_info: { name: string; stage: string; project_id: number; project_name: string };
  git_info: { repo_url: string; ref: string; sha: string; ref_type: 'branch' | 'tag' };
  /** Seconds. */
  runner_info: { timeout: number };
  variables: { key: string; value: string; public: boolean; file: boolean; masked?: boolean | null }[];
  steps: JobStep[];
  artifacts?: JobArtifacts[] | null;
  cache?: JobCache[] | null;
  dependencies?: JobDependency[] | null;
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
}

export interface JobCache {
  key?: string | null;
  /** `pull` only restores it, and `push` only saves it. */
  policy?: string | null;
  untracked?: boolean | null;
  paths?: string[] | null;
}

export interface JobDependency {
  id: number;
  name: string;
  token: string;
  artifacts_file?: { filename: string; size: number } | null;
}

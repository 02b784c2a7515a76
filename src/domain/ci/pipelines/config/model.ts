/** Bytes of the largest `.gitlab-ci.yml` that is read. */
export const LARGEST_CONFIG = 128 * 1024;

/** The content of `.gitlab-ci.yml`, validated and with all defaults filled in. */
export interface Config {
  /** In order. */
  stages: string[];
  jobs: JobConfig[];
}

export type Variables = Record<string, string>;

export const WHEN = ['on_success', 'on_failure', 'always', 'manual'] as const;
export type When = (typeof WHEN)[number];

export interface EnvironmentConfig {
  /** May contain variables. */
  name: string;
  url: string | null;
  action: 'start' | 'stop';
  /** Name of the job that stops it. */
  onStop: string | null;
}

export interface JobConfig {
  name: string;
  stage: string;
  /** Refs, words such as `branches`, or patterns between slashes; null if absent. */
  only: string[] | null;
  except: string[] | null;
  when: When;
  allowFailure: boolean;
  environment: EnvironmentConfig | null;
  /** Those of the file, followed by its own. */
  variables: Variables;
  /** A runner must have all of them. */
  tags: string[];
  /** Options for the runner, under the names of the file. */
  options: Record<string, unknown>;
}

/** The file is invalid; the message, which can be stored, says where. */
export class InvalidConfig extends Error {
  constructor(message: string) {
    super(message.replaceAll('\0', '').toWellFormed().slice(0, 1000));
  }
}

import type { Route } from '#rest/engine/route.ts';

type Unsupported = NonNullable<Route['unsupported']>;

const OFF = ['false', '0', 'no', 'n', 'f', 'off'];
const ON = ['true', '1', 'yes', 'y', 't', 'on', 'enabled'];

/** Settings of projects that would keep something from somebody, or that say what a new one is made of. */
export const OF_PROJECTS: Unsupported = {
  releases_access_level: ON,
  environments_access_level: ON,
  forking_access_level: ON,
  package_registry_access_level: ON,
  packages_enabled: ON,
  emails_enabled: ON,
  emails_disabled: OFF,
  external_authorization_classification_label: [],
  build_coverage_regex: [],
};

export const OF_NEW_PROJECTS: Unsupported = {
  ...OF_PROJECTS,
  template_name: [],
  template_project_id: [],
  use_custom_template: OFF,
  repository_object_format: ['sha1'],
};

export const OF_SAVED_PROJECTS: Unsupported = {
  ...OF_PROJECTS,
  restrict_user_defined_variables: OFF,
  ci_pipeline_variables_minimum_override_role: ['developer'],
};

export const OF_FORKS: Unsupported = { branches: [] };

export const OF_GROUPS: Unsupported = {
  require_two_factor_authentication: OFF,
  emails_enabled: ON,
  emails_disabled: OFF,
  mentions_disabled: OFF,
};

export const OF_SAVED_GROUPS: Unsupported = { ...OF_GROUPS, shared_runners_setting: ON };

/** What is to end. */
export const ENDING: Unsupported = { expires_at: [] };

/** What a job would run with. */
export const OF_PLAYED_JOBS: Unsupported = { job_variables_attributes: [], job_inputs: [] };
export const OF_RETRIED_JOBS: Unsupported = { inputs: [] };

/** Which branches a mirror has. */
export const OF_MIRRORS: Unsupported = { mirror_branch_regex: [] };

/** Contents that would be lost. */
export const OF_SNIPPETS: Unsupported = { files: [] };
export const OF_WIKIS: Unsupported = { front_matter: [] };

/** The keys of the contract's records (rest-api-v4.md, Resources; behaviour.md 7), in no order. */

/** A group in a list. */
export const GROUP_KEYS = [
  'id',
  'name',
  'path',
  'description',
  'visibility',
  'lfs_enabled',
  'avatar_url',
  'web_url',
  'request_access_enabled',
  'full_name',
  'full_path',
  'parent_id',
  'created_at',
  'share_with_group_lock',
  'max_artifacts_size',
  'project_creation_level',
  'subgroup_creation_level',
];

/** A project where `simple` is asked for, or the caller is anonymous. */
export const BASIC_PROJECT_KEYS = [
  'id',
  'http_url_to_repo',
  'web_url',
  'name',
  'name_with_namespace',
  'path',
  'path_with_namespace',
  'description',
  'created_at',
  'default_branch',
  'tag_list',
  'topics',
  'ssh_url_to_repo',
  'readme_url',
  'avatar_url',
  'forks_count',
  'star_count',
  'last_activity_at',
  'visibility',
  'namespace',
];

/** A project that other records name. */
export const SIMPLE_PROJECT_KEYS = [
  'id',
  'http_url_to_repo',
  'web_url',
  'name',
  'name_with_namespace',
  'path',
  'path_with_namespace',
];

/** A project in full, without what only some projects have (`owner`) and only some answers. */
export const PROJECT_KEYS = [
  'id',
  'description',
  'default_branch',
  'tag_list',
  'topics',
  'archived',
  'visibility',
  'ssh_url_to_repo',
  'http_url_to_repo',
  'web_url',
  'readme_url',
  'name',
  'name_with_namespace',
  'path',
  'path_with_namespace',
  'container_registry_enabled',
  'container_registry_image_prefix',
  'issues_enabled',
  'merge_requests_enabled',
  'wiki_enabled',
  'jobs_enabled',
  'snippets_enabled',
  'created_at',
  'last_activity_at',
  'updated_at',
  'empty_repo',
  'build_timeout',
  '_links',
  'shared_runners_enabled',
  'group_runners_enabled',
  'lfs_enabled',
  'creator_id',
  'namespace',
  'avatar_url',
  'star_count',
  'forks_count',
  'open_issues_count',
  'public_jobs',
  'ci_default_git_depth',
  'shared_with_groups',
  'only_allow_merge_if_pipeline_succeeds',
  'request_access_enabled',
  'only_allow_merge_if_all_discussions_are_resolved',
];

/** What only lists of projects and single projects have besides: a group is shown without it. */
const SETTINGS_KEYS = [
  'merge_method',
  'squash_option',
  'merge_commit_template',
  'squash_commit_template',
  'remove_source_branch_after_merge',
  'autoclose_referenced_issues',
  'allow_merge_on_skipped_pipeline',
  'ci_config_path',
  'issues_access_level',
  'merge_requests_access_level',
  'repository_access_level',
  'wiki_access_level',
  'builds_access_level',
  'snippets_access_level',
  'container_registry_access_level',
  'auto_cancel_pending_pipelines',
  'ci_push_repository_for_job_token_allowed',
  'ci_separated_caches',
  'max_artifacts_size',
  'can_create_merge_request_in',
  'mirror',
  'mirror_user_id',
  'mirror_trigger_builds',
  'only_mirror_protected_branches',
  'mirror_overwrites_diverged_branches',
];

/** A project in full in a list of projects. */
export const LISTED_PROJECT_KEYS = [...PROJECT_KEYS, ...SETTINGS_KEYS];

/** A user as others name them. */
export const BRIEF_USER_KEYS = ['id', 'name', 'username', 'state', 'avatar_url', 'web_url'];

/**
 * The relations that GitLab reads in the archive of a project, each with the attributes that it knows (`import_export.yml` of GitLab 17:
 * `tree`, `included_attributes` and `methods`). Of those that Gantry writes, as facts to check what it writes by.
 */
export interface Relation {
  attributes: readonly string[];
  relations?: Readonly<Record<string, Relation>>;
}

const words = (text: string) => text.trim().split(/\s+/);
const of = (attributes: string, relations: Readonly<Record<string, Relation>> = {}): Relation => ({
  attributes: words(attributes),
  relations,
});

const TIMES = 'created_at updated_at';
const priorities = of(`project_id priority ${TIMES}`);
const label = of(`title color project_id group_id ${TIMES} template description priority type`, { priorities });
const milestone = of(`iid title project_id group_id description due_date ${TIMES} start_date state`);
const author = of('name');
const award_emoji = of(`user_id name awardable_type ${TIMES}`);
const events = of(`project_id target_type action author_id fingerprint ${TIMES}`);
const note =
  `note noteable_type author_id ${TIMES} project_id attachment line_code commit_id system st_diff updated_by_id type ` +
  'position original_position change_position resolved_at resolved_by_id resolved_by_push discussion_id confidential ' +
  'last_edited_at';
const system_note_metadata = of(`commit_count action ${TIMES}`);
const suggestions = of('relative_order applied commit_id from_content to_content outdated lines_above lines_below');
const note_diff_file = of('new_file renamed_file deleted_file a_mode b_mode new_path old_path diff_export');
const timelogs = of(`time_spent user_id project_id spent_at ${TIMES} summary`);
const label_links = of(`target_type ${TIMES}`, { label });
const resource_label_events = of('action user_id created_at', { label });
const resource_milestone_events = of('user_id action created_at state', { milestone });
const resource_state_events = of(
  'user_id state created_at source_commit close_after_error_tracking_resolve close_auto_resolve_prometheus_alert',
);
const levels = of(`access_level ${TIMES} user_id group_id`);
const tracked = {
  ...{ events, timelogs, label_links, milestone, resource_label_events, resource_milestone_events },
  ...{ resource_state_events, award_emoji },
};

export const GITLAB_RELATIONS: Readonly<Record<string, Relation>> = {
  labels: label,
  milestones: milestone,
  issues: of(
    `title author_id project_id ${TIMES} description state iid updated_by_id confidential closed_at closed_by_id due_date
     lock_version weight time_estimate relative_position external_author last_edited_at last_edited_by_id
     discussion_locked health_status external_key issue_type`,
    {
      ...tracked,
      notes: of(note, { author, award_emoji, system_note_metadata, events }),
      issue_assignees: of('user_id'),
      work_item_type: of('base_type'),
    },
  ),
  snippets: of(`title content author_id project_id ${TIMES} file_name visibility_level description`, {
    award_emoji,
    notes: of(note, { author, award_emoji, events }),
  }),
  releases: of(`tag description project_id author_id ${TIMES} name sha released_at`, {
    links: of(`url name ${TIMES} filepath link_type`),
    milestone_releases: of('', { milestone }),
  }),
  project_members: of(
    `access_level source_type user_id notification_level ${TIMES} created_by_id invite_email invite_accepted_at
     requested_at expires_at ldap override`,
    { user: of('id public_email username') },
  ),
  merge_requests: of(
    `target_branch source_branch source_project_id author_id title ${TIMES} state merge_status target_project_id iid
     description updated_by_id merge_error merge_params merge_user_id merge_commit_sha squash_commit_sha
     in_progress_merge_commit_sha lock_version approvals_before_merge rebase_commit_sha time_estimate squash
     last_edited_at last_edited_by_id discussion_locked allow_maintainer_to_push merge_ref_sha draft diff_head_sha
     source_branch_sha target_branch_sha`,
    {
      ...tracked,
      approvals: of(`user_id ${TIMES}`),
      metrics: of(`${TIMES} latest_closed_by_id latest_closed_at merged_by_id merged_at target_project_id`),
      merge_request_assignees: of('user_id created_at'),
      merge_request_reviewers: of('user_id created_at state'),
      notes: of(note, { author, award_emoji, system_note_metadata, events, suggestions, note_diff_file }),
      merge_request_diff: of(
        `state ${TIMES} base_commit_sha real_size head_commit_sha start_commit_sha commits_count files_count sorted
         diff_type`,
        {
          merge_request_diff_commits: of(
            `author_name author_email committer_name committer_email relative_order sha authored_date committed_date
             message trailers`,
            { commit_author: of('name email'), committer: of('name email') },
          ),
          merge_request_diff_files: of(
            `relative_order new_file renamed_file deleted_file new_path old_path a_mode b_mode too_large binary
             encoded_file_path utf8_diff`,
          ),
        },
      ),
    },
  ),
  commit_notes: of(note, { author, events }),
  container_expiration_policy: of(
    `${TIMES} next_run_at project_id name_regex cadence older_than keep_n enabled name_regex_keep`,
  ),
  protected_branches: of(`project_id name ${TIMES} code_owner_approval_required allow_force_push`, {
    ...{ merge_access_levels: levels, push_access_levels: levels, unprotect_access_levels: levels },
  }),
  protected_tags: of(`project_id name ${TIMES}`, { create_access_levels: levels }),
  approval_rules: of('approvals_required name rule_type applies_to_all_protected_branches', {
    approval_project_rules_users: of('user_id'),
    approval_project_rules_protected_branches: of('protected_branch branch_name'),
  }),
  push_rule: of(
    `commit_message_regex author_email_regex file_name_regex branch_name_regex commit_message_negative_regex
     max_file_size deny_delete_tag member_check is_sample prevent_secrets reject_unsigned_commits
     commit_committer_check regexp_uses_re2 reject_non_dco_commits`,
  ),
  project_feature: of(
    `project_id merge_requests_access_level issues_access_level wiki_access_level snippets_access_level
     builds_access_level repository_access_level pages_access_level container_registry_access_level
     feature_flags_access_level releases_access_level`,
  ),
  project_badges: of(`${TIMES} image_url link_url name project_id type`),
  ci_cd_settings: of('group_runners_enabled runner_token_expiration_interval default_git_depth'),
  boards: of(`project_id ${TIMES} group_id weight name hide_backlog_list hide_closed_list`, {
    lists: of(`list_type position ${TIMES} user_id max_issue_count max_issue_weight limit_metric`, { label }),
  }),
  // The ID is what GitLab leaves out: other records name users by it.
  user_contributions: of('id public_email username name'),
};

/** The attributes of the project itself that GitLab reads. */
export const GITLAB_PROJECT: readonly string[] = words(`
  approvals_before_merge archived auto_cancel_pending_pipelines autoclose_referenced_issues build_allow_git_fetch
  build_timeout description disable_overriding_approvers_per_merge_request issues_template
  merge_requests_author_approval merge_requests_disable_committers_approval merge_requests_ff_only_enabled
  merge_requests_rebase_enabled merge_requests_template only_allow_merge_if_all_discussions_are_resolved
  only_allow_merge_if_pipeline_succeeds public_builds remove_source_branch_after_merge request_access_enabled
  reset_approvals_on_push shared_runners_enabled visibility_level merge_method allow_merge_on_skipped_pipeline
  squash_option merge_commit_template squash_commit_template`);

/** What a record has that GitLab does not read: the names of its attributes, with those of the relations that lead to them. */
export function unknownTo(relation: Relation | undefined, record: object, at: string): string[] {
  if (!relation) return [at];
  return Object.entries(record).flatMap(([name, value]) => {
    const below = relation.relations?.[name];
    if (relation.attributes.includes(name)) return [];
    if (!below) return [`${at}.${name}`];
    const all: unknown[] = Array.isArray(value) ? value : [value];
    return all.flatMap((one) => (one === null ? [] : unknownTo(below, one as object, `${at}.${name}`)));
  });
}

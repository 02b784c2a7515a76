import { type Actor, refusalOf } from '#src/access/permissions/actor.ts';
import {
  type Feature,
  type FeatureLevel,
  type Features,
  hasFeature,
  TRACKED,
} from '#src/access/permissions/features.ts';

/** Access levels (rest-api-v4.md, Member). */
export const GUEST = 10;
export const REPORTER = 20;
export const DEVELOPER = 30;
export const MASTER = 40;
export const OWNER = 50;
/** Above every access level: only administrators pass. */
const ADMIN = 100;

interface Rule {
  /** The lowest effective access level that suffices. */
  readonly level: number;
  /** `user`: any signed-in user to whom the project is public or internal; `anyone`: anonymous callers of a public one too. */
  readonly open?: 'user' | 'anyone';
  /** Denied while this feature is off, and to those who are no members while it is for members alone. */
  readonly feature?: Feature;
  /** Denied to those who are no members while one of these features is for members alone and none is there for everyone. */
  readonly shownIn?: readonly Feature[];
  /** Denied while the project is archived. */
  readonly frozen?: true;
  /** The setting of the group that lowers or raises the level. */
  readonly setting?: 'projectCreationLevel' | 'subgroupCreationLevel';
  /** The setting of the group that denies it to everybody (`disabled`), or to all but members (`private`). */
  readonly switch?: 'wikiAccessLevel';
  /**
   * While the jobs of the project are public, also granted to guests; while they are not, what jobs write (`output`) is kept from
   * those to whom the project is open.
   */
  readonly publicJobs?: 'record' | 'output';
}

/** Who may do what in a project, in the order of behaviour.md 6. */
export const projectAbilities = {
  read_project: { level: GUEST, open: 'anyone' },
  read_member: { level: GUEST, open: 'anyone' },
  read_label: { level: GUEST, open: 'anyone', shownIn: TRACKED },
  read_milestone: { level: GUEST, open: 'anyone', shownIn: TRACKED },
  read_board: { level: GUEST, open: 'anyone', shownIn: ['issues'] },
  read_issue: { level: GUEST, open: 'anyone', feature: 'issues' },
  read_confidential_issue: { level: REPORTER, feature: 'issues' },
  read_project_snippet: { level: GUEST, open: 'anyone', feature: 'snippets' },
  read_wiki: { level: GUEST, open: 'anyone', feature: 'wiki' },
  write_wiki: { level: DEVELOPER, feature: 'wiki', frozen: true },
  read_release: { level: GUEST, open: 'anyone' },
  read_package: { level: REPORTER, open: 'anyone' },
  publish_package: { level: DEVELOPER, frozen: true },
  delete_package: { level: MASTER },
  admin_package: { level: MASTER },
  read_terraform_state: { level: DEVELOPER },
  admin_terraform_state: { level: MASTER, frozen: true },
  read_container_image: { level: REPORTER, open: 'anyone', feature: 'containerRegistry' },
  push_container_image: { level: DEVELOPER, feature: 'containerRegistry', frozen: true },
  delete_container_image: { level: MASTER, feature: 'containerRegistry' },
  admin_container_image: { level: MASTER, feature: 'containerRegistry' },
  read_feature_flag: { level: DEVELOPER, feature: 'featureFlags' },
  admin_feature_flag: { level: DEVELOPER, feature: 'featureFlags', frozen: true },
  admin_feature_flags_client: { level: MASTER, feature: 'featureFlags' },
  read_pages: { level: DEVELOPER },
  admin_pages: { level: MASTER },
  read_repository: { level: REPORTER, open: 'anyone', feature: 'repository' },
  read_commit: { level: REPORTER, open: 'anyone', feature: 'repository' },
  create_commit_comment: { level: REPORTER, open: 'user', feature: 'repository' },
  read_merge_request: { level: REPORTER, open: 'anyone', feature: 'mergeRequests' },
  read_commit_status: { level: REPORTER, open: 'anyone', feature: 'repository' },
  read_pipeline: { level: REPORTER, open: 'anyone', feature: 'jobs', publicJobs: 'record' },
  read_job_output: { level: REPORTER, open: 'anyone', feature: 'jobs', publicJobs: 'output' },
  read_environment: { level: REPORTER, feature: 'jobs' },
  create_deployment: { level: DEVELOPER, feature: 'jobs' },
  delete_deployment: { level: MASTER, feature: 'jobs' },
  read_deployment: { level: REPORTER, feature: 'jobs' },
  create_issue: { level: GUEST, open: 'user', feature: 'issues' },
  create_note: { level: GUEST, open: 'user' },
  read_internal_note: { level: REPORTER },
  admin_issue: { level: REPORTER, feature: 'issues' },
  update_issue: { level: REPORTER, feature: 'issues' },
  move_issue: { level: REPORTER, feature: 'issues' },
  delete_issue: { level: OWNER, feature: 'issues' },
  number_issue: { level: OWNER, feature: 'issues' },
  set_timestamps: { level: ADMIN },
  admin_board: { level: REPORTER },
  admin_label: { level: REPORTER },
  admin_milestone: { level: MASTER },
  admin_merge_request: { level: REPORTER, feature: 'mergeRequests', frozen: true },
  create_merge_request: { level: DEVELOPER, feature: 'mergeRequests', frozen: true },
  update_merge_request: { level: DEVELOPER, feature: 'mergeRequests', frozen: true },
  resolve_note: { level: DEVELOPER, feature: 'mergeRequests', frozen: true },
  delete_merge_request: { level: OWNER, feature: 'mergeRequests' },
  read_fetch_statistics: { level: DEVELOPER },
  push_code: { level: DEVELOPER, feature: 'repository', frozen: true },
  unlock_file: { level: MASTER, feature: 'repository', frozen: true },
  push_to_protected_branch: { level: MASTER, feature: 'repository', frozen: true },
  delete_merged_branches: { level: DEVELOPER, feature: 'repository', frozen: true },
  admin_protected_branch: { level: MASTER },
  admin_protected_tag: { level: MASTER },
  admin_push_rule: { level: MASTER },
  read_approval_rule: { level: REPORTER, feature: 'mergeRequests' },
  admin_approval_rule: { level: MASTER, feature: 'mergeRequests' },
  create_commit_status: { level: DEVELOPER, feature: 'repository' },
  create_pipeline: { level: DEVELOPER, feature: 'jobs' },
  update_pipeline: { level: DEVELOPER, feature: 'jobs' },
  read_resource_group: { level: DEVELOPER, feature: 'jobs' },
  update_resource_group: { level: DEVELOPER, feature: 'jobs' },
  admin_pipeline_schedule: { level: MASTER, feature: 'jobs' },
  delete_pipeline: { level: OWNER, feature: 'jobs' },
  delete_artifacts: { level: MASTER, feature: 'jobs' },
  force_cancel_job: { level: MASTER, feature: 'jobs' },
  read_debug_log: { level: DEVELOPER, feature: 'jobs' },
  update_job: { level: DEVELOPER, feature: 'jobs' },
  create_environment: { level: DEVELOPER, feature: 'jobs' },
  stop_environment: { level: DEVELOPER, feature: 'jobs' },
  admin_environment: { level: MASTER, feature: 'jobs' },
  admin_variable: { level: MASTER },
  admin_trigger: { level: MASTER },
  create_project_snippet: { level: REPORTER, feature: 'snippets' },
  admin_note: { level: MASTER },
  update_project: { level: MASTER },
  rename_project: { level: OWNER },
  change_visibility: { level: OWNER },
  archive_project: { level: OWNER },
  move_project: { level: OWNER },
  maintain_repository: { level: MASTER, feature: 'repository' },
  export_project: { level: MASTER },
  delete_project: { level: OWNER },
  remove_fork_relation: { level: OWNER },
  set_fork_relation: { level: ADMIN },
  fork_project: { level: REPORTER, open: 'user', feature: 'repository' },
  share_project: { level: MASTER },
  admin_badge: { level: MASTER },
  admin_upload: { level: MASTER },
  admin_hook: { level: MASTER },
  admin_mirror: { level: MASTER },
  admin_deploy_key: { level: MASTER },
  admin_integration: { level: MASTER },
  admin_runner: { level: MASTER },
  read_audit_event: { level: MASTER },
  admin_access_token: { level: MASTER },
  admin_deploy_token: { level: MASTER },
  admin_service_account: { level: OWNER },
  admin_job_token_scope: { level: MASTER },
  admin_project_member: { level: MASTER },
  admin_access_request: { level: MASTER },
} as const satisfies Record<string, Rule>;

/** Who may do what in a group. */
export const groupAbilities = {
  read_group: { level: GUEST, open: 'anyone' },
  read_group_wiki: { level: GUEST, open: 'anyone', switch: 'wikiAccessLevel' },
  write_group_wiki: { level: DEVELOPER, switch: 'wikiAccessLevel' },
  create_project_in_group: { level: MASTER, setting: 'projectCreationLevel' },
  create_subgroup: { level: OWNER, setting: 'subgroupCreationLevel' },
  update_group: { level: OWNER },
  share_group: { level: OWNER },
  transfer_group: { level: OWNER },
  delete_group: { level: OWNER },
  export_group: { level: OWNER },
  read_group_audit_event: { level: OWNER },
  admin_group_access_token: { level: OWNER },
  admin_group_deploy_token: { level: OWNER },
  admin_group_service_account: { level: OWNER },
  admin_group_member: { level: OWNER },
  admin_group_access_request: { level: OWNER },
  transfer_project_to_group: { level: ADMIN },
  admin_group_badge: { level: OWNER },
  admin_group_hook: { level: OWNER },
  admin_group_integration: { level: OWNER },
  admin_group_push_rule: { level: OWNER },
  admin_group_variable: { level: OWNER },
  admin_group_runner: { level: OWNER },
  publish_group_package: { level: DEVELOPER },
  delete_group_package: { level: MASTER },
  read_group_package_settings: { level: GUEST },
  admin_group_package: { level: MASTER },
  admin_group_label: { level: REPORTER },
  admin_group_milestone: { level: REPORTER },
  admin_group_board: { level: REPORTER },
} as const satisfies Record<string, Rule>;

export type ProjectAbility = keyof typeof projectAbilities;
export type GroupAbility = keyof typeof groupAbilities;

/** Visibilities of a project, group or snippet, from the narrowest to the widest. */
export const VISIBILITIES = ['private', 'internal', 'public'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** Who may create projects or subgroups in a group, with the lowest level that may. */
const CREATION_LEVELS = { noone: ADMIN, administrator: ADMIN, owner: OWNER, maintainer: MASTER, developer: DEVELOPER };
export type CreationLevel = keyof typeof CREATION_LEVELS;

/** A project or group together with the actor's effective access level in it (0: none). */
export interface PermissionSubject extends Partial<Features> {
  readonly visibility: Visibility;
  readonly accessLevel: number;
  readonly archived?: boolean;
  readonly publicJobs?: boolean;
  readonly projectCreationLevel?: CreationLevel;
  readonly subgroupCreationLevel?: CreationLevel;
  readonly wikiAccessLevel?: FeatureLevel;
}

/** A project as one: groups have no features. */
export type ProjectSubject = PermissionSubject & Pick<Features, 'membersOnly'>;

type SubjectOf<Ability> = Ability extends ProjectAbility ? ProjectSubject : PermissionSubject;

const rules: Readonly<Record<ProjectAbility | GroupAbility, Rule>> = { ...projectAbilities, ...groupAbilities };

/** Whether the actor may do this to the project or group. */
export function can<Ability extends ProjectAbility | GroupAbility>(
  actor: Actor | null,
  ability: Ability,
  subject: SubjectOf<Ability>,
): boolean {
  const rule = rules[ability];
  if (rule.feature && !hasFeature(actor, rule.feature, { ...subject, membersOnly: subject.membersOnly ?? [] }))
    return false;
  if (rule.shownIn && !isShown(actor, rule.shownIn, subject)) return false;
  if (rule.switch && !isSwitchedOn(actor, subject[rule.switch], subject)) return false;
  if (rule.frozen && subject.archived) return false;
  const open = rule.publicJobs === 'output' && !subject.publicJobs ? undefined : rule.open;
  if (open === 'anyone' && subject.visibility === 'public') return true;
  if (!actor) return false;
  const setting = rule.setting && subject[rule.setting];
  // What nobody may create, administrators do not either.
  if (setting === 'noone') return false;
  const level = setting ? CREATION_LEVELS[setting] : rule.publicJobs && subject.publicJobs ? GUEST : rule.level;
  if (actor.admin || subject.accessLevel >= level) return true;
  return open !== undefined && isOpenTo(actor, subject.visibility);
}

/** As can, but throws: Unauthenticated for anonymous callers, else Forbidden. */
export function authorize<Ability extends ProjectAbility | GroupAbility>(
  actor: Actor | null,
  ability: Ability,
  subject: SubjectOf<Ability>,
): void {
  if (can(actor, ability, subject)) return;
  throw refusalOf(actor);
}

function isShown(actor: Actor | null, features: readonly Feature[], subject: PermissionSubject): boolean {
  if (actor?.admin || subject.accessLevel > 0) return true;
  const { membersOnly = [] } = subject;
  if (!features.some((feature) => membersOnly.includes(feature))) return true;
  return features.some((feature) => hasFeature(actor, feature, { ...subject, membersOnly }));
}

function isSwitchedOn(actor: Actor | null, level: FeatureLevel | undefined, subject: PermissionSubject): boolean {
  if (level === 'private') return actor !== null && (actor.admin || subject.accessLevel > 0);
  return level !== 'disabled';
}

function isOpenTo(actor: Actor, visibility: PermissionSubject['visibility']): boolean {
  return visibility === 'public' || (visibility === 'internal' && !actor.external);
}

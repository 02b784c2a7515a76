import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Project } from '#schema/projects/types.ts';
import { can, type ProjectAbility } from '#src/access/permissions/abilities.ts';
import { canContribute } from '#src/domain/projects/contribute.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';

/** Whether the caller has an ability in the project, from the data already loaded. */
function ability(name: ProjectAbility, description: string) {
  return {
    description,
    resolve: (project: ProjectRow, _args: object, { actor }: GraphQLContext) =>
      actor !== null && can(actor, name, project),
  };
}

builder.objectFields(Project, (t) => ({
  viewerCanUpdate: t.boolean(ability('update_project', 'Whether the caller can change settings of the project.')),
  viewerCanRename: t.boolean(ability('rename_project', 'Whether the caller can change the name of the project.')),
  viewerCanChangeVisibility: t.boolean(
    ability('change_visibility', 'Whether the caller can change the visibility of the project.'),
  ),
  viewerCanReadAuditEvents: t.boolean(
    ability('read_audit_event', 'Whether the caller can read the audit log of the project.'),
  ),
  viewerCanArchive: t.boolean(ability('archive_project', 'Whether the caller can archive and unarchive the project.')),
  viewerCanDelete: t.boolean(ability('delete_project', 'Whether the caller can delete the project.')),
  viewerCanFork: t.boolean(ability('fork_project', 'Whether the caller can fork the project.')),
  viewerCanShare: t.boolean(ability('share_project', 'Whether the caller can share the project with groups.')),
  viewerCanManageMembers: t.boolean(
    ability('admin_project_member', 'Whether the caller can add, change and remove members of the project.'),
  ),
  viewerCanReadRepository: t.boolean({
    description: 'Whether the caller, who may be anonymous, can read the files of the repository.',
    resolve: (project, _args, { actor }) => can(actor, 'read_repository', project),
  }),
  viewerCanPush: t.boolean(
    ability(
      'push_code',
      'Whether the caller can push to branches that are not protected; see `Branch.viewerCanPush` for a single branch.',
    ),
  ),
  viewerCanManageProtectedBranches: t.boolean(
    ability('admin_protected_branch', 'Whether the caller can protect and unprotect branches.'),
  ),
  viewerCanCommentOnCommits: t.boolean(
    ability('create_commit_comment', 'Whether the caller can comment on commits of the project.'),
  ),
  viewerCanCreateIssue: t.boolean(ability('create_issue', 'Whether the caller can open issues in the project.')),
  viewerCanCreateMergeRequest: t.boolean(
    ability(
      'create_merge_request',
      'Whether the caller can open merge requests from branches of the project, into it or into the one that it is a fork of.',
    ),
  ),
  viewerCanCreateMergeRequestInto: t.boolean({
    description:
      'Whether the caller can open merge requests into the project: from its own branches, or from those of a fork.',
    resolve: (project, _args, { actor }) => actor !== null && canContribute(actor, project),
  }),
  viewerCanManageIssues: t.boolean(
    ability('admin_issue', 'Whether the caller can set labels, milestone, assignee and due date of issues.'),
  ),
  viewerCanManageMergeRequests: t.boolean(
    ability(
      'admin_merge_request',
      'Whether the caller can set labels, milestone, assignees and reviewers of merge requests into the project.',
    ),
  ),
  viewerCanReadLabels: t.boolean(ability('read_label', 'Whether the caller can see the labels of the project.')),
  viewerCanReadMilestones: t.boolean(
    ability('read_milestone', 'Whether the caller can see the milestones of the project.'),
  ),
  viewerCanReadBoards: t.boolean(ability('read_board', 'Whether the caller can see the boards of the project.')),
  viewerCanReadJobOutput: t.boolean(
    ability('read_job_output', 'Whether the caller can read the logs, artifacts and test reports of jobs.'),
  ),
  viewerCanManageLabels: t.boolean(ability('admin_label', 'Whether the caller can create, change and delete labels.')),
  viewerCanManageMilestones: t.boolean(
    ability('admin_milestone', 'Whether the caller can create and change milestones.'),
  ),
  viewerCanManageBoards: t.boolean(
    ability('admin_board', 'Whether the caller can create, change and delete boards and their lists.'),
  ),
  viewerCanCreateSnippet: t.boolean(
    ability('create_project_snippet', 'Whether the caller can create snippets in the project.'),
  ),
  viewerCanCreatePipeline: t.boolean(
    ability('create_pipeline', 'Whether the caller can start pipelines of the project.'),
  ),
  viewerCanCreateEnvironment: t.boolean(
    ability('create_environment', 'Whether the caller can create environments of the project.'),
  ),
  viewerCanReadEnvironments: t.boolean(
    ability('read_environment', 'Whether the caller can see the environments of the project and their deployments.'),
  ),
  viewerCanManageRunners: t.boolean(
    ability('admin_runner', 'Whether the caller can see and create runners of the project.'),
  ),
  viewerCanManageVariables: t.boolean(
    ability('admin_variable', 'Whether the caller can read and change the variables of the project.'),
  ),
  viewerCanManageTriggers: t.boolean(
    ability('admin_trigger', 'Whether the caller can read and change the triggers of the project.'),
  ),
  viewerCanManageProtectedTags: t.boolean(
    ability('admin_protected_tag', 'Whether the caller can protect and unprotect tags.'),
  ),
  viewerCanManagePushRules: t.boolean(
    ability('admin_push_rule', 'Whether the caller can read and change the push rule of the project.'),
  ),
  viewerCanManageApprovalRules: t.boolean(
    ability('admin_approval_rule', 'Whether the caller can change the approval rules of the project.'),
  ),
  viewerCanManageWebhooks: t.boolean(
    ability('admin_hook', 'Whether the caller can read and change the webhooks of the project.'),
  ),
  viewerCanManageIntegrations: t.boolean(
    ability('admin_integration', 'Whether the caller can read and change the integrations of the project.'),
  ),
  viewerCanManageAccessTokens: t.boolean(
    ability('admin_access_token', 'Whether the caller can create and revoke access tokens of the project.'),
  ),
  viewerCanManageDeployKeys: t.boolean(
    ability('admin_deploy_key', 'Whether the caller can read and change the deploy keys of the project.'),
  ),
  viewerCanManageDeployTokens: t.boolean(
    ability('admin_deploy_token', 'Whether the caller can create and revoke deploy tokens of the project.'),
  ),
  viewerCanManageServiceAccounts: t.boolean(
    ability('admin_service_account', 'Whether the caller can create and change service accounts of the project.'),
  ),
  viewerCanManageMirrors: t.boolean(
    ability('admin_mirror', 'Whether the caller can read and change the mirrors of the project.'),
  ),
  viewerCanManageBadges: t.boolean(
    ability('admin_badge', 'Whether the caller can create, change and delete badges of the project.'),
  ),
  viewerCanManageAccessRequests: t.boolean(
    ability('admin_access_request', 'Whether the caller can approve and deny requests for access to the project.'),
  ),
  viewerCanReadPackages: t.boolean(ability('read_package', 'Whether the caller can see the packages of the project.')),
  viewerCanDeletePackages: t.boolean(
    ability('delete_package', 'Whether the caller can delete packages of the project.'),
  ),
  viewerCanReadContainerImages: t.boolean(
    ability('read_container_image', 'Whether the caller can see the container images of the project.'),
  ),
  viewerCanDeleteContainerImages: t.boolean(
    ability('delete_container_image', 'Whether the caller can delete container images of the project.'),
  ),
  viewerCanManageContainerImages: t.boolean(
    ability(
      'admin_container_image',
      'Whether the caller can protect tags of container images, and say which are deleted on a schedule.',
    ),
  ),
  viewerCanManagePackages: t.boolean(
    ability('admin_package', 'Whether the caller can protect packages of the project.'),
  ),
  viewerCanReadFeatureFlags: t.boolean(
    ability('read_feature_flag', 'Whether the caller can see the feature flags of the project.'),
  ),
  viewerCanManageFeatureFlags: t.boolean(
    ability('admin_feature_flag', 'Whether the caller can create, change and delete feature flags and user lists.'),
  ),
  viewerCanManageFeatureFlagsClient: t.boolean(
    ability('admin_feature_flags_client', 'Whether the caller can see and reset the instance ID of feature flags.'),
  ),
  viewerCanReadTerraformStates: t.boolean(
    ability('read_terraform_state', 'Whether the caller can see the states of Terraform of the project.'),
  ),
  viewerCanManageTerraformStates: t.boolean(
    ability('admin_terraform_state', 'Whether the caller can lock, unlock and delete states of Terraform.'),
  ),
  viewerCanReadPages: t.boolean(
    ability('read_pages', 'Whether the caller can see what was published as the site of the project.'),
  ),
  viewerCanManagePages: t.boolean(
    ability('admin_pages', 'Whether the caller can change the site of the project, its deployments and its domains.'),
  ),
  viewerCanExport: t.boolean(ability('export_project', 'Whether the caller can export the project as an archive.')),
  viewerCanMove: t.boolean(ability('move_project', 'Whether the caller can move the project into another namespace.')),
  viewerCanUnlinkFork: t.boolean(
    ability('remove_fork_relation', 'Whether the caller can detach the project from the one that it is a fork of.'),
  ),
}));

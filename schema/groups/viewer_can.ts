import { builder } from '#schema/builder.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Group } from '#schema/groups/types.ts';
import { can, type GroupAbility } from '#src/access/permissions/abilities.ts';
import { mayCreateGroups } from '#src/domain/groups/create.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';

/** Whether the caller has an ability in the group, from the data already loaded. */
function ability(name: GroupAbility, description: string) {
  return {
    description,
    resolve: (group: GroupRow, _args: object, { actor }: GraphQLContext) => actor !== null && can(actor, name, group),
  };
}

builder.objectFields(Group, (t) => ({
  viewerCanUpdate: t.boolean(ability('update_group', 'Whether the caller can change settings of the group.')),
  viewerCanShare: t.boolean(
    ability('share_group', 'Whether the caller can share the group with members of other groups.'),
  ),
  viewerCanReadAuditEvents: t.boolean(
    ability('read_group_audit_event', 'Whether the caller can read the audit log of the group.'),
  ),
  viewerCanDelete: t.boolean(
    ability('delete_group', 'Whether the caller can delete the group with everything inside.'),
  ),
  viewerCanExport: t.boolean(
    ability('export_group', 'Whether the caller can make an archive of the group and the groups in it.'),
  ),
  viewerCanManageMembers: t.boolean(
    ability('admin_group_member', 'Whether the caller can add, change and remove members of the group.'),
  ),
  viewerCanCreateProject: t.boolean(
    ability('create_project_in_group', 'Whether the caller can create projects in the group.'),
  ),
  viewerCanManageLabels: t.boolean(
    ability('admin_group_label', 'Whether the caller can create, change and delete labels of the group.'),
  ),
  viewerCanManageMilestones: t.boolean(
    ability('admin_group_milestone', 'Whether the caller can create, change and delete milestones of the group.'),
  ),
  viewerCanManageBoards: t.boolean(
    ability(
      'admin_group_board',
      'Whether the caller can create, change and delete boards of the group and their lists.',
    ),
  ),
  viewerCanReadWiki: t.boolean({
    description: 'Whether the caller can read the wiki of the group.',
    resolve: (group, _args, { actor }) => can(actor, 'read_group_wiki', group),
  }),
  viewerCanManageRunners: t.boolean(
    ability('admin_group_runner', 'Whether the caller can see and create runners of the group.'),
  ),
  viewerCanCreateSubgroup: t.boolean({
    description: 'Whether the caller can create subgroups.',
    resolve: (group, _args, { actor }) =>
      actor !== null && mayCreateGroups(actor) && can(actor, 'create_subgroup', group),
  }),
  viewerCanManagePackages: t.boolean(
    ability('admin_group_package', 'Whether the caller can change the package settings of the group.'),
  ),
  viewerCanManagePushRules: t.boolean(
    ability('admin_group_push_rule', 'Whether the caller can read and change the push rule of the group.'),
  ),
  viewerCanManageWebhooks: t.boolean(
    ability('admin_group_hook', 'Whether the caller can read and change the webhooks of the group.'),
  ),
  viewerCanManageIntegrations: t.boolean(
    ability('admin_group_integration', 'Whether the caller can read and change the integrations of the group.'),
  ),
  viewerCanManageAccessTokens: t.boolean(
    ability('admin_group_access_token', 'Whether the caller can create and revoke access tokens of the group.'),
  ),
  viewerCanManageServiceAccounts: t.boolean(
    ability('admin_group_service_account', 'Whether the caller can create and change service accounts of the group.'),
  ),
  viewerCanManageDeployTokens: t.boolean(
    ability('admin_group_deploy_token', 'Whether the caller can create and revoke deploy tokens of the group.'),
  ),
  viewerCanManageVariables: t.boolean(
    ability('admin_group_variable', 'Whether the caller can read and change the variables of the group.'),
  ),
  viewerCanManageBadges: t.boolean(
    ability('admin_group_badge', 'Whether the caller can create, change and delete badges of the group.'),
  ),
  viewerCanManageAccessRequests: t.boolean(
    ability('admin_group_access_request', 'Whether the caller can approve and deny requests for access to the group.'),
  ),
  viewerCanTransfer: t.boolean(
    ability('transfer_group', 'Whether the caller can move the group into another one, or to the top.'),
  ),
}));

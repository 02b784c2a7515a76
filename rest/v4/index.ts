import type { Route } from '#rest/engine/route.ts';
import { accessRequests } from '#rest/v4/access_requests.ts';
import { accessTokens } from '#rest/v4/access_tokens.ts';
import { appearance } from '#rest/v4/appearance.ts';
import { applications } from '#rest/v4/applications.ts';
import { approvalRules } from '#rest/v4/approval_rules.ts';
import { auditEvents } from '#rest/v4/audit_events.ts';
import { awards } from '#rest/v4/awards.ts';
import { badges } from '#rest/v4/badges.ts';
import { backgroundJobs } from '#rest/v4/bgjobs.ts';
import { boards } from '#rest/v4/boards.ts';
import { branches } from '#rest/v4/branches.ts';
import { branchesWrite } from '#rest/v4/branches_write.ts';
import { broadcastMessages } from '#rest/v4/broadcast_messages.ts';
import { bulkImports } from '#rest/v4/bulk_imports.ts';
import { commits } from '#rest/v4/commits.ts';
import { commitsWrite } from '#rest/v4/commits_write.ts';
import { containerRegistry } from '#rest/v4/container_registry.ts';
import { customAttributes } from '#rest/v4/custom_attributes.ts';
import { debianDistributions } from '#rest/v4/debian_distributions.ts';
import { deployKeys } from '#rest/v4/deploy_keys.ts';
import { deployTokens } from '#rest/v4/deploy_tokens.ts';
import { deployments } from '#rest/v4/deployments.ts';
import { discussions } from '#rest/v4/discussions.ts';
import { draftNotes } from '#rest/v4/draft_notes.ts';
import { emails } from '#rest/v4/emails.ts';
import { environments } from '#rest/v4/environments.ts';
import { events } from '#rest/v4/events.ts';
import { featureFlags } from '#rest/v4/feature_flags.ts';
import { featureToggles } from '#rest/v4/feature_toggles.ts';
import { filesWrite } from '#rest/v4/files_write.ts';
import { gpgKeys } from '#rest/v4/gpg_keys.ts';
import { groupArchives } from '#rest/v4/group_archives.ts';
import { groups } from '#rest/v4/groups.ts';
import { hooks } from '#rest/v4/hooks.ts';
import { integrations } from '#rest/v4/integrations.ts';
import { invitations } from '#rest/v4/invitations.ts';
import { issueLinks } from '#rest/v4/issue_links.ts';
import { issues } from '#rest/v4/issues.ts';
import { jobTokenScope } from '#rest/v4/job_token_scope.ts';
import { jobs } from '#rest/v4/jobs.ts';
import { keys } from '#rest/v4/keys.ts';
import { labels } from '#rest/v4/labels.ts';
import { lint } from '#rest/v4/lint.ts';
import { markdown } from '#rest/v4/markdown.ts';
import { members } from '#rest/v4/members.ts';
import { mergeRequests } from '#rest/v4/merge_requests.ts';
import { milestones } from '#rest/v4/milestones.ts';
import { remoteMirrors } from '#rest/v4/mirrors.ts';
import { namespaces } from '#rest/v4/namespaces.ts';
import { notes } from '#rest/v4/notes.ts';
import { notifications } from '#rest/v4/notifications.ts';
import { packages } from '#rest/v4/packages.ts';
import { pages } from '#rest/v4/pages.ts';
import { people } from '#rest/v4/people.ts';
import { pipelines } from '#rest/v4/pipelines.ts';
import { placeholderReassignments } from '#rest/v4/placeholder_reassignments.ts';
import { projectArchives } from '#rest/v4/project_archives.ts';
import { projects } from '#rest/v4/projects.ts';
import { protectionRules } from '#rest/v4/protection_rules.ts';
import { protections } from '#rest/v4/protections.ts';
import { pushRules } from '#rest/v4/push_rules.ts';
import { releases } from '#rest/v4/releases.ts';
import { remoteImports } from '#rest/v4/remote_imports.ts';
import { repository } from '#rest/v4/repository.ts';
import { resourceEvents } from '#rest/v4/resource_events.ts';
import { resourceGroups } from '#rest/v4/resource_groups.ts';
import { runners } from '#rest/v4/runners.ts';
import { schedules } from '#rest/v4/schedules.ts';
import { searches } from '#rest/v4/search.ts';
import { serviceAccounts } from '#rest/v4/service_accounts.ts';
import { settings } from '#rest/v4/settings.ts';
import { snippets } from '#rest/v4/snippets.ts';
import { statuses } from '#rest/v4/statuses.ts';
import { suggestions } from '#rest/v4/suggestions.ts';
import { tags } from '#rest/v4/tags.ts';
import { tagsWrite } from '#rest/v4/tags_write.ts';
import { templates } from '#rest/v4/templates.ts';
import { timeTracking } from '#rest/v4/time_tracking.ts';
import { todos } from '#rest/v4/todos.ts';
import { tokens } from '#rest/v4/tokens.ts';
import { topics } from '#rest/v4/topics.ts';
import { triggers } from '#rest/v4/triggers.ts';
import { uploads } from '#rest/v4/uploads.ts';
import { users } from '#rest/v4/users.ts';
import { variables } from '#rest/v4/variables.ts';
import { wikis } from '#rest/v4/wikis.ts';

/** Every route of the REST API. */
export const routes: Route[] = [
  ...users,
  ...keys,
  ...deployKeys,
  ...emails,
  ...tokens,
  ...accessTokens,
  ...serviceAccounts,
  ...auditEvents,
  ...deployTokens,
  ...jobTokenScope,
  ...applications,
  ...bulkImports,
  ...groupArchives,
  ...groups,
  ...namespaces,
  ...members,
  ...notifications,
  ...accessRequests,
  ...projects,
  ...events,
  ...schedules,
  ...searches,
  ...settings,
  ...issues,
  ...issueLinks,
  ...timeTracking,
  ...todos,
  ...notes,
  ...discussions,
  ...draftNotes,
  ...suggestions,
  ...awards,
  ...labels,
  ...boards,
  ...mergeRequests,
  ...people,
  ...milestones,
  ...resourceEvents,
  ...repository,
  ...approvalRules,
  ...pushRules,
  ...releases,
  ...featureFlags,
  ...pages,
  ...containerRegistry,
  ...debianDistributions,
  ...protectionRules,
  ...packages,
  ...wikis,
  ...remoteMirrors,
  ...commits,
  ...branches,
  ...tags,
  ...commitsWrite,
  ...filesWrite,
  ...branchesWrite,
  ...protections,
  ...tagsWrite,
  ...statuses,
  ...pipelines,
  ...jobs,
  ...runners,
  ...lint,
  ...markdown,
  ...environments,
  ...resourceGroups,
  ...deployments,
  ...triggers,
  ...variables,
  ...hooks,
  ...integrations,
  ...invitations,
  ...gpgKeys,
  ...snippets,
  ...backgroundJobs,
  ...templates,
  ...uploads,
  ...featureToggles,
  ...customAttributes,
  ...broadcastMessages,
  ...appearance,
  ...topics,
  ...badges,
  ...projectArchives,
  ...remoteImports,
  ...placeholderReassignments,
];

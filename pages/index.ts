import { accounts } from '#pages/account.ts';
import { admin } from '#pages/admin.ts';
import { adminIntegrations } from '#pages/admin_integrations.ts';
import { adminSite } from '#pages/admin_site.ts';
import { auditEvents } from '#pages/audit_events.ts';
import { badges } from '#pages/badges.ts';
import { boards } from '#pages/boards.ts';
import { bulkImportPages } from '#pages/bulk_imports.ts';
import { chatConnections } from '#pages/chat_connections.ts';
import { choices } from '#pages/choices.ts';
import { ciTools } from '#pages/ci_tools.ts';
import { commits } from '#pages/commits.ts';
import { completion } from '#pages/completion.ts';
import { conflicts } from '#pages/conflicts.ts';
import { credentials } from '#pages/credentials.ts';
import { unfolding } from '#pages/diff_unfold.ts';
import type { Row } from '#pages/engine/row.ts';
import { environments } from '#pages/environments.ts';
import { explore, places } from '#pages/explore.ts';
import { featureFlags } from '#pages/feature_flags.ts';
import { feeds } from '#pages/feeds.ts';
import { files } from '#pages/files.ts';
import { groupArchives } from '#pages/group_archives.ts';
import { issues } from '#pages/issues.ts';
import { jobs } from '#pages/jobs.ts';
import { labels } from '#pages/labels.ts';
import { mergeRequestChanges } from '#pages/merge_request_changes.ts';
import { mergeRequests } from '#pages/merge_requests.ts';
import { milestones } from '#pages/milestones.ts';
import { notes } from '#pages/notes.ts';
import { own } from '#pages/own.ts';
import { patches } from '#pages/patches.ts';
import { pipelines } from '#pages/pipelines.ts';
import { placeholders } from '#pages/placeholders.ts';
import { profiles } from '#pages/profile.ts';
import { projectImports } from '#pages/project_imports.ts';
import { publicKeys } from '#pages/public_keys.ts';
import { refs } from '#pages/refs.ts';
import { releases } from '#pages/releases.ts';
import { home, repository } from '#pages/repository.ts';
import { runners } from '#pages/runners.ts';
import { schedules } from '#pages/schedules.ts';
import { search } from '#pages/search.ts';
import { adminServiceAccounts, settingsServiceAccounts } from '#pages/service_accounts.ts';
import { settings } from '#pages/settings.ts';
import { approvalRulePages } from '#pages/settings_approvals.ts';
import { settingsCi } from '#pages/settings_ci.ts';
import { settingsHooks } from '#pages/settings_hooks.ts';
import { settingsImages } from '#pages/settings_images.ts';
import { settingsIntegrations } from '#pages/settings_integrations.ts';
import { settingsMembers } from '#pages/settings_members.ts';
import { packageSettingsPages } from '#pages/settings_packages.ts';
import { protectionRules } from '#pages/settings_protection_rules.ts';
import { pushRulePages } from '#pages/settings_push_rules.ts';
import { settingsStorage } from '#pages/settings_storage.ts';
import { settingsTokens } from '#pages/settings_tokens.ts';
import { severalFiles } from '#pages/several_files.ts';
import { sites } from '#pages/sites.ts';
import { snippetHistory } from '#pages/snippet_history.ts';
import { snippets } from '#pages/snippets.ts';
import { start } from '#pages/start.ts';
import { talk } from '#pages/talk.ts';
import { terraformStates } from '#pages/terraform_states.ts';
import { uploadFiles } from '#pages/upload_files.ts';
import { wikis } from '#pages/wikis.ts';

/** All pages and forms over GraphQL. Of several rows that match a path, the first one that finds something is shown. */
export const rows = [
  ...feeds,
  ...publicKeys,
  ...badges,
  ...patches,
  ...start,
  ...own,
  ...credentials,
  ...profiles,
  ...accounts,
  ...admin,
  ...adminIntegrations,
  ...adminSite,
  ...adminServiceAccounts,
  ...auditEvents,
  ...search,
  ...choices,
  ...completion,
  ...groupArchives,
  ...bulkImportPages,
  ...projectImports,
  ...placeholders,
  ...explore,
  ...boards,
  ...issues,
  ...labels,
  ...conflicts,
  ...mergeRequestChanges,
  ...mergeRequests,
  ...milestones,
  ...notes,
  ...talk,
  ...ciTools,
  ...environments,
  ...featureFlags,
  ...terraformStates,
  ...sites,
  ...jobs,
  ...pipelines,
  ...runners,
  ...schedules,
  ...settings,
  ...settingsMembers,
  ...settingsHooks,
  ...settingsIntegrations,
  ...chatConnections,
  ...settingsCi,
  ...approvalRulePages,
  ...packageSettingsPages,
  ...pushRulePages,
  ...settingsTokens,
  ...settingsServiceAccounts,
  ...settingsImages,
  ...protectionRules,
  ...settingsStorage,
  ...commits,
  ...unfolding,
  ...refs,
  ...releases,
  ...snippets,
  ...snippetHistory,
  ...wikis,
  ...files,
  ...severalFiles,
  ...uploadFiles,
  ...repository,
  ...home,
  ...places,
] as const satisfies readonly Row[];

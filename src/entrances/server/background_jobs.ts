import { expireAuditEvents } from '#src/access/audit/expire.ts';
import { expireAccountTokens } from '#src/access/credentials/account_tokens/expire.ts';
import { activeUser } from '#src/access/credentials/authenticate.ts';
import { deliver, type Outgoing } from '#src/access/credentials/mail/deliver.ts';
import { expireSessions } from '#src/access/credentials/sessions/expire.ts';
import { expireAuthorizations } from '#src/access/oauth/expire.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { pruneAttempts } from '#src/access/sign_in/attempts.ts';
import { expireChallenges } from '#src/access/sign_in/challenges.ts';
import { advanceBulkImport, failOfNobody } from '#src/domain/bulk_imports/advance.ts';
import { continueGroupImport } from '#src/domain/bulk_imports/import_group.ts';
import { cleanUpArtifacts } from '#src/domain/ci/artifacts/clean_up.ts';
import { expireArtifacts } from '#src/domain/ci/artifacts/expire.ts';
import { forgetProjectArtifacts } from '#src/domain/ci/artifacts/remove.ts';
import { removeArtifacts } from '#src/domain/ci/forget_artifacts.ts';
import { cleanUpTraces } from '#src/domain/ci/job_logs/clean_up.ts';
import { removeTraceFile } from '#src/domain/ci/job_logs/file.ts';
import { beginScheduled } from '#src/domain/ci/jobs/begin_scheduled.ts';
import { stopDue, stopOfBranch } from '#src/domain/ci/jobs/stop_environment.ts';
import { cancelChildren } from '#src/domain/ci/pipelines/cancel.ts';
import { followDownstream, startDownstream } from '#src/domain/ci/pipelines/downstream.ts';
import { createPushedPipelines } from '#src/domain/ci/pipelines/push.ts';
import { assignResource } from '#src/domain/ci/resource_groups/assign.ts';
import { expireJobs } from '#src/domain/ci/runners/expire.ts';
import { runSchedules, startDue } from '#src/domain/ci/schedules/start.ts';
import { cleanUpContainers } from '#src/domain/container_registry/clean_up.ts';
import { applyPolicies } from '#src/domain/container_registry/expiration_policy.ts';
import { deleteMatchingTags } from '#src/domain/container_registry/remove.ts';
import { GITLAB_LAYOUT } from '#src/domain/gitlab_archives/export/layout.ts';
import { GITLAB } from '#src/domain/gitlab_archives/translate.ts';
import { expireGroupExports, exportGroup } from '#src/domain/group_archives/export.ts';
import { cleanUpGroupImports, failGroupImport, importGroupArchive } from '#src/domain/group_archives/import.ts';
import { type ImportStores, importRepository } from '#src/domain/imports/import.ts';
import { pullMirrors } from '#src/domain/imports/mirrors/pull.ts';
import { pushMirrors } from '#src/domain/imports/mirrors/push.ts';
import { synchronizeDirectories } from '#src/domain/lifecycle/accounts/synchronize.ts';
import { expireDataExports, exportData } from '#src/domain/lifecycle/data_export.ts';
import { removeBots } from '#src/domain/lifecycle/remove_bots.ts';
import { removeNamespace } from '#src/domain/lifecycle/remove_group.ts';
import { removeProject } from '#src/domain/lifecycle/remove_project.ts';
import { sendRefusal } from '#src/domain/mail_in/answer.ts';
import { handleMail } from '#src/domain/mail_in/handle.ts';
import { forgetMailIn } from '#src/domain/mail_in/settle.ts';
import { removeExpiredMembers } from '#src/domain/members/expire.ts';
import { sendInvitation } from '#src/domain/members/invitations/mail.ts';
import { findRecipients, forgetDeliveries } from '#src/domain/notifications/mailing/distribute.ts';
import { remindOfDue } from '#src/domain/notifications/mailing/due.ts';
import { sendNotification } from '#src/domain/notifications/mailing/send.ts';
import { tellParticipant } from '#src/domain/notifications/mailing/tell_participants.ts';
import { cleanUpPackages } from '#src/domain/packages/clean_up.ts';
import { removePackageFiles } from '#src/domain/packages/remove.ts';
import { removeUnusedPlaceholders } from '#src/domain/placeholder_users/remove_unused.ts';
import { forgetTables, runTable } from '#src/domain/placeholder_users/table.ts';
import { takeOverAll, takeOver as takeOverPlaceholder } from '#src/domain/placeholder_users/take_over.ts';
import { expireExports, exportProject } from '#src/domain/project_archives/export.ts';
import { cleanUpImports, failImport, importArchive } from '#src/domain/project_archives/import.ts';
import { OWN_LAYOUT } from '#src/domain/project_archives/own_layout.ts';
import { failRemoteImport } from '#src/domain/remote_imports/end.ts';
import { continueImport } from '#src/domain/remote_imports/run.ts';
import { failUpdate } from '#src/domain/remote_imports/update_end.ts';
import { continueUpdate } from '#src/domain/remote_imports/update_run.ts';
import { removeMergedBranches } from '#src/domain/repository/branches/merged.ts';
import { cleanUpAll } from '#src/domain/repository/clean_up.ts';
import { indexMissing, indexProject } from '#src/domain/repository/code_search/index_project.ts';
import { countContributors } from '#src/domain/repository/contributors.ts';
import { ErrorCollector } from '#src/domain/repository/each.ts';
import { forkRepository } from '#src/domain/repository/fork.ts';
import { countLanguages } from '#src/domain/repository/languages/count.ts';
import { maintainActive, maintainAsked, maintainPlace, maintainProject } from '#src/domain/repository/maintain.ts';
import { reconcileAll } from '#src/domain/repository/reconcile.ts';
import { removeRepositories } from '#src/domain/repository/remove_later.ts';
import type { RepositoryStore } from '#src/domain/repository/store.ts';
import { expireSites } from '#src/domain/sites/expire.ts';
import { publishSite } from '#src/domain/sites/publish.ts';
import { cleanUpSites } from '#src/domain/sites/store.ts';
import { verifyDomains } from '#src/domain/sites/verify.ts';
import { reconcileSnippets } from '#src/domain/snippets/reconcile.ts';
import { referFromCommits } from '#src/domain/tracking/activity/pushed_commits.ts';
import { traceDiscussions } from '#src/domain/tracking/discussions/trace.ts';
import { forgetIssueImports, runIssueImport } from '#src/domain/tracking/issue_tables/import.ts';
import { finishMerge } from '#src/domain/tracking/merge_requests/after_merge.ts';
import { recordClosed } from '#src/domain/tracking/merge_requests/close_of_fork.ts';
import { createVersionPipeline } from '#src/domain/tracking/merge_requests/create_pipeline.ts';
import { linkObjectsOfMerged } from '#src/domain/tracking/merge_requests/link_lfs.ts';
import { awaitingMerge, mergeAfterPipeline } from '#src/domain/tracking/merge_requests/merge_when_pipeline_succeeds.ts';
import { rebaseMergeRequest } from '#src/domain/tracking/merge_requests/rebase.ts';
import { refreshMergeRequests } from '#src/domain/tracking/merge_requests/refresh.ts';
import { removeUnneededRefs } from '#src/domain/tracking/merge_requests/remove_refs.ts';
import { storeMissingCommits } from '#src/domain/tracking/merge_requests/store_commits.ts';
import { recordPastEvents } from '#src/domain/tracking/resource_events/past.ts';
import { cleanUpUploads } from '#src/domain/uploads/clean_up.ts';
import { cleanUpLfs } from '#src/domain/uploads/lfs/clean_up.ts';
import type { UploadStore } from '#src/domain/uploads/store.ts';
import type { HookDeliveries } from '#src/domain/webhooks/deliver.ts';
import { enqueueDisabledMail, sendDisabled } from '#src/domain/webhooks/disabled.ts';
import { mailEvent } from '#src/domain/webhooks/mail_event.ts';
import { pruneDeliveries } from '#src/domain/webhooks/prune.ts';
import { FOLLOWERS } from '#src/entrances/server/followers.ts';
import type { JobHandlers, JobPaces, JobQueue } from '#src/platform/background/queue.ts';
import type { Db } from '#src/platform/database/db.ts';

/** What the jobs of one process need. */
export interface JobSettings extends Pick<ImportStores, 'secret' | 'imports' | 'stopping'> {
  db: Db;
  repositories: RepositoryStore;
  uploads: UploadStore;
  /** Sends mail; without it, mail is dropped. */
  outgoing?: Outgoing | undefined;
  /** Delivers webhooks. */
  hooks?: HookDeliveries | undefined;
  /** Where the server is. */
  address?: Context['address'];
  /** Where the sites of projects are served; they are not where absent. */
  sites?: Context['sites'];
}

/** The schedules of jobs, and how many of a name run at once. */
export const JOB_PACES: JobPaces = {
  'members.expire': { cron: '3 * * * *' },
  'audit_events.expire': { cron: '47 * * * *' },
  'jobs.begin_scheduled': { cron: '* * * * *' },
  'environments.stop_due': { cron: '* * * * *' },
  'schedules.run': { cron: '* * * * *' },
  'schedules.start': { atOnce: 4 },
  'containers.apply_policies': { cron: '*/10 * * * *' },
  'jobs.expire': { cron: '*/5 * * * *' },
  'sessions.expire': { cron: '17 * * * *' },
  'users.remove_bots': { cron: '23 3 * * *' },
  'users.take_over_placeholders': { cron: '*/10 * * * *', atOnce: 2 },
  'users.remove_placeholders': { cron: '29 3 * * *' },
  'users.synchronize': { cron: '11 * * * *' },
  'repositories.maintain': { cron: '41 * * * *' },
  'code_search.index': { cron: '*/5 * * * *', atOnce: 2 },
  'repositories.remove': { cron: '*/10 * * * *' },
  'artifacts.expire': { cron: '*/10 * * * *' },
  'issues.remind': { cron: '7 * * * *' },
  'sites.expire': { cron: '*/10 * * * *' },
  'sites.verify_domains': { cron: '33 * * * *' },
  'hooks.prune': { cron: '53 * * * *' },
  'merge_requests.refresh': { cron: '29 * * * *', atOnce: 4 },
  'merge_requests.store_commits': { cron: '37 * * * *' },
  'merge_requests.link_lfs': { cron: '41 * * * *' },
  'resource_events.record_past': { cron: '*/10 * * * *' },
  'projects.import': { atOnce: 4 },
  'groups.import_remote': { atOnce: 2 },
  'bulk_imports.advance': { atOnce: 2 },
  'projects.import_remote': { atOnce: 3 },
  'projects.update_remote': { atOnce: 1 },
  'mirrors.push': { cron: '* * * * *', atOnce: 2 },
  'mirrors.pull': { cron: '* * * * *', atOnce: 2 },
  'mail.send': { atOnce: 4 },
  'invitations.mail': { atOnce: 4 },
  'mail.tell': { atOnce: 4 },
  'mail_in.answer': { atOnce: 4 },
  'service_desk.tell': { atOnce: 4 },
  'integrations.mail': { atOnce: 4 },
};

/** The handler of every job. */
/** What archives of projects can be like. */
const LAYOUTS = { gantry: OWN_LAYOUT, gitlab: GITLAB_LAYOUT };

export function jobHandlers({
  db,
  repositories,
  uploads,
  outgoing,
  hooks,
  address,
  sites,
  ...importing
}: JobSettings): JobHandlers {
  const followers = FOLLOWERS;
  const context = (jobs: JobQueue): Omit<Context, 'actor'> => {
    const { secret, imports } = importing;
    return { db, secret, jobs, followers, repositories, uploads, imports, clientAddress: null, address, sites };
  };
  /** The context for commands that run for a user; null if the user is no longer active. */
  const as = async (userId: number, jobs: JobQueue): Promise<Context | null> => {
    const actor = await activeUser(db, userId);
    return actor && { ...context(jobs), actor };
  };
  return {
    'projects.remove': ({ projectId }) => removeProject({ db, repositories, uploads }, projectId),
    'users.synchronize': () => synchronizeDirectories(db),
    'users.remove_bots': (_wanted, jobs) => removeBots({ db, secret: importing.secret, jobs, followers }),
    'users.take_over_placeholders': ({ sourceUserId }, jobs) => {
      const takeOver = context(jobs);
      return sourceUserId === undefined ? takeOverAll(takeOver) : takeOverPlaceholder(takeOver, sourceUserId);
    },
    'users.reassign_by_table': (wanted, jobs) => runTable(context(jobs), wanted, (userId) => as(userId, jobs)),
    'users.remove_placeholders': () => removeUnusedPlaceholders({ db }),
    'namespaces.remove': ({ namespaceId }) => removeNamespace({ db, repositories, uploads }, namespaceId),
    'branches.delete_merged': ({ projectId, userId }) =>
      removeMergedBranches({ db, repositories, followers }, projectId, userId),
    'projects.fork': async ({ projectId }) => {
      await forkRepository({ db, repositories }, projectId);
      await countLanguages({ db, repositories }, projectId);
      await indexProject({ db, repositories }, projectId);
    },
    'projects.import': async ({ projectId }) => {
      await importRepository({ db, repositories, followers, ...importing }, projectId);
      await countLanguages({ db, repositories }, projectId);
      await indexProject({ db, repositories }, projectId);
    },
    'projects.export': async ({ projectId, userId }, jobs) => {
      const context = await as(userId, jobs);
      if (context) await exportProject(context, projectId, { ...importing, layouts: LAYOUTS });
    },
    'groups.export': async ({ groupId, userId }, jobs) => {
      const context = await as(userId, jobs);
      if (context) await exportGroup(context, groupId, importing);
    },
    'groups.import_archive': async ({ groupId, userId }, jobs) => {
      const context = await as(userId, jobs);
      if (context) return importGroupArchive(context, groupId, importing);
      await failGroupImport({ db, uploads }, groupId, 'The user who imported the group is no longer active.');
    },
    'bulk_imports.advance': async ({ bulkImportId, userId }, jobs) => {
      const context = await as(userId, jobs);
      if (context) return advanceBulkImport(context, bulkImportId);
      await failOfNobody({ db, repositories, uploads }, bulkImportId);
    },
    'groups.import_remote': async ({ entityId, userId }, jobs) => {
      const context = await as(userId, jobs);
      // Without an active user the import ends by itself.
      if (context) await continueGroupImport(context, entityId, importing);
    },
    'users.export': async ({ userId }, jobs) => {
      const context = await as(userId, jobs);
      if (context) await exportData(context, importing);
    },
    'projects.import_archive': async ({ projectId, userId }, jobs) => {
      const context = await as(userId, jobs);
      if (context) return importArchive(context, projectId, { ...importing, formats: [GITLAB] });
      await failImport(
        { db, repositories, uploads },
        projectId,
        'The user who imported the project is no longer active.',
      );
    },
    'projects.import_remote': async ({ projectId, userId }, jobs) => {
      const context = await as(userId, jobs);
      if (!context) {
        const message = 'The user who imported the project is no longer active.';
        return failRemoteImport({ db, repositories, uploads }, projectId, message);
      }
      await continueImport(context, projectId, importing);
      await countLanguages({ db, repositories }, projectId);
      await indexProject({ db, repositories }, projectId);
    },
    'projects.update_remote': async ({ projectId, userId }, jobs) => {
      const context = await as(userId, jobs);
      if (!context) {
        return failUpdate({ db, repositories }, projectId, 'The user who asked for the update is no longer active.');
      }
      await continueUpdate(context, projectId, importing);
      await countLanguages({ db, repositories }, projectId);
      await indexProject({ db, repositories }, projectId);
    },
    'mirrors.push': () => pushMirrors({ db, repositories, ...importing }),
    'mirrors.pull': (_wanted, jobs) =>
      pullMirrors({ db, as: (userId) => as(userId, jobs), stopping: importing.stopping }),
    'repositories.maintain': async ({ projectId, requested, place }) => {
      if (place !== undefined) return maintainPlace({ db, repositories }, place);
      if (projectId !== undefined && requested) return maintainAsked({ db, repositories }, projectId);
      if (projectId !== undefined) return maintainProject({ db, repositories }, projectId);
      await eachStep([
        () => cleanUpAll({ db, repositories }),
        () => cleanUpUploads({ db, uploads }),
        () => cleanUpArtifacts({ db, uploads }),
        () => cleanUpPackages({ db, uploads }),
        () => cleanUpSites({ db, uploads }),
        () => cleanUpLfs({ db, uploads }),
        () => cleanUpContainers({ db, uploads }),
        () => cleanUpTraces({ db, repositories }),
        () => expireExports({ db, uploads }),
        () => expireDataExports({ db, uploads }),
        () => cleanUpImports({ db, uploads }),
        () => expireGroupExports({ db, uploads }),
        () => cleanUpGroupImports({ db, uploads }),
        () => maintainActive({ db, repositories }),
      ]);
    },
    'repositories.remove': () => removeRepositories({ db, repositories }),
    'repositories.languages': ({ projectId }) => countLanguages({ db, repositories }, projectId),
    'code_search.index': ({ projectId }) =>
      projectId === undefined ? indexMissing({ db, repositories }) : indexProject({ db, repositories }, projectId),
    'repositories.contributors': ({ projectId }) => countContributors({ db, repositories }, projectId),
    // Pushes that were not recorded may affect merge requests.
    'repositories.reconcile': (_wanted, jobs) =>
      eachStep([
        () => reconcileAll({ db, repositories, jobs, followers }),
        () => reconcileSnippets({ db, repositories }),
        () => refreshMergeRequests({ db, repositories, jobs, followers }, {}),
      ]),
    'merge_requests.refresh': (wanted, jobs) => refreshMergeRequests({ db, repositories, jobs, followers }, wanted),
    'merge_requests.merged': async ({ mergeRequestId, userId }, jobs) => {
      const context = await as(userId, jobs);
      if (context) await finishMerge(context, mergeRequestId);
    },
    'merge_requests.closed': (closed, jobs) => recordClosed({ db, jobs, followers }, closed),
    'merge_requests.create_pipeline': async (request, jobs) => {
      const context = await as(request.userId, jobs);
      if (context) await createVersionPipeline(context, request);
    },
    'merge_requests.pipeline': async (settled, jobs) => {
      const steps = (await awaitingMerge({ db }, settled)).map(({ id, userId }) => async () => {
        const context = await as(userId, jobs);
        const baseUrl = await outgoing?.baseUrl();
        if (context) await mergeAfterPipeline({ ...context, ...(baseUrl && { baseUrl }) }, id);
      });
      await eachStep(steps);
    },
    'merge_requests.rebase': async ({ mergeRequestId, userId, skipCi }, jobs) => {
      const context = await as(userId, jobs);
      if (context) await rebaseMergeRequest(context, mergeRequestId, skipCi);
    },
    'merge_requests.link_lfs': () => linkObjectsOfMerged({ db, repositories }),
    'merge_requests.store_commits': () => storeMissingCommits({ db, repositories }),
    'merge_requests.remove_refs': ({ projectId }) => removeUnneededRefs({ db, repositories }, projectId),
    'merge_requests.trace_notes': ({ mergeRequestId }) => traceDiscussions({ db, repositories }, mergeRequestId),
    'resource_events.record_past': () => recordPastEvents({ db }),
    'pipelines.create': async (push, jobs) => {
      const context = await as(push.userId, jobs);
      if (context) await createPushedPipelines(context, push);
    },
    'resource_groups.assign': (wanted, jobs) => assignResource({ db, jobs, followers }, wanted),
    'pipelines.trigger': (wanted, jobs) =>
      startDownstream({ db, jobs, followers }, wanted, (userId) => as(userId, jobs)),
    'pipelines.follow': (wanted, jobs) => followDownstream({ db, jobs, followers }, wanted),
    'pipelines.cancel_children': (wanted, jobs) => cancelChildren({ db, jobs, followers }, wanted),
    'jobs.begin_scheduled': (_wanted, jobs) => beginScheduled({ db, jobs, followers }),
    'environments.stop_due': (_wanted, jobs) => stopDue({ db, jobs, followers }, (userId) => as(userId, jobs)),
    'environments.stop_of_branch': async (deleted, jobs) => {
      const context = await as(deleted.userId, jobs);
      if (context) await stopOfBranch(context, deleted);
    },
    'schedules.run': (_wanted, jobs) => runSchedules({ db, jobs }),
    'schedules.start': (due, jobs) => startDue({ db }, due, (userId) => as(userId, jobs)),
    'jobs.expire': (_wanted, jobs) => expireJobs({ db, jobs, followers }),
    'commits.refer': (push, jobs) => referFromCommits({ db, repositories, jobs, followers }, push),
    'traces.remove': (file) => removeTraceFile(repositories, file),
    'sites.publish': ({ jobId }) => publishSite({ db, uploads, sites }, jobId),
    'sites.verify_domains': () => verifyDomains({ db, imports: importing.imports }),
    'sites.expire': () => expireSites({ db, uploads }),
    'artifacts.remove': ({ files }) => removeArtifacts({ uploads }, files),
    'containers.apply_policies': (_wanted, jobs) => applyPolicies({ db, jobs }),
    'containers.delete_tags': (wanted) => deleteMatchingTags({ db }, wanted),
    'packages.remove': ({ files }) => removePackageFiles({ uploads }, files),
    'artifacts.remove_all': (wanted, jobs) =>
      forgetProjectArtifacts({ db }, jobs, wanted, (userId) => as(userId, jobs)),
    'artifacts.expire': (_wanted, jobs) => expireArtifacts({ db }, jobs),
    'members.expire': () => removeExpiredMembers(db),
    'audit_events.expire': () => expireAuditEvents(db),
    'mail.send': async (wanted) => outgoing && deliver({ db, ...outgoing }, wanted),
    'invitations.mail': async ({ invitationId }) => outgoing && sendInvitation({ db, ...outgoing }, invitationId),
    'mail.find_recipients': async ({ happenings }, jobs) => outgoing && findRecipients({ db, jobs }, happenings),
    'issues.import': (wanted, jobs) => runIssueImport(db, wanted, (userId) => as(userId, jobs)),
    'issues.remind': async (_wanted, jobs) => outgoing && remindOfDue({ db, jobs }),
    'mail.tell': async (told, jobs) =>
      outgoing && sendNotification({ db, jobs, repositories, secret: importing.secret, ...outgoing }, told),
    'service_desk.tell': async (told) =>
      outgoing && tellParticipant({ db, repositories, secret: importing.secret, ...outgoing }, told),
    'mail_in.handle': ({ messageId }, jobs) => handleMail(context(jobs), messageId),
    'mail_in.answer': async (refused) => outgoing && sendRefusal({ db, ...outgoing }, refused),
    'hooks.deliver': async () => hooks?.sweep(),
    'hooks.disabled': async ({ hookId }, jobs) => outgoing && enqueueDisabledMail({ db, jobs }, hookId),
    'hooks.tell_disabled': async (told) => outgoing && sendDisabled({ db, ...outgoing }, told),
    'integrations.mail': async (wanted) =>
      outgoing && mailEvent({ db, repositories, secret: importing.secret, ...outgoing }, wanted),
    'hooks.prune': () => pruneDeliveries(db),
    'sessions.expire': () =>
      eachStep([
        () => expireSessions(db),
        () => expireAuthorizations(db),
        () => expireAccountTokens(db),
        () => expireChallenges(db),
        () => pruneAttempts(db),
        () => forgetDeliveries(db),
        () => forgetIssueImports(db),
        () => forgetTables(db),
        () => forgetMailIn(db),
      ]),
  };
}

/** Runs all steps of a job in order, even if some fail. Throws AggregateError at the end if some did. */
async function eachStep(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const each = new ErrorCollector('steps');
  await each.run(steps, (step) => step());
  each.end();
}

import { awardOf, commitNote, notesOn } from '#src/domain/gitlab_archives/export/notes.ts';
import {
  batches,
  columns,
  type Records,
  type Row,
  times,
  visibilityLevel,
} from '#src/domain/gitlab_archives/export/records.ts';
import { label, milestone } from '#src/domain/gitlab_archives/export/tracked.ts';
import { FEATURE_LEVELS, FEATURES } from '#src/domain/gitlab_archives/relations/project.ts';
import type { archivedSettings } from '#src/domain/project_archives/source.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';

const BATCH_SIZE = 100;

type Settings = Awaited<ReturnType<typeof archivedSettings>>;

/** What an archive says of the project itself. */
export function head(settings: Settings, description: string | null): object {
  const { visibility, publicJobs, autoCancelPendingPipelines, mergeMethod } = settings;
  return {
    ...{ description: description ?? settings.description, visibility_level: visibilityLevel(visibility) },
    ...columns(settings, [
      ...['archived', 'buildTimeout', 'autocloseReferencedIssues', 'requestAccessEnabled', 'sharedRunnersEnabled'],
      ...['onlyAllowMergeIfPipelineSucceeds', 'onlyAllowMergeIfAllDiscussionsAreResolved', 'issuesTemplate'],
      ...['mergeRequestsTemplate', 'removeSourceBranchAfterMerge', 'allowMergeOnSkippedPipeline', 'squashOption'],
      ...['mergeCommitTemplate', 'squashCommitTemplate', 'disableOverridingApproversPerMergeRequest'],
      ...['mergeRequestsAuthorApproval', 'mergeRequestsDisableCommittersApproval', 'resetApprovalsOnPush'],
    ]),
    ...{ public_builds: publicJobs, merge_method: mergeMethod },
    auto_cancel_pending_pipelines: autoCancelPendingPipelines ? 'enabled' : 'disabled',
    merge_requests_ff_only_enabled: mergeMethod === 'ff',
    merge_requests_rebase_enabled: mergeMethod === 'rebase_merge',
  };
}

/** Who can use the features of the project. */
export function features(records: Records, settings: Settings): object {
  const switches: Readonly<Record<string, unknown>> = settings;
  const levels = Object.entries(FEATURES).map(([name, feature]) => {
    const isForMembers = (settings.membersOnly as readonly string[]).includes(feature);
    return [`${name}_access_level`, switches[`${feature}Enabled`] === false ? 0 : isForMembers ? 10 : 20];
  });
  const [pages = 10] = Object.entries(FEATURE_LEVELS).find(([, name]) => name === settings.pagesAccess) ?? [];
  const project = { project_id: records.source.project.id };
  return { ...project, ...Object.fromEntries(levels), pages_access_level: Number(pages) };
}

/** The members of a project, as GitLab has them, each with the address that who exports may see. */
export async function* members(records: Records): AsyncGenerator<object> {
  for await (const row of records.all('members')) {
    const user = records.user(row.userId);
    yield {
      ...{ ...columns(row, ['accessLevel', 'userId', 'expiresAt']), ...times(row) },
      ...{ source_type: 'Project', notification_level: 3 },
      user: user && { id: user.id, public_email: user.email, username: user.username },
    };
  }
}

/** Who wrote something, or is named. */
export function* contributors(records: Records): Generator<object> {
  for (const { id, username, name, email } of records.users()) yield { id, username, name, public_email: email };
}

/** The releases of a project, as GitLab has them. */
export async function* releases(records: Records, reader: RepositoryReader | null): AsyncGenerator<object> {
  for await (const rows of batches(records.all('releases'), BATCH_SIZE)) {
    const ids = rows.map(({ id }) => id as number);
    const links = await records.of('release_links', 'releaseId', ids);
    const milestones = await records.of('release_milestones', 'releaseId', ids);
    for (const row of rows) {
      const id = row.id as number;
      yield {
        ...{ ...columns(row, ['tag', 'name', 'description', 'authorId', 'releasedAt']), ...times(row) },
        ...{ project_id: records.source.project.id, sha: (await reader?.resolve(`refs/tags/${row.tag}`)) ?? null },
        links: (links.get(id) ?? []).map((link) => ({
          ...{ ...columns(link, ['name', 'url']), filepath: link.directAssetPath ?? null, link_type: link.type },
          ...times(link),
        })),
        milestone_releases: (milestones.get(id) ?? []).map(({ milestoneId }) => ({
          milestone: milestone(records, milestoneId),
        })),
      };
    }
  }
}

/** The snippets of a project, as GitLab has them. */
export async function* snippets(records: Records, found: (row: Row) => void): AsyncGenerator<object> {
  for await (const rows of batches(records.all('snippets'), BATCH_SIZE)) {
    const ids = rows.map(({ id }) => id as number);
    const awards = await records.on('award_emoji', 'Snippet', ids);
    const notes = await notesOn(records, 'Snippet', ids);
    for (const row of rows) {
      const id = row.id as number;
      found(row);
      yield {
        ...{ ...columns(row, ['title', 'description', 'content', 'fileName', 'authorId']), ...times(row) },
        ...{ project_id: records.source.project.id, visibility_level: visibilityLevel(row.visibility) },
        award_emoji: (awards.get(id) ?? []).map((award) => awardOf(award, 'Snippet')),
        notes: notes.get(id) ?? [],
      };
    }
  }
}

/** The protected branches of a project, as GitLab has them. */
export async function* protectedBranches(records: Records): AsyncGenerator<object> {
  for await (const rows of batches(records.all('protected_branches'), BATCH_SIZE)) {
    const ids = rows.map(({ id }) => id as number);
    const levels = await records.of('protected_branch_levels', 'protectedBranchId', ids);
    for (const row of rows) {
      const of = (action: string) =>
        (levels.get(row.id as number) ?? []).flatMap((level) =>
          level.action === action ? [{ access_level: level.accessLevel, ...times(row) }] : [],
        );
      yield {
        ...{ ...columns(row, ['name', 'allowForcePush', 'codeOwnerApprovalRequired']), ...times(row) },
        project_id: records.source.project.id,
        ...{
          merge_access_levels: of('merge'),
          push_access_levels: of('push'),
          unprotect_access_levels: of('unprotect'),
        },
      };
    }
  }
}

/** The protected tags of a project, as GitLab has them. */
export async function* protectedTags(records: Records): AsyncGenerator<object> {
  for await (const rows of batches(records.all('protected_tags'), BATCH_SIZE)) {
    const ids = rows.map(({ id }) => id as number);
    const levels = await records.of('protected_tag_levels', 'protectedTagId', ids);
    for (const row of rows) {
      const own = levels.get(row.id as number) ?? [];
      yield {
        ...{ name: row.name, project_id: records.source.project.id, ...times(row) },
        create_access_levels: own.map(({ accessLevel }) => ({ access_level: accessLevel, ...times(row) })),
      };
    }
  }
}

/** The approval rules of a project, as GitLab has them; those of its merge requests do not come along. */
export async function* approvalRules(records: Records): AsyncGenerator<object> {
  const names = new Map<unknown, unknown>();
  for await (const { id, name } of records.all('protected_branches')) names.set(id, name);
  for await (const rows of batches(records.all('approval_rules'), BATCH_SIZE)) {
    const own = rows.filter(({ mergeRequestId }) => mergeRequestId == null);
    const ids = own.map(({ id }) => id as number);
    const users = await records.of('approval_rule_users', 'ruleId', ids);
    const branches = await records.of('approval_rule_branches', 'ruleId', ids);
    for (const row of own) {
      const id = row.id as number;
      yield {
        ...columns(row, ['name', 'ruleType', 'approvalsRequired', 'appliesToAllProtectedBranches']),
        approval_project_rules_users: (users.get(id) ?? []).map(({ userId }) => ({ user_id: userId })),
        approval_project_rules_protected_branches: (branches.get(id) ?? []).map(({ protectedBranchId }) => ({
          branch_name: names.get(protectedBranchId) ?? null,
        })),
      };
    }
  }
}

/** The boards of a project, as GitLab has them. */
export async function* boards(records: Records): AsyncGenerator<object> {
  for await (const rows of batches(records.all('boards'), BATCH_SIZE)) {
    const ids = rows.map(({ id }) => id as number);
    const lists = await records.of('board_lists', 'boardId', ids);
    for (const row of rows) {
      const own = (lists.get(row.id as number) ?? []).map((list) => ({
        ...{ list_type: 'label', position: list.rank, label: label(records, list.labelId) },
      }));
      yield {
        ...{ ...columns(row, ['name', 'hideBacklogList', 'hideClosedList']), project_id: records.source.project.id },
        lists: [{ list_type: 'backlog' }, ...own, { list_type: 'closed' }],
      };
    }
  }
}

/** Records that have no others below them. */
export const simple = {
  commit_notes: (records: Records) => each(records, 'commit_comments', (row) => commitNote(records, row)),
  project_badges: (records: Records) =>
    each(records, 'badges', (row) => ({
      ...{ ...columns(row, ['name', 'linkUrl', 'imageUrl']), type: 'ProjectBadge', ...times(row) },
      project_id: records.source.project.id,
    })),
  container_expiration_policy: (records: Records) =>
    each(records, 'container_policies', (row) => ({
      ...columns(row, ['enabled', 'cadence', 'keepN', 'olderThan', 'nameRegex', 'nameRegexKeep']),
      project_id: records.source.project.id,
    })),
  push_rule: (records: Records) =>
    each(records, 'push_rules', (row) => ({
      ...columns(row, [
        ...['commitMessageRegex', 'commitMessageNegativeRegex', 'branchNameRegex', 'authorEmailRegex', 'fileNameRegex'],
        ...['maxFileSize', 'denyDeleteTag', 'memberCheck', 'preventSecrets', 'commitCommitterCheck'],
        ...['rejectUnsignedCommits', 'rejectNonDcoCommits'],
      ]),
    })),
};

async function* each(records: Records, kind: string, made: (row: Row) => object): AsyncGenerator<object> {
  for await (const row of records.all(kind)) yield made(row);
}

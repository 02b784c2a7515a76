import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { snakeCase } from '#src/base/text.ts';
import { PROJECT_ID } from '#src/domain/gitlab_archives/relations/merge_requests.ts';
import type { Translation } from '#src/domain/gitlab_archives/relations/relation.ts';
import {
  flag,
  type Given,
  integer,
  named,
  objects,
  oneOf,
  text,
  visibility,
} from '#src/domain/gitlab_archives/relations/values.ts';
import { ArchiveInvalid, recordIn } from '#src/domain/project_archives/lines.ts';
import { textErrors } from '#src/domain/projects/values.ts';

/** Bytes of `project.json`. */
const MAX_BYTES = 1024 * 1024;
const MAX_TOPICS = 100;
/** Characters of the longest description of a project. */
const MAX_DESCRIPTION_LENGTH = 2_000;
const SQUASH_OPTIONS = { 0: 'never', 1: 'always', 2: 'default_on', 3: 'default_off' };

/** What of a project's switches is called the same here. */
const SWITCHES = [
  'archived',
  'request_access_enabled',
  'shared_runners_enabled',
  'only_allow_merge_if_all_discussions_are_resolved',
  'only_allow_merge_if_pipeline_succeeds',
  'remove_source_branch_after_merge',
  'autoclose_referenced_issues',
  'allow_merge_on_skipped_pipeline',
  'disable_overriding_approvers_per_merge_request',
  'merge_requests_author_approval',
  'merge_requests_disable_committers_approval',
  'reset_approvals_on_push',
  'lfs_enabled',
  'issues_enabled',
  'merge_requests_enabled',
  'wiki_enabled',
  'jobs_enabled',
  'snippets_enabled',
] as const;

/** The file that says what the project is. Throws ArchiveInvalid. */
export async function readHead(file: string): Promise<Given> {
  if (!existsSync(file)) throw new ArchiveInvalid('The archive has no tree/project.json.');
  const { size } = await stat(file);
  if (size > MAX_BYTES) throw new ArchiveInvalid(`tree/project.json has more than ${MAX_BYTES} bytes.`);
  return recordIn(await readFile(file), 'tree/project.json');
}

/** Our `project.json` of what an archive of GitLab says of the project. Call it when all records are translated. */
export function projectHead(given: Given, translation: Translation, defaultBranch: string | null): Given {
  const { settings, projectId, out } = translation;
  const { head, leftOut } = projectSettings({ ...given, visibility: given.visibility_level }, settings, defaultBranch);
  for (const name of leftOut) {
    out.leaveOut({ relation: 'project', line: 1 }, `A value of ${name} is not allowed here.`);
  }
  return { id: projectId ?? PROJECT_ID, ...head };
}

/**
 * The settings of a project as `project.json` has them, by what an archive or the API says of the project. Both call most of them alike.
 *
 * @param settings those that it does not tell of, by the names of place.ts
 * @returns as well the names of what is not allowed here
 */
export function projectSettings(
  given: Given,
  settings: Readonly<Record<string, unknown>>,
  defaultBranch: string | null,
): { head: Record<string, unknown>; leftOut: string[] } {
  const head: Record<string, unknown> = {
    description: text(given.description)?.slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed() ?? null,
    visibility: visibility(given.visibility) ?? 'private',
    default_branch: named(given.default_branch) ?? defaultBranch,
    merge_method: mergeMethod(given),
    tag_list: topics(given),
  };
  for (const name of SWITCHES) if (flag(given[name]) !== null) head[name] = given[name];
  const publicJobs = flag(given.public_jobs) ?? flag(given.public_builds);
  if (publicJobs !== null) head.public_jobs = publicJobs;
  const squash = oneOf(given.squash_option, SQUASH_OPTIONS);
  if (squash !== null) head.squash_option = squash;
  for (const name of ['merge_commit_template', 'squash_commit_template', 'issues_template', 'merge_requests_template'])
    if (named(given[name]) !== undefined) head[name] = text(given[name]);
  const timeout = integer(given.build_timeout);
  if (timeout !== null && timeout >= 1 && timeout < 2 ** 31) head.build_timeout = timeout;
  if (given.auto_cancel_pending_pipelines !== undefined)
    head.auto_cancel_pending_pipelines = ['enabled', true, 1].includes(given.auto_cancel_pending_pipelines as string);
  for (const [name, value] of Object.entries(settings)) head[snakeCase(name)] = value;
  const texts = Object.fromEntries(CHECKED.map((name) => [name, head[snakeCase(name)] ?? undefined]));
  const leftOut = Object.keys(textErrors(texts));
  for (const name of leftOut) delete head[snakeCase(name)];
  return { head, leftOut };
}

/** What has limits of its own. */
const CHECKED = [
  ...['description', 'defaultBranch', 'tagList', 'buildTimeout', 'ciDefaultGitDepth'],
  ...['mergeCommitTemplate', 'squashCommitTemplate', 'issuesTemplate', 'mergeRequestsTemplate'],
];

function mergeMethod(given: Given): string {
  const named = oneOf(given.merge_method, { 0: 'merge', 1: 'rebase_merge', 2: 'ff' });
  if (named !== null) return named;
  if (given.merge_requests_ff_only_enabled === true) return 'ff';
  return given.merge_requests_rebase_enabled === true ? 'rebase_merge' : 'merge';
}

/** The names of topics: a list of them or of objects, or a text with commas. */
function topics({ topics: given, tag_list: list }: Given): string[] {
  const found = given ?? list;
  const names = typeof found === 'string' ? found.split(',') : Array.isArray(found) ? found : [];
  const texts = names.map((one) => (typeof one === 'string' ? one : objects(one)[0]?.name));
  return texts.flatMap((one) => named(one)?.slice(0, 255).toWellFormed() ?? []).slice(0, MAX_TOPICS);
}

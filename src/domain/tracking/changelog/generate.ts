import { authorize, can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { groupVisible, notExpired } from '#src/access/permissions/visibility.ts';
import { Overrun, ThreadLate } from '#src/base/thread.ts';
import { pagePath } from '#src/domain/namespaces/address.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { groupsAround } from '#src/domain/projects/groups_around.ts';
import { trailersOf } from '#src/domain/repository/commits/trailers.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { titleOf } from '#src/domain/repository/find_commit.ts';
import { findRevision, type Revision, resolveRevision } from '#src/domain/repository/revision.ts';
import { formatDate } from '#src/domain/tracking/changelog/format_date.ts';
import type { ReadChangelog, VersionTag } from '#src/domain/tracking/changelog/read_config.ts';
import type { Value } from '#src/domain/tracking/changelog/template.ts';
import { type ChangelogAnswer, type ChangelogWork, workOnChangelog } from '#src/domain/tracking/changelog/threads.ts';
import { usersByAddresses } from '#src/domain/users/by_address.ts';
import type { Commit, Oid } from '#src/git/base/model.ts';
import { pathFault } from '#src/git/write/path.ts';
import { BadRequest, Unavailable } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { select } from '#src/platform/records/selection.ts';

const group = alias('Namespace', 'g');

/** What a section of a changelog is about. */
export interface ChangelogWish {
  /** The version that the section is of. */
  version: string;
  /** The revision behind which it begins; the version before when absent. */
  fromRef?: string | null | undefined;
  /** The revision with which it ends; the default branch when absent. */
  toRef?: string | null | undefined;
  date?: Date | null | undefined;
  /** The trailer of commits that belong into it. */
  trailer?: string | null | undefined;
  /** Path of the configuration. */
  configFile?: string | null | undefined;
  /** The revision that the configuration is read from; the default branch when absent. */
  configFileRef?: string | null | undefined;
}

/** Bytes of the largest configuration; commits that are looked at; entries. */
const MAX_CONFIG_BYTES = 128 * 1024;
const MAX_COMMITS = 10_000;
const MAX_ENTRIES = 2_000;
const CONFIG_FILE = '.gitlab/changelog_config.yml';
const VERSION =
  /^v?(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(?:-([0-9A-Za-z.-]{1,100}))?(?:\+[0-9A-Za-z.-]{1,100})?$/;

const DEFAULT_TEMPLATE = `{% if categories %}
{% each categories %}
### {{ title }} ({% if single_change %}1 change{% else %}{{ count }} changes{% end %})

{% each entries %}
- [{{ title }}]({{ commit.web_url }})\\
{% if author.credit %} by {{ author.reference }}{% end %}\\
{% if merge_request %} ([merge request]({{ merge_request.web_url }})){% end %}

{% end %}

{% end %}
{% else %}
No changes.
{% end %}`;

/** An error in words of v4. */
export function changelogFailed(reason: string): BadRequest {
  return new BadRequest(`Failed to generate the changelog: ${reason}`, undefined, 'changelogFailed');
}

/**
 * The section of a changelog, in Markdown: the commits of a range with a trailer, by its values, without those that were taken back in it.
 * Throws Forbidden, Unauthenticated, RateLimited, BadRequest.
 *
 * @param baseUrl URL of the server, for links
 */
export async function generateChangelog(
  context: Context,
  project: ProjectRow,
  wish: ChangelogWish,
  baseUrl: string,
): Promise<string> {
  authorize(context.actor, 'read_repository', project);
  authorize(context.actor, 'read_commit', project);
  const version = VERSION.exec(wish.version);
  if (!version) throw changelogFailed(`The version number "${wish.version.slice(0, 50)}" is not a semantic version`);
  const head = await findRevision(context, project, wish.toRef || null);
  if (head === null) throw changelogFailed('The commit end range is unknown');
  const { repository } = head;
  const configured = await readConfig(context, project, head, wish);
  const { config, versions } = configured;
  if (config === null) throw changelogFailed(configured.fault ?? 'the configuration cannot be read');
  const from = await beginning(context, project, head, { from: wish.fromRef, version, versions });
  const commits = await withEffort(context, () => repository.between(from, head.oid, { limit: MAX_COMMITS + 1 }));
  if (commits.length > MAX_COMMITS) throw changelogFailed(`The range has more than ${MAX_COMMITS} commits`);
  const entries = entriesOf(commits, wish.trailer?.trim() || 'Changelog');
  if (entries.length > MAX_ENTRIES) throw changelogFailed(`There are more than ${MAX_ENTRIES} entries`);
  const facts = await factsOf(context, project, entries, { groups: config.includeGroups, baseUrl });
  const categories = new Map<string, Value[]>();
  for (const [at, { value }] of entries.entries()) {
    const title = config.categories[value] ?? value;
    categories.set(title, [...(categories.get(title) ?? []), facts[at]]);
  }
  const listed = [...categories].map(([title, all]) => ({
    title,
    count: all.length,
    single_change: all.length === 1,
    entries: all,
  }));
  const name = wish.version.replace(/^v/, '');
  const heading = `## ${name} (${formatDate(wish.date ?? new Date(), config.dateFormat)})`;
  const template = config.template ?? DEFAULT_TEMPLATE;
  const work = { kind: 'write', template, values: { categories: listed } } as const;
  const answer = await inThread(project, work, 'the template takes too long to fill');
  if ('fault' in answer) throw changelogFailed(answer.fault);
  return `${heading}\n\n${'body' in answer ? answer.body.trim() : ''}\n`;
}

/** Does work in the thread. Throws BadRequest with `late` if it takes too long, RateLimited, Unavailable. */
async function inThread({ id }: ProjectRow, work: ChangelogWork, late: string): Promise<ChangelogAnswer> {
  try {
    return await workOnChangelog(`project ${id}`, work);
  } catch (error) {
    if (error instanceof Overrun) throw changelogFailed(late);
    if (error instanceof ThreadLate) throw new Unavailable('The server is busy. Try again later.', 5);
    throw error;
  }
}

/** The configuration, and the tags that are versions by it. */
async function readConfig(
  context: Context,
  project: ProjectRow,
  { repository }: Revision,
  { configFile, configFileRef }: ChangelogWish,
): Promise<ReadChangelog> {
  const path = configFile || CONFIG_FILE;
  const at = await findRevision(context, project, configFileRef || null);
  const entry = at && pathFault(path) === null ? await repository.entry(at.oid, path) : null;
  const size = entry?.type === 'blob' ? await repository.blobSize(entry.oid) : null;
  if (size !== null && size > MAX_CONFIG_BYTES) throw changelogFailed(`${path} is too large`);
  const content = entry && size !== null ? await repository.blob(entry.oid, MAX_CONFIG_BYTES) : null;
  const tags = (await repository.tags()).flatMap(({ name, commit }) => (commit === null ? [] : [name]));
  const work = { kind: 'read', yaml: content === null ? null : content.toString(), tags } as const;
  const answer = await inThread(project, work, `${path} takes too long to read`);
  return 'read' in answer ? answer.read : { config: null, versions: [], fault: null };
}

/** The commit behind which the range begins. */
async function beginning(
  context: Context,
  project: ProjectRow,
  { repository }: Revision,
  {
    from,
    version,
    versions,
  }: { from: string | null | undefined; version: RegExpExecArray; versions: readonly VersionTag[] },
): Promise<Oid> {
  if (from) {
    const oid = await resolveRevision(context, project, repository, from);
    if (oid === null) throw changelogFailed('The commit start range is unknown');
    return oid;
  }
  const numbers = [Number(version[1]), Number(version[2]), Number(version[3])];
  const before = versions
    .filter(({ early, numbers: others }) => early === '' && compare(others, numbers) < 0)
    .toSorted((one, other) => compare(one.numbers, other.numbers))
    .at(-1);
  const tag = before && (await repository.tag(before.name));
  if (!tag?.commit) {
    throw changelogFailed('The commit start range is unspecified, and no previous tag could be found to use instead');
  }
  return tag.commit;
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

interface Entry {
  commit: Commit;
  /** The last value of the trailer. */
  value: string;
}

const REVERTS = /^This reverts commit ([0-9a-f]{40})/m;

/** The commits with the trailer, oldest first, without those that a later commit, which stands itself, takes back. */
function entriesOf(newestFirst: readonly Commit[], trailer: string): Entry[] {
  const reverted = new Set<Oid>();
  const entries: Entry[] = [];
  for (const commit of newestFirst) {
    if (reverted.has(commit.oid)) continue;
    const taken = REVERTS.exec(commit.message)?.[1];
    if (taken !== undefined) reverted.add(taken);
    const trailers = trailersOf(commit.message);
    const value = trailers.get(trailer)?.at(-1)?.trim();
    if (value) entries.push({ commit, value });
  }
  return entries.reverse();
}

const AUTHOR = select('User', { id: true, username: true });

/** What a template can show of each entry. */
async function factsOf(
  context: Context,
  project: ProjectRow,
  entries: readonly Entry[],
  { groups, baseUrl }: { groups: readonly string[]; baseUrl: string },
): Promise<Value[]> {
  const authors = await usersByAddresses(
    context,
    entries.map(({ commit }) => commit.author.email.toWellFormed()),
    AUTHOR,
  );
  const ids = [...new Set(authors.flatMap((author) => author?.id ?? []))];
  const standings = await standingsOf(context, project, ids, groups);
  const mergeRequests = await mergeRequestsOf(context, project, entries);
  return entries.map(({ commit }, at) => {
    const author = authors[at];
    const standing = author ? standings.get(author.id) : undefined;
    const iid = mergeRequests.get(commit.oid);
    return {
      title: titleOf(commit).replace(/[[\]\\]/g, '\\$&'),
      commit: {
        reference: `${project.fullPath}@${commit.oid}`,
        web_url: baseUrl + pagePath(project.fullPath, 'commit', commit.oid),
        trailers: Object.fromEntries([...trailersOf(commit.message)].map(([key, all]) => [key, all.at(-1) ?? ''])),
      },
      author: author
        ? {
            reference: `@${author.username}`,
            contributor: standing?.isMember !== true,
            credit: standing?.isMember !== true || standing.isIncluded,
          }
        : null,
      merge_request:
        iid === undefined
          ? null
          : {
              reference: `${project.fullPath}!${iid}`,
              web_url: baseUrl + pagePath(project.fullPath, 'merge_requests', String(iid)),
            },
    };
  });
}

interface Standing {
  isMember: boolean;
  /** Whether the author is a member of a group that the configuration names, and the caller can see. */
  isIncluded: boolean;
}

async function standingsOf(
  { db, actor }: Context,
  { id }: ProjectRow,
  userIds: readonly number[],
  groups: readonly string[],
): Promise<Map<number, Standing>> {
  if (userIds.length === 0) return new Map();
  const rows = await db.$queryRaw<(Standing & { userId: number })[]>`
    SELECT u.id AS "userId",
      EXISTS (SELECT 1 FROM members m WHERE m.user_id = u.id AND ${notExpired('m')} AND (m.project_id = ${id} OR m.namespace_id = ANY(${groupsAround(id)}))) AS "isMember",
      EXISTS (SELECT 1 FROM members m JOIN ${table(group)} ON ${group.id} = m.namespace_id
        WHERE m.user_id = u.id AND ${notExpired('m')} AND ${group.fullPath} = ANY(${[...groups]}::text[])
          AND ${groupVisible(actor, group)}) AS "isIncluded"
    FROM unnest(${[...userIds]}::int[]) AS u(id)`;
  return new Map(rows.map(({ userId, ...standing }) => [userId, standing]));
}

/** The numbers of the merge requests that brought commits, in one statement. */
async function mergeRequestsOf(
  { db, actor }: Context,
  project: ProjectRow,
  entries: readonly Entry[],
): Promise<Map<Oid, number>> {
  if (entries.length === 0 || !can(actor, 'read_merge_request', project)) return new Map();
  const shas = entries.map(({ commit }) => commit.oid);
  const rows = await db.$queryRaw<{ sha: string; iid: number }[]>`
    SELECT f.sha, max(m.iid)::int AS iid FROM (
      SELECT c.sha, c.merge_request_id AS id FROM merge_request_commits c WHERE c.sha = ANY(${shas}::text[])
      UNION SELECT m.merge_commit_sha, m.id FROM merge_requests m WHERE m.merge_commit_sha = ANY(${shas}::text[])
      UNION SELECT m.squash_commit_sha, m.id FROM merge_requests m WHERE m.squash_commit_sha = ANY(${shas}::text[])
    ) f JOIN merge_requests m ON m.id = f.id AND m.target_project_id = ${project.id} AND m.state = 'merged' GROUP BY f.sha`;
  return new Map(rows.map(({ sha, iid }) => [sha, iid]));
}

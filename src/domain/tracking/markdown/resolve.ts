import { can } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { groupVisible } from '#src/access/permissions/visibility.ts';
import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { externalIssueUrls } from '#src/domain/integrations/external.ts';
import { labelledIssuesPath, pagePath } from '#src/domain/namespaces/address.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { ofProjectOrAncestorGroups } from '#src/domain/projects/groups_around.ts';
import { titleOf } from '#src/domain/repository/find_commit.ts';
import { findRevision } from '#src/domain/repository/revision.ts';
import type { Link } from '#src/domain/tracking/markdown/html.ts';
import { type Reference, type ReferenceKind, referencesIn } from '#src/domain/tracking/markdown/references.ts';
import { type PlacedName, placeOf, recordsAt } from '#src/domain/tracking/references/resolve.ts';
import { profileVisible } from '#src/domain/users/private_profile.ts';
import { GitError } from '#src/git/base/errors.ts';
import { Prisma, queryRows } from '#src/platform/database/db.ts';
import { alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const [user, group, project] = [alias('User', 'u'), alias('Namespace', 'g'), alias('Project', 'p')];
const [label, milestone] = [alias('Label', 'l'), alias('Milestone', 'm')];

/** Different references of one kind in a text that are looked up, and in all texts that are rendered together; others stay text. */
const MAX_REFERENCES = { inText: 100, inAll: 1_000 };
/** Those to commits, for which git is asked. */
const MAX_COMMIT_REFERENCES = { inText: 20, inAll: 50 };

/** What looking up references needs. */
export type Looking = Pick<Context, 'db' | 'actor' | 'clientAddress' | 'answer' | 'repositories'>;

/** A text, and the project that it is in. */
export interface PlacedText {
  text: string;
  /** Null outside of projects: references then need a path. The actor can see it. */
  project: ProjectRow | null;
}

/** A reference in one of the texts, and where it is to be noted what it leads to. */
interface Wanted extends Reference {
  project: ProjectRow | null;
  links: Map<string, Link>;
}

/**
 * What the references in texts lead to, by how they are written, as far as the actor may read it: all texts take at most three
 * statements, one more with names of issues elsewhere, and none without references.
 */
export async function resolveLinks(
  context: Looking,
  baseUrl: string,
  texts: readonly PlacedText[],
): Promise<Map<string, Link>[]> {
  const links = texts.map(() => new Map<string, Link>());
  const { actor } = context;
  const wanted = new Map<ReferenceKind, Wanted[]>();
  for (const [at, { text, project }] of texts.entries()) {
    await yieldToEventLoop();
    for (const reference of distinct(text)) {
      const most = reference.kind === 'commit' ? MAX_COMMIT_REFERENCES : MAX_REFERENCES;
      const ofKind = wanted.get(reference.kind) ?? [];
      if (ofKind.length < most.inAll) ofKind.push({ ...reference, project, links: links[at] ?? new Map() });
      wanted.set(reference.kind, ofKind);
    }
  }
  const all = (...kinds: ReferenceKind[]) => kinds.flatMap((kind) => wanted.get(kind) ?? []);
  await linkRecords(context, actor, baseUrl, all('issue', 'merge_request'));
  await linkExternal(context, all('issue', 'external_issue'));
  await linkPeople(context, actor, baseUrl, all('user'));
  await linkPlanning(context, actor, baseUrl, all('label', 'milestone'));
  await linkCommits(context, baseUrl, all('commit'));
  return links;
}

/** The references in a text that differ, as many of each kind as are looked up. */
function distinct(text: string): Reference[] {
  const found = new Map<string, Reference>();
  const counts = new Map<ReferenceKind, number>();
  for (const reference of referencesIn(text)) {
    const { kind, written } = reference;
    const count = counts.get(kind) ?? 0;
    if (found.has(written) || count >= (kind === 'commit' ? MAX_COMMIT_REFERENCES : MAX_REFERENCES).inText) continue;
    counts.set(kind, count + 1);
    found.set(written, reference);
  }
  return [...found.values()];
}

async function linkRecords(
  { db }: Looking,
  actor: Actor | null,
  baseUrl: string,
  all: readonly Wanted[],
): Promise<void> {
  const byKey = new Map<string, { name: PlacedName; wanted: Wanted[] }>();
  for (const wanted of all) {
    if (!wanted.project && !wanted.path?.includes('/')) continue;
    const place = placeOf(wanted.path, wanted.project?.fullPath ?? '');
    const type = wanted.kind === 'issue' ? 'Issue' : 'MergeRequest';
    const name: PlacedName = { type, number: Number(wanted.name), ...place };
    const known = byKey.get(keyOf(name)) ?? { name, wanted: [] };
    known.wanted.push(wanted);
    byKey.set(keyOf(name), known);
  }
  const found = await recordsAt(
    db,
    actor,
    [...byKey.values()].map(({ name }) => name),
  );
  for (const record of found) {
    const [type, page] =
      record.type === 'Issue' ? (['issue', 'issues'] as const) : (['merge_request', 'merge_requests'] as const);
    const url = baseUrl + pagePath(record.fullPath, page, record.iid);
    for (const { links, written } of byKey.get(keyOf(record))?.wanted ?? []) {
      links.set(written, { type, url, title: record.title, id: record.id });
    }
  }
}

/** Issues in the tracker elsewhere that a project has: `#12` only where it has no issues of its own. */
async function linkExternal({ db }: Looking, all: readonly Wanted[]): Promise<void> {
  const wanted = all.flatMap(({ project: home, kind, path, ...one }) =>
    home && path === null && (kind === 'external_issue' || !home.issuesEnabled) ? [{ ...one, home: home.id }] : [],
  );
  if (wanted.length === 0) return;
  const urlOf = await externalIssueUrls(
    db,
    wanted.map(({ home }) => home),
  );
  for (const { home, written, links } of wanted) {
    const url = urlOf(home, written);
    if (url !== null) links.set(written, { type: 'external_issue', url, title: written, id: null });
  }
}

function keyOf({ type, number, around, own }: PlacedName): string {
  return `${type} ${around}/${own} ${number}`.toLowerCase();
}

/** Users, and groups that the actor can see. */
async function linkPeople(
  { db }: Looking,
  actor: Actor | null,
  baseUrl: string,
  all: readonly Wanted[],
): Promise<void> {
  const names = [...new Set(all.map(({ name }) => name.toLowerCase()))];
  if (names.length === 0) return;
  const found = await queryRows<{ type: 'user' | 'group'; id: number; path: string; title: string }>(
    db,
    sql`SELECT 'user' AS type, ${user.id} AS id, ${user.username} AS path, ${user.name} AS title FROM ${table(user)}
        WHERE lower(${user.username}) = ANY(${names}::text[]) AND ${profileVisible(actor, user)}
      UNION ALL SELECT 'group', ${group.id}, ${group.fullPath}, ${group.name} FROM ${table(group)}
        WHERE lower(${group.fullPath}) = ANY(${names}::text[]) AND ${group.kind} = 'group' AND ${groupVisible(actor, group)}`,
  );
  const byName = new Map(found.map((one) => [one.path.toLowerCase(), one]));
  for (const { name, written, links } of all) {
    const one = byName.get(name.toLowerCase());
    if (!one) continue;
    const { type, id, path, title } = one;
    links.set(written, { type, id, title, url: `${baseUrl}/${type === 'group' ? 'groups/' : ''}${path}` });
  }
}

/**
 * Labels and milestones of the project of a text and the groups around it, by title; labels also by ID, as system notes name
 * them, which a title of digits does not hide.
 */
async function linkPlanning(
  { db }: Looking,
  actor: Actor | null,
  baseUrl: string,
  all: readonly Wanted[],
): Promise<void> {
  const named = all.flatMap(({ project: home, kind, name }) =>
    home && can(actor, kind === 'label' ? 'read_label' : 'read_milestone', home)
      ? [{ kind, project: home.id, title: name, id: kind === 'label' && ID.test(name) ? Number(name) : null }]
      : [],
  );
  if (named.length === 0) return;
  const asked = sql`json_to_recordset(${JSON.stringify(named)}::json) AS r (kind text, project int, title text, id int)
    JOIN ${table(project)} ON ${project.id} = r.project`;
  const found = await queryRows<{
    kind: ReferenceKind;
    project: number;
    name: string;
    title: string;
    id: number;
    iid: number;
    path: string;
  }>(
    db,
    sql`SELECT r.kind, r.project, r.title AS name, ${label.title} AS title, ${label.id} AS id, 0 AS iid, '' AS path FROM ${asked}
        JOIN ${table(label)} ON ${label.title} = r.title AND ${ofProjectOrAncestorGroups(label, project.id)} WHERE r.kind = 'label'
      UNION ALL SELECT r.kind, r.project, r.title, ${label.title}, ${label.id}, 0, '' FROM ${asked}
        JOIN ${table(label)} ON ${label.id} = r.id AND ${ofProjectOrAncestorGroups(label, project.id)}
      UNION ALL SELECT r.kind, r.project, r.title, ${milestone.title}, ${milestone.id}, ${milestone.iid},
          COALESCE('groups/' || (SELECT mg.full_path FROM namespaces mg WHERE mg.id = ${milestone.groupId}), '')
        FROM ${asked} JOIN ${table(milestone)} ON ${milestone.title} = r.title AND ${ofProjectOrAncestorGroups(milestone, project.id)}
        WHERE r.kind = 'milestone'`,
  );
  const byTitleFirst = found.toSorted((a, b) => Number(a.title !== a.name) - Number(b.title !== b.name));
  const byKey = new Map(byTitleFirst.map((one) => [`${one.kind} ${one.project} ${one.name}`, one]));
  for (const { kind, name, project: home, written, links } of all) {
    const one = home && byKey.get(`${kind} ${home.id} ${name}`);
    if (!one) continue;
    const { id, title, iid, path } = one;
    const type = kind === 'label' ? 'label' : 'milestone';
    const page =
      type === 'label'
        ? labelledIssuesPath(home.fullPath, title)
        : pagePath(path === '' ? home.fullPath : path, 'milestones', iid);
    links.set(written, { type, id, title, url: baseUrl + page, ...(title !== name && { text: title }) });
  }
}

const ID = /^\d{1,9}$/;

/** Commits of the project of a text, one look-up after another. */
async function linkCommits(context: Looking, baseUrl: string, all: readonly Wanted[]): Promise<void> {
  const known = new Map<string, Promise<Link | null>>();
  for (const { path, name, written, project: home, links } of all) {
    const isHere = home && (path === null || path.toLowerCase() === home.fullPath.toLowerCase());
    if (!isHere || !can(context.actor, 'read_commit', home)) continue;
    const key = `${home.id} ${name}`;
    const looked = known.get(key) ?? commitLink(context, baseUrl, home, name);
    known.set(key, looked);
    const link = await looked;
    if (link) links.set(written, { ...link, text: written.replace(WHOLE_HASH, (hash) => hash.slice(0, SHORT_HASH)) });
  }
}

const WHOLE_HASH = /[0-9a-f]{40}$/;
/** Characters of a hash that are shown. */
const SHORT_HASH = 8;

/** Null for what is no commit of the project, or takes too much work to find. */
async function commitLink(context: Looking, baseUrl: string, home: ProjectRow, sha: string): Promise<Link | null> {
  try {
    const revision = await findRevision(context, home, sha);
    const commit = revision?.oid.startsWith(sha) ? await revision.repository.commit(revision.oid) : null;
    if (!commit) return null;
    return {
      type: 'commit',
      url: baseUrl + pagePath(home.fullPath, 'commit', commit.oid),
      title: titleOf(commit),
      id: null,
    };
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}

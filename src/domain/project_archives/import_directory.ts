import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { authorize, MASTER } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import { requireFewTagRules } from '#src/domain/container_registry/tag_rules.ts';
import { requireFewFlags } from '#src/domain/feature_flags/limits.ts';
import { markDeleted } from '#src/domain/lifecycle/delete_project.ts';
import { insertMember } from '#src/domain/members/add.ts';
import { takePath } from '#src/domain/namespaces/redirects.ts';
import { applySettings, type Head, headOf } from '#src/domain/project_archives/head.ts';
import { type ImportOverrides, projectAt } from '#src/domain/project_archives/import_request.ts';
import { ArchiveInvalid } from '#src/domain/project_archives/lines.ts';
import { People } from '#src/domain/project_archives/people.ts';
import { AVATAR, REPOSITORY, SNIPPETS, treeFile, USERS, WIKI } from '#src/domain/project_archives/place.ts';
import { putSnippets, type SnippetDrafts, takeSnippets } from '#src/domain/project_archives/snippet_repositories.ts';
import { type RememberedRecord, SourceRecords } from '#src/domain/project_archives/source_records.ts';
import { branchOf, type Taken, takeRepository } from '#src/domain/project_archives/take_repository.ts';
import {
  type FailedRelation,
  type ImportedMember,
  type ImportedTree,
  TreeImport,
} from '#src/domain/project_archives/tree.ts';
import { saveProjectAvatar } from '#src/domain/projects/avatar.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { holdRepositoryLock } from '#src/domain/repository/lock.ts';
import { refKey } from '#src/domain/repository/record.ts';
import { recordCopy } from '#src/domain/repository/record_copy.ts';
import { recordSideSize } from '#src/domain/repository/side_size.ts';
import { requireFewImportedRules } from '#src/domain/tracking/approvals/values.ts';
import { receiveLfsObject } from '#src/domain/uploads/lfs/objects.ts';
import { syncDirectory } from '#src/git/base/sync.ts';
import type { Ref } from '#src/git/refs/read.ts';
import { settleRepository } from '#src/git/remote/bundle.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { DomainError } from '#src/platform/errors.ts';
import { readPicture } from '#src/platform/pictures.ts';

/** The project that is filled. */
export interface Target {
  id: number;
  name: string;
  path: string;
  namespaceId: number;
  repositoryStorage: string;
}

/** A project that waits with the status `started`, and what becomes of it. */
export interface Filling {
  project: Target;
  settings: ImportOverrides;
  /** The path of the project that it takes the place of in the end; null for none. */
  overwrites: string | null;
  /** What names the project at the server that it comes from; null for an archive, from which it is not brought up to date. */
  sourceKey?: string | null;
  /** Records the end of the import, in the transaction that fills the project, with what was left out. */
  finish(tx: Transaction, failed: readonly FailedRelation[], people: People): Promise<void>;
}

/** Makes the directories of the files of an archive that have no fixed name. */
export async function prepareDirectory(directory: string): Promise<void> {
  for (const name of ['tree', 'uploads', 'lfs', SNIPPETS]) await mkdir(path.join(directory, name));
}

/**
 * Fills a project from a directory with the files of an archive (docs/project-archives.md), whole or not at all: with all checks, limits
 * and rights of imports, in one transaction. Does nothing if the project is gone, or is not `started`. Throws ArchiveInvalid, DomainError,
 * GitError, errors of the database, and the signal's reason.
 *
 * @param directory made by prepareDirectory; it stays
 */
export async function importDirectory(
  context: Context,
  filling: Filling,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const { db, imports, repositories } = context;
  const { project } = filling;
  const drafts: string[] = [];
  try {
    const head = await headOf(directory);
    // Leftovers of a crash: no other process works on this project.
    for (const wiki of [false, true]) {
      const beside = path.dirname(repositories.directory({ ...project, wiki }));
      for (const name of await repositories.drafts({ ...project, wiki })) await remove(path.join(beside, name));
    }
    await context.uploads.remove({ projectId: project.id });
    const own = await takeRepository(context, project, path.join(directory, REPOSITORY), signal);
    if (own) drafts.push(own.draft);
    const wiki = await takeRepository(context, { ...project, wiki: true }, path.join(directory, WIKI), signal);
    if (wiki) drafts.push(wiki.draft);
    await takeObjects(context, project, path.join(directory, 'lfs'), signal);
    const snippets = await takeSnippets(context, directory, signal);
    drafts.push(...snippets.drafts.values());
    await db.$transaction((tx) => record(tx, context, { filling, head, directory, own, wiki, snippets, signal }), {
      timeout: imports.timeout,
      maxWait: 60_000,
    });
  } finally {
    for (const draft of drafts) await remove(draft);
  }
}

/** Gives the project the objects of Git LFS of the archive, with the limits of uploads. */
export async function takeObjects(
  context: Context,
  { id }: Target,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  for (const oid of await readdir(directory)) {
    signal.throwIfAborted();
    const file = path.join(directory, oid);
    const { size } = await stat(file);
    try {
      await receiveLfsObject(context, { id }, { oid, size }, createReadStream(file));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      throw new ArchiveInvalid(`The archive has an object of Git LFS that is not accepted: ${error.message} (${oid}).`);
    }
  }
}

interface Recorded {
  filling: Filling;
  head: Head;
  directory: string;
  own: Taken | null;
  wiki: Taken | null;
  snippets: SnippetDrafts;
  signal: AbortSignal;
}

/** Puts everything in place and records it. */
async function record(tx: Transaction, context: Context, recorded: Recorded): Promise<void> {
  const { filling, head, directory, own, snippets, signal } = recorded;
  const { project } = filling;
  const actor = requireActor(context);
  const alive = await tx.$queryRaw<object[]>`
    SELECT id FROM projects WHERE id = ${project.id} AND deleted_at IS NULL AND import_status = 'started' FOR NO KEY UPDATE`;
  if (alive.length === 0) return;
  const people = await People.read(tx, actor, path.join(directory, treeFile(USERS)));
  await holdRepositoryLock(context.db, tx, project.id, () => putRepositories(tx, context, recorded));
  const source = filling.sourceKey == null ? null : new SourceRecords(tx, project.id);
  if (source) await rememberProject(source, filling.sourceKey ?? '', recorded);
  const tree = new TreeImport({
    tx,
    context,
    people,
    directory,
    projectId: project.id,
    path: project.path,
    archivedId: head.id,
    repository: own ? context.repositories.directory(project) : null,
    signal,
    source,
  });
  const { failed, ...imported } = await tree.run();
  await putSnippets(tx, context, snippets, (old) => tree.idOf('snippets', old));
  await requireFewFlags(tx, project);
  await requireFewTagRules(tx, project);
  await requireFewImportedRules(tx, project);
  await tx.$executeRaw`
    UPDATE project_counters SET
      last_issue_iid = (SELECT COALESCE(max(iid), 0) FROM issues WHERE project_id = ${project.id}),
      last_milestone_iid = (SELECT COALESCE(max(iid), 0) FROM milestones WHERE project_id = ${project.id}),
      last_merge_request_iid = (SELECT COALESCE(max(iid), 0) FROM merge_requests WHERE target_project_id = ${project.id}),
      last_feature_flag_iid = (SELECT COALESCE(max(iid), 0) FROM feature_flags WHERE project_id = ${project.id}),
      last_feature_flag_user_list_iid = (SELECT COALESCE(max(iid), 0) FROM feature_flag_user_lists WHERE project_id = ${project.id})
    WHERE project_id = ${project.id}`;
  await giveMemberships(tx, context, people, project, imported);
  await putAvatar(tx, project.id, path.join(directory, AVATAR));
  await applySettings(tx, context, actor, filling, head);
  if (filling.overwrites !== null) await replace(tx, context, actor, project, filling.overwrites);
  await recordChange(tx, context, { type: 'projectChanged', project, user: actor, action: 'imported' });
  await filling.finish(tx, failed, people);
  await tx.project.update({ where: { id: project.id }, data: { importStatus: 'finished', importError: null } });
}

/** Remembers which project of the source it is, and where its branches and tags were. */
async function rememberProject(source: SourceRecords, key: string, { own, wiki }: Recorded): Promise<void> {
  const none = { recordId: null, otherId: null };
  await source.remember('project', [{ ...none, key, fields: {} }]);
  await source.remember('refs', refRecords(own?.refs ?? []));
  await source.remember('wiki_refs', refRecords(wiki?.refs ?? []));
}

/** What is remembered of refs. */
export function refRecords(refs: readonly Ref[]): RememberedRecord[] {
  return refs.map(({ name, target }) => ({
    key: refKey(name),
    recordId: null,
    otherId: null,
    fields: { oid: target },
  }));
}

/** Moves the repositories into place. Protections of branches are those of the archive alone. */
async function putRepositories(
  tx: Transaction,
  context: Context,
  { filling, head, own, wiki }: Recorded,
): Promise<void> {
  const { repositories } = context;
  const { project } = filling;
  for (const [taken, isWiki] of [
    [own, false],
    [wiki, true],
  ] as const) {
    const place = { ...project, wiki: isWiki };
    const directory = repositories.directory(place);
    await remove(directory);
    await repositories.forget(place);
    if (taken === null) continue;
    await rename(taken.draft, directory);
    await syncDirectory(path.dirname(directory));
    await repositories.forget(place);
    if (isWiki) await recordSideSize(tx, context, place);
  }
  if (own === null) return;
  const defaultBranch = branchOf(head.settings.defaultBranch, own.refs);
  if (defaultBranch !== null) await settleRepository(repositories.directory(project), defaultBranch);
  await tx.project.update({ where: { id: project.id }, data: { defaultBranch } });
  await recordCopy(tx, context, { ...project, defaultBranch }, own.refs);
  await tx.protectedBranch.deleteMany({ where: { projectId: project.id } });
}

/**
 * Makes members of those who have an account here, and keeps the memberships of others for whoever takes their placeholders over: with no
 * more than the importer has.
 */
export async function giveMemberships(
  tx: Transaction,
  context: Context,
  people: People,
  { id }: Target,
  { members, unknownMembers }: Pick<ImportedTree, 'members' | 'unknownMembers'>,
): Promise<void> {
  const record = await findProject(context, id);
  const most = requireActor(context).admin ? MASTER : Math.min(MASTER, record.accessLevel);
  await addMembers(tx, context, record, most, members);
  await people.keepMemberships(
    unknownMembers.map((member) => ({ ...member, accessLevel: Math.min(member.accessLevel, most) })),
  );
}

/** Makes members, unless they have as much already. */
async function addMembers(
  tx: Transaction,
  context: Context,
  record: ProjectRow,
  most: number,
  members: readonly ImportedMember[],
): Promise<void> {
  const { id } = record;
  for (const { userId, accessLevel, expiresAt } of members) {
    const level = Math.min(accessLevel, most);
    const [{ given } = { given: 0 }] = await tx.$queryRaw<{ given: number }[]>`
      SELECT COALESCE(max(m.access_level), 0)::int AS given FROM members m JOIN projects p ON p.id = ${id}
      JOIN namespaces n ON n.id = p.namespace_id
      WHERE m.user_id = ${userId} AND (m.project_id = p.id OR m.namespace_id = ANY(n.lineage))
        AND (m.expires_at IS NULL OR m.expires_at > (now() AT TIME ZONE 'UTC')::date)`;
    const isOver = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
    if (given >= level || isOver) continue;
    await tx.member.deleteMany({ where: { projectId: id, userId } });
    await insertMember(tx, context, { kind: 'project', record }, { userId, accessLevel: level, expiresAt });
  }
}

async function putAvatar(tx: Transaction, projectId: number, file: string): Promise<void> {
  const found = await stat(file).catch(() => null);
  if (!found) return;
  await saveProjectAvatar(tx, projectId, await readPicture({ size: found.size, stream: () => createReadStream(file) }));
}

/** Deletes the project that has the path, and gives the path to this one. */
async function replace(
  tx: Transaction,
  context: Context,
  actor: Actor,
  project: Target,
  wanted: string,
): Promise<void> {
  const old = await projectAt(context, project.namespaceId, wanted);
  const aside = project.path.slice(wanted.length);
  if (old !== null) {
    authorize(actor, 'delete_project', await findProject(context, old));
    await markDeleted(tx, context, old, actor.id);
  }
  const name = project.name.endsWith(aside) ? project.name.slice(0, -aside.length) : project.name;
  await tx.project.update({ where: { id: project.id }, data: { name, path: wanted } });
  const { fullPath } = await tx.namespace.findUniqueOrThrow({ where: { id: project.namespaceId } });
  await takePath(tx, `${fullPath}/${wanted}`);
}

function remove(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

import { createReadStream, mkdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { authorize, MASTER, type Visibility } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { ALL_FEATURES, changedFeatures, FEATURES } from '#src/access/permissions/features.ts';
import { closestVisibility } from '#src/access/permissions/visibility_levels.ts';
import { snakeCase } from '#src/base/text.ts';
import { recordChange } from '#src/domain/changes/record.ts';
import { requireFewTagRules } from '#src/domain/container_registry/tag_rules.ts';
import { requireFewFlags } from '#src/domain/feature_flags/limits.ts';
import { markDeleted } from '#src/domain/lifecycle/delete_project.ts';
import { insertMember } from '#src/domain/members/add.ts';
import { takePath } from '#src/domain/namespaces/redirects.ts';
import { CHECKS } from '#src/domain/project_archives/checks.ts';
import { type ImportOverrides, projectAt, WAITING } from '#src/domain/project_archives/import_request.ts';
import { KINDS } from '#src/domain/project_archives/kinds.ts';
import { ArchiveInvalid } from '#src/domain/project_archives/lines.ts';
import { People } from '#src/domain/project_archives/people.ts';
import {
  ARCHIVE,
  AVATAR,
  FORMAT,
  PROJECT,
  REPOSITORY,
  SETTINGS,
  SNIPPETS,
  treeFile,
  USERS,
  VERSION,
  WIKI,
} from '#src/domain/project_archives/place.ts';
import { explained, headFile, requireVersion } from '#src/domain/project_archives/read.ts';
import { putSnippets, type SnippetDrafts, takeSnippets } from '#src/domain/project_archives/snippet_repositories.ts';
import { branchOf, type Taken, takeRepository } from '#src/domain/project_archives/take_repository.ts';
import { type ImportedMember, TreeImport } from '#src/domain/project_archives/tree.ts';
import { saveProjectAvatar } from '#src/domain/projects/avatar.ts';
import { findProject } from '#src/domain/projects/find.ts';
import { givenSwitches, tags, textErrors } from '#src/domain/projects/values.ts';
import { holdRepositoryLock } from '#src/domain/repository/lock.ts';
import { recordCopy } from '#src/domain/repository/record_copy.ts';
import { recordSideSize } from '#src/domain/repository/side_size.ts';
import type { WithRepositories } from '#src/domain/repository/store.ts';
import { requireFewImportedRules } from '#src/domain/tracking/approvals/values.ts';
import { importsStore } from '#src/domain/uploads/archives.ts';
import { forgetLfsObjects, receiveLfsObject } from '#src/domain/uploads/lfs/objects.ts';
import type { WithUploads } from '#src/domain/uploads/store.ts';
import { unpackFiles } from '#src/git/archive/files.ts';
import { syncDirectory } from '#src/git/base/sync.ts';
import { settleRepository } from '#src/git/remote/bundle.ts';
import type { Prisma, Transaction } from '#src/platform/database/db.ts';
import { ofEachDatabase } from '#src/platform/database/of_each.ts';
import { DomainError } from '#src/platform/errors.ts';
import { readPicture } from '#src/platform/pictures.ts';
import { factsOf } from '#src/platform/records/model.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** How often an import is attempted: the process may have died of it. */
const MAX_ATTEMPTS = 5;
/** Files of an archive, most of which are attached ones. */
const MAX_FILES = 100_000;

/** What an import needs where its importer may be gone. */
export interface ImportOptions {
  /** Aborted when the server stops: the import begins anew at the next start. */
  stopping?: AbortSignal | undefined;
}

interface Target {
  id: number;
  name: string;
  path: string;
  namespaceId: number;
  repositoryStorage: string;
}

interface Begun {
  project: Target;
  secret: string;
  attempts: number;
  settings: ImportOverrides;
  overwrites: string | null;
}

/**
 * Fills a project from the archive that it waits for, whole or not at all; the outcome is recorded in the project. Does nothing unless
 * the project waits.
 */
export function importArchive(context: Context, projectId: number, options: ImportOptions): Promise<void> {
  const running = runningOn(context.db);
  const work = running.get(projectId) ?? perform(context, projectId, options).finally(() => running.delete(projectId));
  running.set(projectId, work);
  return work;
}

const runningOn = ofEachDatabase(() => new Map<number, Promise<void>>());

async function perform(context: Context, projectId: number, { stopping }: ImportOptions): Promise<void> {
  const begun = await begin(context, projectId);
  if (begun === null) return;
  const { imports } = context;
  const late = AbortSignal.timeout(imports.timeout);
  const signal = AbortSignal.any([late, ...(stopping ? [stopping] : [])]);
  try {
    if (begun.attempts > MAX_ATTEMPTS) throw new ArchiveInvalid('The import was interrupted too often.');
    await fill(context, begun, signal);
  } catch (error) {
    if (stopping?.aborted) throw error;
    const message = late.aborted ? `The import took longer than ${imports.timeout / 1000} seconds.` : explained(error);
    await failImport(context, projectId, message ?? 'Something went wrong on the server.');
    if (message === null) throw error;
  }
}

/** Leaves an empty project with the error. Does nothing unless it waits for an import. */
export async function failImport(
  { db, repositories, uploads }: WithRepositories & WithUploads,
  projectId: number,
  message: string,
): Promise<void> {
  const waiting = await db.projectArchiveImport.findUnique({ where: { projectId }, include: { project: true } });
  if (!waiting?.secret) return;
  const { project, secret } = waiting;
  await db.$transaction(async (tx) => {
    await holdRepositoryLock(db, tx, projectId, async () => {
      await repositories.remove(project);
      await repositories.remove({ ...project, wiki: true });
    });
    await forgetLfsObjects(tx, projectId);
    await tx.project.update({ where: { id: projectId }, data: { importStatus: 'failed', importError: message } });
    await tx.projectArchiveImport.update({ where: { projectId }, data: { secret: null } });
  });
  await uploads.remove({ projectId });
  await importsStore({ uploads }).remove({ projectId: WAITING, secret });
}

/** Removes archives that no import waits for any more, a day after they came. */
export async function cleanUpImports({ db, uploads }: Pick<Context, 'db' | 'uploads'>): Promise<void> {
  const store = importsStore({ uploads });
  for await (const { projectId, secret, storedAt } of store.list()) {
    if (storedAt.getTime() > Date.now() - 24 * 60 * 60_000) continue;
    if ((await db.projectArchiveImport.count({ where: { secret } })) === 0) await store.remove({ projectId, secret });
  }
}

/** Marks the import as started; null if there is none, or the project is gone. */
async function begin({ db }: Context, projectId: number): Promise<Begun | null> {
  const row = await db.projectArchiveImport.findUnique({ where: { projectId }, include: { project: true } });
  if (!row?.secret || row.project.deletedAt !== null) return null;
  const [{ attempts }] = await db.$transaction([
    db.projectArchiveImport.update({
      where: { projectId },
      data: { attempts: { increment: 1 } },
      select: { attempts: true },
    }),
    db.project.update({ where: { id: projectId }, data: { importStatus: 'started' } }),
  ]);
  const { project, secret, overwrites } = row;
  return { project, secret, attempts, overwrites, settings: (row.settings ?? {}) as ImportOverrides };
}

async function fill(context: Context, begun: Begun, signal: AbortSignal): Promise<void> {
  const { db, imports, repositories } = context;
  const { project, secret } = begun;
  const directory = await mkdtemp(path.join(tmpdir(), 'gantry-import-'));
  const place = { projectId: WAITING, secret, fileName: ARCHIVE };
  const drafts: string[] = [];
  try {
    const opened = await importsStore(context).open(place);
    if (!opened) throw new ArchiveInvalid('The archive no longer exists.');
    await unpack(opened.content, directory, imports.maxBytes, signal);
    await requireVersion(directory, FORMAT, 'project');
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
    await db.$transaction((tx) => record(tx, context, { begun, head, directory, own, wiki, snippets, signal }), {
      timeout: imports.timeout,
      maxWait: 60_000,
    });
  } finally {
    for (const draft of [directory, ...drafts]) await remove(draft);
  }
  await importsStore(context).remove(place);
}

/** Unpacks the files that an archive may have. */
async function unpack(
  content: Parameters<typeof unpackFiles>[0],
  directory: string,
  bytes: number,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(path.join(directory, 'tree'));
  await mkdir(path.join(directory, 'uploads'));
  await mkdir(path.join(directory, 'lfs'));
  await mkdir(path.join(directory, SNIPPETS));
  const plain = new Set([VERSION, PROJECT, AVATAR, REPOSITORY, WIKI, treeFile(USERS)]);
  for (const { name } of KINDS) plain.add(treeFile(name));
  await unpackFiles(content, {
    bytes,
    files: MAX_FILES,
    signal,
    place(name) {
      if (/^snippets\/[1-9]\d{0,8}\.bundle$/.test(name)) return path.join(directory, name);
      if (/^lfs\/[0-9a-f]{64}$/.test(name)) return path.join(directory, name);
      const [, secret = '', fileName = ''] = /^uploads\/([0-9a-f]{32})\/([^/]+)$/.exec(name) ?? [];
      if (plain.has(name)) return path.join(directory, name);
      if (secret === '' || !CHECKS.fileName(fileName)) return null;
      mkdirSync(path.join(directory, 'uploads', secret), { recursive: true });
      return path.join(directory, 'uploads', secret, fileName);
    },
  });
}

interface Head {
  /** The ID of the project in the archive. */
  id: unknown;
  settings: Partial<Record<(typeof SETTINGS)[number], unknown>>;
}

/** What `project.json` says. Throws ArchiveInvalid. */
async function headOf(directory: string): Promise<Head> {
  const record = await headFile(directory, PROJECT);
  const { columns } = factsOf('Project');
  const settings: Head['settings'] = {};
  for (const name of SETTINGS) {
    const value = record[snakeCase(name)];
    const { type = '', isList = false } = columns[name] ?? {};
    if (value === undefined) continue;
    if (value !== null && !(isList ? isTexts(value) : await CHECK_OF[type]?.(value, type))) {
      throw new ArchiveInvalid(`${PROJECT} has a value of ${snakeCase(name)} that is not allowed.`);
    }
    settings[name] = value;
  }
  const texts = settings as {
    description?: string;
    defaultBranch?: string;
    tagList?: string[];
    ciDefaultGitDepth?: number;
    ciConfigPath?: string;
    mergeCommitTemplate?: string;
    squashCommitTemplate?: string;
    issuesTemplate?: string;
    mergeRequestsTemplate?: string;
  };
  const [wrong] = Object.entries(textErrors(texts));
  if (wrong) throw new ArchiveInvalid(`${PROJECT} has a ${wrong[0]} that ${wrong[1][0]}.`);
  const { buildTimeout, membersOnly } = settings;
  if (Array.isArray(membersOnly) && !membersOnly.every((name) => FEATURES.some((feature) => feature === name))) {
    throw new ArchiveInvalid(`${PROJECT} has a value of members_only that is not allowed.`);
  }
  if (typeof buildTimeout === 'number' && buildTimeout < 1)
    throw new ArchiveInvalid(`${PROJECT} has no build_timeout.`);
  return { id: record.id, settings };
}

const CHECK_OF: Readonly<Record<string, (value: unknown, type: string) => boolean>> = {
  String: CHECKS.text,
  Boolean: CHECKS.boolean,
  Int: CHECKS.number,
  Visibility: CHECKS.enum,
  PagesAccess: CHECKS.enum,
  MergeMethod: CHECKS.enum,
  SquashOption: CHECKS.enum,
};

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length <= 100 && value.every((one) => CHECKS.name(one));
}

/** Gives the project the objects of Git LFS of the archive, with the limits of uploads. */
async function takeObjects(context: Context, { id }: Target, directory: string, signal: AbortSignal): Promise<void> {
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
  begun: Begun;
  head: Head;
  directory: string;
  own: Taken | null;
  wiki: Taken | null;
  snippets: SnippetDrafts;
  signal: AbortSignal;
}

/** Puts everything in place and records it. */
async function record(tx: Transaction, context: Context, recorded: Recorded): Promise<void> {
  const { begun, head, directory, own, snippets, signal } = recorded;
  const { project } = begun;
  const actor = requireActor(context);
  const alive = await tx.$queryRaw<object[]>`
    SELECT id FROM projects WHERE id = ${project.id} AND deleted_at IS NULL AND import_status = 'started' FOR NO KEY UPDATE`;
  if (alive.length === 0) return;
  const people = await People.read(tx, actor, path.join(directory, treeFile(USERS)));
  await holdRepositoryLock(context.db, tx, project.id, () => putRepositories(tx, context, recorded));
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
  });
  const { members, failed } = await tree.run();
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
  await addMembers(tx, context, actor, project, members);
  await putAvatar(tx, project.id, path.join(directory, AVATAR));
  await applySettings(tx, context, actor, begun, head);
  if (begun.overwrites !== null) await replace(tx, context, actor, project, begun.overwrites);
  await recordChange(tx, context, { type: 'projectChanged', project, user: actor, action: 'imported' });
  const failedRelations = failed as unknown as Prisma.InputJsonArray;
  await tx.projectArchiveImport.update({ where: { projectId: project.id }, data: { secret: null, failedRelations } });
  await tx.project.update({ where: { id: project.id }, data: { importStatus: 'finished', importError: null } });
}

/** Moves the repositories into place. Protections of branches are those of the archive alone. */
async function putRepositories(tx: Transaction, context: Context, { begun, head, own, wiki }: Recorded): Promise<void> {
  const { repositories } = context;
  const { project } = begun;
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

/** Makes members of those who have an account here, with no more than the importer has, and unless they have as much already. */
async function addMembers(
  tx: Transaction,
  context: Context,
  actor: Actor,
  { id }: Target,
  members: readonly ImportedMember[],
): Promise<void> {
  const record = await findProject(context, id);
  const most = actor.admin ? MASTER : Math.min(MASTER, record.accessLevel);
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

/** The settings of the archive, or those that were asked for in their place. */
async function applySettings(tx: Transaction, context: Context, actor: Actor, begun: Begun, head: Head): Promise<void> {
  const { project, settings: given } = begun;
  const { visibility: archived, defaultBranch: _branch, tagList, ...settings } = head.settings;
  const [{ group } = { group: null }] = await tx.$queryRaw<{ group: Visibility | null }[]>`
    SELECT CASE WHEN kind = 'group' THEN visibility::text END AS "group" FROM namespaces WHERE id = ${project.namespaceId}`;
  const wanted = given.visibility ?? (archived as Visibility | undefined) ?? 'private';
  const visibility = closestVisibility(actor, await currentSettings(context.db), wanted, { group });
  const known = Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => value !== null || NULLABLE.has(name)),
  );
  const features = { ...ALL_FEATURES, ...known };
  await tx.project.update({
    where: { id: project.id },
    data: {
      ...known,
      ...givenSwitches(given),
      ...changedFeatures(features, given, {}),
      ...(given.description != null && { description: given.description }),
      visibility,
      tagList: tags((tagList as string[] | undefined) ?? []),
    },
  });
}

/** Settings that may be null. */
const NULLABLE: ReadonlySet<string> = new Set(['description', 'ciDefaultGitDepth']);

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

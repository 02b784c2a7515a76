import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { makeWorkDirectory } from '#src/base/work_directory.ts';
import { fillGroup } from '#src/domain/group_archives/fill.ts';
import { GitlabFiles } from '#src/domain/group_archives/gitlab_files.ts';
import { waiting } from '#src/domain/group_archives/import_request.ts';
import { KINDS } from '#src/domain/group_archives/kinds.ts';
import { AVATARS, FORMAT, GROUPS, LEFT_OUT, WIKIS } from '#src/domain/group_archives/place.ts';
import { findGroup } from '#src/domain/groups/find.ts';
import { ArchiveInvalid } from '#src/domain/project_archives/lines.ts';
import { treeFile, USERS, VERSION } from '#src/domain/project_archives/place.ts';
import { explained, requireVersion } from '#src/domain/project_archives/read.ts';
import { groupImportsStore } from '#src/domain/uploads/archives.ts';
import { unpackFiles } from '#src/git/archive/files.ts';
import type { Prisma } from '#src/platform/database/db.ts';
import { ofEachDatabase } from '#src/platform/database/of_each.ts';

/** How often an import is attempted: the process may have died of it. */
const MAX_ATTEMPTS = 5;
/** Files of an archive, most of which are wikis and pictures. */
const MAX_FILES = 100_000;

/**
 * Fills a group from the archive that it waits for, whole or not at all; the outcome is recorded in its import. Does nothing unless the
 * group waits.
 *
 * @param options `stopping` is aborted when the server stops: the import begins anew at the next start
 */
export function importGroupArchive(
  context: Context,
  groupId: number,
  options: { stopping?: AbortSignal | undefined },
): Promise<void> {
  const running = runningOn(context.db);
  const work = running.get(groupId) ?? perform(context, groupId, options).finally(() => running.delete(groupId));
  running.set(groupId, work);
  return work;
}

const runningOn = ofEachDatabase(() => new Map<number, Promise<void>>());

async function perform(
  context: Context,
  groupId: number,
  { stopping }: { stopping?: AbortSignal | undefined },
): Promise<void> {
  const { db, imports } = context;
  const [begun] = await db.$queryRaw<{ attempts: number; secret: string }[]>`
    UPDATE group_imports i SET state = 'started', attempts = attempts + 1 FROM namespaces n
    WHERE i.group_id = ${groupId} AND i.secret IS NOT NULL AND n.id = i.group_id AND n.deleted_at IS NULL
    RETURNING i.attempts, i.secret`;
  if (!begun) return;
  const late = AbortSignal.timeout(imports.timeout);
  const signal = AbortSignal.any([late, ...(stopping ? [stopping] : [])]);
  try {
    if (begun.attempts > MAX_ATTEMPTS) throw new ArchiveInvalid('The import was interrupted too often.');
    await fill(context, groupId, begun.secret, signal);
  } catch (error) {
    if (stopping?.aborted) throw error;
    const message = late.aborted ? `The import took longer than ${imports.timeout / 1000} seconds.` : explained(error);
    // The database may have been away: the job runs again.
    if (message === null && begun.attempts < MAX_ATTEMPTS) throw error;
    await failGroupImport(context, groupId, message ?? 'Something went wrong on the server.');
    if (message === null) throw error;
  }
}

/** Leaves an empty group with the error. Does nothing unless it waits for an import. */
export async function failGroupImport(
  { db, uploads }: Pick<Context, 'db' | 'uploads'>,
  groupId: number,
  message: string,
): Promise<void> {
  const [failed] = await db.$queryRaw<{ secret: string }[]>`
    UPDATE group_imports i SET state = 'failed', error = ${message}, secret = NULL FROM group_imports old
    WHERE i.group_id = ${groupId} AND old.group_id = i.group_id AND i.secret IS NOT NULL RETURNING old.secret`;
  if (failed) await groupImportsStore({ uploads }).remove(waiting(failed.secret));
}

/** Removes archives that no import waits for any more, a day after they came. */
export async function cleanUpGroupImports({ db, uploads }: Pick<Context, 'db' | 'uploads'>): Promise<void> {
  const store = groupImportsStore({ uploads });
  for await (const { projectId, secret, storedAt } of store.list()) {
    if (storedAt.getTime() > Date.now() - 24 * 60 * 60_000) continue;
    if ((await db.groupImport.count({ where: { secret } })) === 0) await store.remove({ projectId, secret });
  }
}

async function fill(context: Context, groupId: number, secret: string, signal: AbortSignal): Promise<void> {
  const directory = await makeWorkDirectory('group');
  try {
    authorize(context.actor, 'update_group', await findGroup(context, groupId));
    const opened = await groupImportsStore(context).open(waiting(secret));
    if (!opened) throw new ArchiveInvalid('The archive no longer exists.');
    const archived = await unpack(opened.content, directory, context.imports.maxBytes, signal);
    await fillGroup(context, { groupId, directory, ...archived, signal }, async (tx, leftOut) => {
      const data = { state: 'finished', error: null, secret: null } as const;
      const kept = leftOut as unknown as Prisma.InputJsonArray;
      await tx.groupImport.update({ where: { groupId }, data: { ...data, leftOut: kept } });
    });
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
  await groupImportsStore(context).remove(waiting(secret));
}

/** Unpacks an archive, of Gantry or GitLab. Returns the IDs of the groups that have a wiki, and a picture. */
async function unpack(
  content: Parameters<typeof unpackFiles>[0],
  directory: string,
  bytes: number,
  signal: AbortSignal,
): Promise<{ wikis: number[]; avatars: number[] }> {
  for (const name of ['tree', WIKIS, AVATARS]) await mkdir(path.join(directory, name));
  const plain = new Set([VERSION, ...[GROUPS, USERS, LEFT_OUT, ...KINDS.map(({ name }) => name)].map(treeFile)]);
  const gitlab = new GitlabFiles(directory);
  const wikis: number[] = [];
  const avatars: number[] = [];
  /** The first file that archives of ours do not have. */
  let stranger: string | undefined;
  const place = (given: string) => {
    // The program tar puts that before names where it packs a directory.
    const name = given.replace(/^\.\//, '');
    const [, wiki, avatar] = /^(?:wikis\/([1-9]\d{0,8})\.bundle|avatars\/([1-9]\d{0,8}))$/.exec(name) ?? [];
    if (wiki !== undefined) wikis.push(Number(wiki));
    else if (avatar !== undefined) avatars.push(Number(avatar));
    else if (!plain.has(name)) {
      stranger ??= given;
      return gitlab.placeOf(name);
    }
    return path.join(directory, name);
  };
  await unpackFiles(content, { bytes, files: MAX_FILES, signal, place });
  if (!existsSync(path.join(directory, VERSION)) && gitlab.isThere) {
    const groups = await gitlab.translate(signal);
    return { wikis: gitlab.wikis.filter((id) => groups.has(id)), avatars: [] };
  }
  if (stranger !== undefined) {
    throw new ArchiveInvalid(`The archive has ${JSON.stringify(stranger.slice(0, 200))}, which does not belong there.`);
  }
  await requireVersion(directory, FORMAT, 'group');
  return { wikis, avatars };
}

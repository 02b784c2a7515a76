import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { type AssembledGroup, assembleGroup } from '#src/domain/bulk_imports/assemble_group.ts';
import { holdBulkImport } from '#src/domain/bulk_imports/end.ts';
import {
  GROUP_PHASES,
  type GroupAddress,
  type GroupContext,
  readGroup,
} from '#src/domain/bulk_imports/group_source.ts';
import { fillGroup } from '#src/domain/group_archives/fill.ts';
import type { LeftOut as NamedLeftOut } from '#src/domain/group_archives/import_request.ts';
import type { GroupTreeImport } from '#src/domain/group_archives/tree.ts';
import { createGroup } from '#src/domain/groups/create.ts';
import { findGroup } from '#src/domain/groups/find.ts';
import { groupErrors } from '#src/domain/groups/values.ts';
import { ImportFailed } from '#src/domain/imports/source.ts';
import { explained } from '#src/domain/project_archives/read.ts';
import { type LeftOut, SourceInvalid } from '#src/domain/remote_imports/base/source.ts';
import { GITLAB } from '#src/domain/remote_imports/gitlab/provider.ts';
import { BUSY_PAUSE_SECONDS, type Lease, withLease } from '#src/domain/remote_imports/lease.ts';
import { countsOf } from '#src/domain/remote_imports/progress.ts';
import { Staging } from '#src/domain/remote_imports/staging.ts';
import { pickStorage } from '#src/domain/repository/storages.ts';
import type { BulkImportEntity } from '#src/generated/prisma/client.ts';
import type { Prisma, Transaction } from '#src/platform/database/db.ts';
import { ofEachDatabase } from '#src/platform/database/of_each.ts';
import {
  type RemoteClient,
  RemoteRateLimited,
  RemoteRefused,
  RemoteUnavailable,
} from '#src/platform/outbound/remote_client.ts';
import { decrypt } from '#src/platform/secrets.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Goes on with moving a group in from another server. */
    'groups.import_remote': { entityId: number; userId: number };
  }
}

export interface GroupImportOptions {
  /** Aborted when the server stops: the import goes on at the next start. */
  stopping?: AbortSignal | undefined;
}

/** How often in a row it may be interrupted, or its source fail, without a page in between. */
const MAX_ATTEMPTS = 8;
/** Milliseconds for which one run of the job fetches pages: less than jobs may. */
const MAX_RUN_MS = 30 * 60_000;
const MIN_PAUSE_SECONDS = 2;
/** Milliseconds before the first repetition of what failed; each further one takes twice as long. */
const RETRY_DELAY_MS = 5_000;
/** How many things that were left out are kept, and projects of one group. */
const MAX_LEFT_OUT = 1_000;
const MAX_PROJECTS = 10_000;

/** The import was canceled, or has ended otherwise. */
class Canceled extends Error {}

/** The rest is for another run of the job. */
class Unfinished extends Error {}

const runningOn = ofEachDatabase(() => new Map<number, Promise<void>>());

/**
 * Goes on with a group: fetches what is not fetched yet, and fills the group in the end, whole or not at all, together with the list of its
 * projects that come next. The outcome is recorded. Does nothing unless the group waits.
 */
export function continueGroupImport(context: Context, entityId: number, options: GroupImportOptions): Promise<void> {
  const running = runningOn(context.db);
  const work = running.get(entityId) ?? alone(context, entityId, options).finally(() => running.delete(entityId));
  running.set(entityId, work);
  return work;
}

/** Works while no other process does; if one does, a job looks again later. */
async function alone(context: Context, entityId: number, options: GroupImportOptions): Promise<void> {
  const work = (lease: Lease) => perform(context, entityId, options, lease);
  if (await withLease(context.db, `group ${entityId}`, work)) return;
  const userId = requireActor(context).id;
  await context.db.$transaction((tx) =>
    context.jobs.enqueue(tx, 'groups.import_remote', { entityId, userId }, { after: BUSY_PAUSE_SECONDS }),
  );
}

interface Begun {
  entity: BulkImportEntity;
  storage: string;
  address: GroupAddress;
}

async function perform(
  context: Context,
  entityId: number,
  { stopping }: GroupImportOptions,
  lease: Lease,
): Promise<void> {
  const begun = await begin(context, entityId);
  if (begun === null) return;
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, lease.signal, ...(stopping ? [stopping] : [])]);
  try {
    if (begun.entity.attempts > MAX_ATTEMPTS) throw new ImportFailed('The import was interrupted too often.');
    await advance(context, begun, { signal, lease });
    await context.repositories.removeGroupStaging({ id: entityId, storage: begun.storage });
  } catch (error) {
    if (stopping?.aborted) throw error;
    if (lease.signal.aborted) return;
    await settle(context, begun, error);
  } finally {
    abort.abort();
  }
}

/** Counts the attempt; null if the group does not wait, or its time has not come. */
async function begin(context: Context, entityId: number): Promise<Begun | null> {
  const { db, secret } = context;
  const row = await db.bulkImportEntity.findUnique({ where: { id: entityId }, include: { bulkImport: true } });
  if (row === null || row.status !== 'started' || row.kind !== 'group' || row.bulkImport.token === null) return null;
  // Another job goes on then.
  if (row.continuesAt !== null && row.continuesAt.getTime() > Date.now() + 1_000) return null;
  const storage = row.storage ?? (await pickStorage(context));
  const entity = await db.bulkImportEntity.update({
    where: { id: entityId },
    data: { attempts: { increment: 1 }, continuesAt: null, storage },
  });
  const token = decrypt(row.bulkImport.token, secret);
  return { entity, storage, address: { url: row.bulkImport.url, path: entity.sourceFullPath, token } };
}

/** What becomes of a group that did not get to its end. */
async function settle(context: Context, { entity, storage }: Begun, error: unknown): Promise<void> {
  const place = { id: entity.id, storage };
  if (error instanceof Canceled) return context.repositories.removeGroupStaging(place);
  if (error instanceof Unfinished) return later(context, entity.id, null);
  if (error instanceof RemoteRateLimited) return later(context, entity.id, error.until);
  if (error instanceof RemoteUnavailable && entity.attempts < MAX_ATTEMPTS) {
    return later(context, entity.id, new Date(Date.now() + RETRY_DELAY_MS * 2 ** entity.attempts));
  }
  const isOfSource = [ImportFailed, RemoteRefused, RemoteUnavailable, SourceInvalid, TookTooLong].some(
    (one) => error instanceof one,
  );
  const message = isOfSource ? (error as Error).message : explained(error);
  const status = error instanceof TookTooLong ? 'timeout' : 'failed';
  await context.db.bulkImportEntity.updateMany({
    where: { id: entity.id, status: 'started' },
    data: { status, error: message ?? 'Something went wrong on the server.', continuesAt: null },
  });
  await context.repositories.removeGroupStaging(place);
  if (message === null) throw error;
}

/** Filling took longer than imports may. */
class TookTooLong extends Error {}

/** Leaves the rest to a job that runs at a time; for null soon, but not before this one has ended, which it would wait for. */
async function later(context: Context, entityId: number, time: Date | null): Promise<void> {
  const after = Math.max(MIN_PAUSE_SECONDS, Math.ceil(((time?.getTime() ?? 0) - Date.now()) / 1_000));
  const userId = requireActor(context).id;
  await context.db.$transaction(async (tx) => {
    await tx.bulkImportEntity.updateMany({
      where: { id: entityId, status: 'started' },
      data: { continuesAt: time },
    });
    await context.jobs.enqueue(tx, 'groups.import_remote', { entityId, userId }, { after });
  });
}

async function advance(
  context: Context,
  { entity, storage, address }: Begun,
  { signal, lease }: { signal: AbortSignal; lease: Lease },
): Promise<void> {
  const { imports, repositories } = context;
  const client = GITLAB.client(address, imports, signal);
  const until = Date.now() + MAX_RUN_MS;
  try {
    const groupId = await ensureGroup(context, entity, client, address);
    await requireRight(context, groupId);
    const staging = await Staging.open(repositories.groupStaging({ id: entity.id, storage }), imports.maxBytes);
    const fetching: GroupContext = { client, address, staging };
    const wanted = GROUP_PHASES.filter(
      ({ of }) => of === 'all' || (of === 'projects' ? entity.migrateProjects : entity.migrateMemberships),
    );
    for (const phase of wanted) {
      for (;;) {
        const progress = staging.phases.get(phase.name);
        if (progress?.next === null) break;
        if (Date.now() > until) throw new Unfinished();
        const page = await phase.page(fetching, progress?.next ?? null);
        await lease.require();
        await staging.add(phase.name, page);
        await note(context, entity.id, staging);
      }
    }
    await requireRight(context, groupId);
    await fill(context, { entity, groupId, fetching }, signal);
  } finally {
    client.close();
  }
}

/** The group that is to be filled; it is created at the first time, private for now. Throws as createGroup. */
async function ensureGroup(
  context: Context,
  entity: BulkImportEntity,
  client: RemoteClient,
  address: GroupAddress,
): Promise<number> {
  if (entity.namespaceId !== null) return entity.namespaceId;
  const given = (await readGroup(client, address)).name;
  const name = groupErrors({ name: given }, true).name === undefined ? given : entity.destinationSlug;
  const values = {
    ...{ name, path: entity.destinationSlug, visibility: 'private' as const },
    parentId: entity.destinationNamespace === '' ? null : entity.destinationNamespace,
  };
  return createGroup(context, values, async (tx, groupId) => {
    await requireWaiting(tx, entity);
    const { count } = await tx.bulkImportEntity.updateMany({
      where: { id: entity.id, namespaceId: null },
      data: { namespaceId: groupId },
    });
    if (count === 0) throw new Canceled();
  });
}

/** Throws Canceled if the group is not wanted any more; the import is locked else until the end of the transaction. */
async function requireWaiting(tx: Transaction, { id, bulkImportId }: BulkImportEntity): Promise<void> {
  const isWaiting =
    (await holdBulkImport(tx, bulkImportId)) &&
    (await tx.bulkImportEntity.count({ where: { id, status: 'started' } })) > 0;
  if (!isWaiting) throw new Canceled();
}

/** Requires that the importer may still fill the group: an import may wait for long. Throws Forbidden, NotFound. */
async function requireRight(context: Context, groupId: number): Promise<void> {
  authorize(context.actor, 'update_group', await findGroup(context, groupId));
}

/** Records how far it is. Throws Canceled if it is not wanted any more. */
async function note({ db }: Context, entityId: number, staging: Staging): Promise<void> {
  const { count } = await db.bulkImportEntity.updateMany({
    where: { id: entityId, status: 'started', bulkImport: { token: { not: null } } },
    data: {
      attempts: 1,
      counts: countsOf(staging.phases) as unknown as Prisma.InputJsonArray,
      leftOut: staging.leftOut as unknown as Prisma.InputJsonArray,
    },
  });
  if (count === 0) throw new Canceled();
}

interface Fetched {
  entity: BulkImportEntity;
  groupId: number;
  fetching: GroupContext;
}

async function fill(context: Context, { entity, groupId, fetching }: Fetched, stopping: AbortSignal): Promise<void> {
  const late = AbortSignal.timeout(context.imports.timeout);
  const signal = AbortSignal.any([stopping, late]);
  try {
    const assembled = await assembleGroup(fetching, context.imports, signal);
    const unknown: string[] = [];
    const unknownMember = (username: string) => void (unknown.length < MAX_LEFT_OUT && unknown.push(username));
    await fillGroup(context, { ...assembled, groupId, signal, unknownMember }, async (tx, named, tree) => {
      await requireWaiting(tx, entity);
      await addProjects(tx, entity, fetching, tree);
      const leftOut = allLeftOut(fetching.staging, assembled, named, unknown);
      await tx.bulkImportEntity.update({
        where: { id: entity.id },
        data: { status: 'finished', leftOut: leftOut as unknown as Prisma.InputJsonArray },
      });
    });
  } catch (error) {
    if (late.aborted) throw new TookTooLong(`The import took longer than ${context.imports.timeout / 1000} seconds.`);
    throw error;
  }
}

/** Has the projects of the groups come next, each as a part of the import of its own. */
async function addProjects(
  tx: Transaction,
  entity: BulkImportEntity,
  { staging }: GroupContext,
  tree: GroupTreeImport,
): Promise<void> {
  const found: { groupId: number; path: string; sourceFullPath: string }[] = [];
  for await (const { record } of staging.records(new Set(['projects']))) {
    const { path, full_path: fullPath } = record.record as { path: string; full_path: string };
    found.push({ groupId: tree.idOf(record.group as number), path, sourceFullPath: fullPath });
    if (found.length > MAX_PROJECTS) throw new SourceInvalid(`The group has more than ${MAX_PROJECTS} projects in it.`);
  }
  if (found.length === 0) return;
  const groups = await tx.namespace.findMany({
    where: { id: { in: [...new Set(found.map(({ groupId }) => groupId))] } },
    select: { id: true, fullPath: true },
  });
  const paths = new Map(groups.map(({ id, fullPath }) => [id, fullPath]));
  await tx.bulkImportEntity.createMany({
    data: found.map(({ groupId, path, sourceFullPath }) => ({
      ...{ bulkImportId: entity.bulkImportId, userId: entity.userId, parentId: entity.id, kind: 'project' as const },
      ...{ sourceFullPath, destinationSlug: path, destinationNamespace: paths.get(groupId) ?? '' },
      ...{ migrateMemberships: entity.migrateMemberships, correlationId: entity.correlationId },
    })),
  });
}

function allLeftOut(
  staging: Staging,
  { leftOut }: AssembledGroup,
  named: readonly NamedLeftOut[],
  unknown: readonly string[],
): LeftOut[] {
  return [
    ...staging.leftOut,
    ...leftOut,
    ...named.map(({ group, kind, name }) => ({
      ...{ kind: `${kind}s`, name },
      message: kind === 'relation' ? 'It does not come along.' : `It has secrets: set it up anew in ${group}.`,
    })),
    ...unknown.map((username) => ({
      ...{ kind: 'members', name: username },
      message:
        'No account here has the public address of this user. The membership waits for whoever takes the placeholder over.',
    })),
  ].slice(0, MAX_LEFT_OUT);
}

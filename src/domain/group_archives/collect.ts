import { createWriteStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { GROUP, groupsOf, KINDS, OF_ADMINISTRATORS } from '#src/domain/group_archives/kinds.ts';
import {
  AVATARS,
  FORMAT,
  GROUPS,
  LEFT_OUT,
  type LeftOutKind,
  MAX_GROUPS,
  WIKIS,
} from '#src/domain/group_archives/place.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import { ExportFailed, writeRepository } from '#src/domain/project_archives/bundles.ts';
import { treeFile, USERS, VERSION } from '#src/domain/project_archives/place.ts';
import { recordLine, recordsOf, writeUsers } from '#src/domain/project_archives/records.ts';
import { fileOnDisk, type PackedFile, textFile } from '#src/git/archive/files.ts';
import { Prisma, queryRows, type Transaction } from '#src/platform/database/db.ts';

/** Milliseconds that reading the records may take; the whole export is limited as imports are. */
const READING = 30 * 60_000;

/** A group of an archive. */
interface ArchivedGroup {
  id: number;
  avatarKey: string | null;
  wikiStorage: string | null;
}

/** Writes what an archive of a group has to a directory. Returns its files in order. */
export async function collectGroup(
  context: Context,
  group: GroupRow,
  directory: string,
  signal: AbortSignal,
): Promise<AsyncIterable<PackedFile>> {
  for (const name of ['tree', WIKIS]) await mkdir(path.join(directory, name));
  const actor = requireActor(context);
  const groups = await context.db.$transaction(
    async (tx) => {
      const found = await writeGroups(tx, group.id, directory);
      await writeRecords(tx, actor, group.id, directory, signal);
      return found;
    },
    // All that is read is of one moment.
    { isolationLevel: 'RepeatableRead', timeout: READING },
  );
  const wikis: string[] = [];
  for (const { id, wikiStorage } of groups) {
    if (wikiStorage === null) continue;
    const name = `${WIKIS}/${id}.bundle`;
    const place = { id, repositoryStorage: wikiStorage, owner: 'group', wiki: true } as const;
    await writeRepository(context, place, path.join(directory, name), signal);
    wikis.push(name);
  }
  const trees = [GROUPS, USERS, ...KINDS.map(({ name }) => name), LEFT_OUT].map(treeFile);
  return (async function* () {
    yield textFile(VERSION, `${JSON.stringify(FORMAT)}\n`);
    for (const name of [...trees, ...wikis]) {
      const place = path.join(directory, name);
      const found = await stat(place).catch(() => null);
      if (found) yield fileOnDisk(name, place, found.size);
    }
    for (const { id, avatarKey } of groups) {
      signal.throwIfAborted();
      const avatar = avatarKey === null ? null : await context.db.groupAvatar.findUnique({ where: { groupId: id } });
      if (!avatar) continue;
      const bytes = Buffer.from(avatar.content);
      const content = () => Readable.from([bytes], { objectMode: false });
      yield { name: `${AVATARS}/${id}`, size: bytes.length, content };
    }
  })();
}

/** Writes the groups, outer ones first, and the names of what they do not take along. Returns them. Throws ExportFailed. */
async function writeGroups(tx: Transaction, rootId: number, directory: string): Promise<ArchivedGroup[]> {
  const names = Object.keys(GROUP.columns) as (keyof typeof GROUP.columns)[];
  const select = Object.fromEntries(names.map((name) => [name, true])) as Record<(typeof names)[number], true>;
  const ordered = await tx.$queryRaw<{ id: number }[]>`
    SELECT id FROM namespaces WHERE id IN ${groupsOf(rootId)} ORDER BY cardinality(lineage), id LIMIT ${MAX_GROUPS + 1}`;
  if (ordered.length > MAX_GROUPS) throw new ExportFailed(`The group has more than ${MAX_GROUPS - 1} groups in it.`);
  const rows = await tx.namespace.findMany({
    where: { id: { in: ordered.map(({ id }) => id) } },
    select: { ...select, id: true, parentId: true, avatarKey: true, wikiStorage: true },
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  const groups = ordered.flatMap(({ id }) => byId.get(id) ?? []);
  const lines = groups.map(({ avatarKey: _avatar, wikiStorage: _wiki, parentId, ...row }) =>
    // What is around the outermost group is not told.
    recordLine({ ...row, parentId: row.id === rootId ? null : parentId }),
  );
  await pipeline(lines, createWriteStream(path.join(directory, treeFile(GROUPS))));
  const left = (await namesLeftOut(tx, rootId)).map((row) => recordLine({ ...row }));
  await pipeline(left, createWriteStream(path.join(directory, treeFile(LEFT_OUT))));
  return groups;
}

/** Writes the records of all kinds, and the users whom they name. */
async function writeRecords(
  tx: Transaction,
  actor: Actor,
  rootId: number,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const users = new Set<number>();
  for (const kind of KINDS) {
    if (OF_ADMINISTRATORS.has(kind.name) && !actor.admin) continue;
    async function* lines(): AsyncGenerator<string> {
      for await (const row of recordsOf(tx, kind, rootId, actor)) {
        signal.throwIfAborted();
        for (const column of Object.keys(kind.users)) if (row[column] != null) users.add(row[column] as number);
        yield recordLine(row);
      }
    }
    await pipeline(lines(), createWriteStream(path.join(directory, treeFile(kind.name))));
  }
  await writeUsers(tx, actor, [...users], path.join(directory, treeFile(USERS)));
}

interface NamedLeftOut {
  groupId: number;
  kind: LeftOutKind;
  name: string;
}

/** The names of what has secrets: of webhooks only the host, as addresses may have secrets in their paths. */
function namesLeftOut(tx: Transaction, rootId: number): Promise<NamedLeftOut[]> {
  const groups = groupsOf(rootId);
  return queryRows<NamedLeftOut>(
    tx,
    Prisma.sql`
    SELECT namespace_id AS "groupId", 'variable' AS kind, key AS name FROM variables WHERE namespace_id IN ${groups}
    UNION SELECT namespace_id, 'webhook', regexp_replace(substring(split_part(url, '://', 2) FROM '^[^/?#]*'), '^.*@', '')
      FROM hooks WHERE namespace_id IN ${groups} AND integration_id IS NULL
    UNION SELECT group_id, 'integration', slug FROM integrations WHERE group_id IN ${groups}
    UNION SELECT namespace_id, 'access_token', name FROM personal_access_tokens WHERE namespace_id IN ${groups} AND NOT revoked
    UNION SELECT group_id, 'deploy_token', name FROM deploy_tokens WHERE group_id IN ${groups} AND NOT revoked
    ORDER BY 1, 2, 3`,
  );
}

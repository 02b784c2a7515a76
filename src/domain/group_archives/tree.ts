import path from 'node:path';
import { audit } from '#src/access/audit/record.ts';
import { OWNER, type Visibility } from '#src/access/permissions/abilities.ts';
import { type Actor, type Context, requireActor } from '#src/access/permissions/actor.ts';
import { closestVisibility } from '#src/access/permissions/visibility_levels.ts';
import { snakeCase } from '#src/base/text.ts';
import type { LeftOut } from '#src/domain/group_archives/import_request.ts';
import { GROUP, groupsOf, KINDS, OF_ADMINISTRATORS } from '#src/domain/group_archives/kinds.ts';
import { GROUPS, LEFT_OUT, type LeftOutKind, MAX_GROUPS } from '#src/domain/group_archives/place.ts';
import { insertGroup, MAX_DEPTH } from '#src/domain/groups/create.ts';
import { findGroup } from '#src/domain/groups/find.ts';
import { groupErrors } from '#src/domain/groups/values.ts';
import { insertMember } from '#src/domain/members/add.ts';
import { type HeldNamespace, holdNamespace } from '#src/domain/namespaces/lock.ts';
import { CHECKS } from '#src/domain/project_archives/checks.ts';
import { checkedColumns, newIds, type Row } from '#src/domain/project_archives/columns.ts';
import type { Kind } from '#src/domain/project_archives/kinds.ts';
import { ArchiveInvalid, type Line, linesOf } from '#src/domain/project_archives/lines.ts';
import { People, type UnknownMember } from '#src/domain/project_archives/people.ts';
import { treeFile, USERS } from '#src/domain/project_archives/place.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** How many records are inserted at a time, and how many an archive may have in all. */
const BATCH_SIZE = 500;
const MAX_RECORDS = 2_000_000;
/** How many things that were left out are remembered. */
const MAX_REMEMBERED = 100;

export interface GroupTreeOptions {
  tx: Transaction;
  context: Context;
  /** The unpacked archive. */
  directory: string;
  /** The group that is filled: the outermost one of the archive. */
  groupId: number;
  signal: AbortSignal;
  /** Told the usernames of members who have no account here. */
  unknownMember?: ((username: string) => void) | undefined;
}

/** A group that was imported. */
type Imported = Pick<HeldNamespace, 'id' | 'fullPath' | 'fullName' | 'lineage' | 'visibility'>;

interface ImportedMember {
  groupId: number;
  userId: number;
  accessLevel: number;
  expiresAt: string | null;
}

/** Imports the groups of an archive and what they have, in one transaction. */
export class GroupTreeImport {
  readonly #options: GroupTreeOptions;
  readonly #actor: Actor;
  readonly #groups = new Map<number, Imported>();
  /** The IDs here of the records of each kind, by those in the archive. */
  readonly #ids = new Map<string, Map<number, number>>();
  readonly #members: ImportedMember[] = [];
  readonly #unknownMembers: UnknownMember[] = [];
  #left = MAX_RECORDS;

  constructor(options: GroupTreeOptions) {
    this.#options = options;
    this.#actor = requireActor(options.context);
  }

  /**
   * Imports everything. Returns what was left out; null if the group is gone. Throws ArchiveInvalid, errors of the database, and the
   * signal's reason.
   */
  async run(): Promise<LeftOut[] | null> {
    const { tx, directory, groupId } = this.#options;
    const root = await holdNamespace(tx, groupId);
    if (root === null) return null;
    const people = await People.read(tx, this.#actor, path.join(directory, treeFile(USERS)));
    await people.placeIn(tx, this.#options.context, { groupId });
    await this.#importGroups(root);
    for (const kind of KINDS) {
      // They are for administrators alone, whoever made the archive.
      if (!OF_ADMINISTRATORS.has(kind.name) || this.#actor.admin) await this.#import(kind, people);
    }
    await this.#requireFittingLists();
    await tx.$executeRaw`
      UPDATE namespaces n SET last_milestone_iid = (SELECT COALESCE(max(m.iid), 0) FROM milestones m WHERE m.group_id = n.id)
      WHERE n.id IN ${groupsOf(groupId)}`;
    await this.#addMembers();
    await this.#keepMembers(people);
    await people.settle();
    return this.#leftOut();
  }

  /** The ID here of a group of the archive. Throws ArchiveInvalid if it does not have it. */
  idOf(old: number): number {
    return this.#group(old, 'A file of the archive belongs').id;
  }

  #group(old: unknown, where: string): Imported {
    const found = this.#groups.get(old as number);
    if (!found)
      throw new ArchiveInvalid(`${where} to ${String(old).slice(0, 20)} of groups, which the archive does not have.`);
    return found;
  }

  async *#lines(name: string): AsyncGenerator<Line & { where: string }> {
    const { directory, signal } = this.#options;
    for await (const line of linesOf(path.join(directory, treeFile(name)), treeFile(name))) {
      signal.throwIfAborted();
      if (--this.#left < 0) throw new ArchiveInvalid(`The archive has more than ${MAX_RECORDS} records.`);
      yield { ...line, where: `Line ${line.number} of ${treeFile(name)}` };
    }
  }

  /** The first group is the one that is filled; the others come behind those that they are in. */
  async #importGroups(root: HeldNamespace): Promise<void> {
    const { tx, context } = this.#options;
    for await (const { record, where } of this.#lines(GROUPS)) {
      if (this.#groups.size === MAX_GROUPS) throw new ArchiveInvalid(`The archive has more than ${MAX_GROUPS} groups.`);
      const old = record.id;
      if (!Number.isSafeInteger(old) || this.#groups.has(old as number))
        throw new ArchiveInvalid(`${where} has no ID of its own.`);
      const values = known(await checkedColumns(GROUP as unknown as Kind, record, where));
      const [wrong] = Object.entries(groupErrors(values, true));
      if (wrong) throw new ArchiveInvalid(`${where} has a ${wrong[0]} that ${wrong[1][0]}.`);
      if (this.#groups.size === 0) {
        this.#groups.set(old as number, { ...root, visibility: await this.#fillRoot(root, values) });
        continue;
      }
      const parent = this.#group(record.parent_id, `${where} refers by parent_id`);
      if (parent.lineage.length >= MAX_DEPTH)
        throw new ArchiveInvalid(`The groups of the archive are nested more than ${MAX_DEPTH} levels deep here.`);
      const { name, path: own, maxArtifactsSize = null, ...settings } = values;
      if (name === undefined || own === undefined) throw new ArchiveInvalid(`${where} has no name or path.`);
      const visibility = await this.#visibility(settings.visibility, parent.visibility);
      const id = await insertGroup(tx, { ...settings, name, path: own, visibility }, parent);
      if (maxArtifactsSize !== null) await tx.namespace.update({ where: { id }, data: { maxArtifactsSize } });
      await audit(tx, context, { action: 'group_created', place: { groupId: id }, target: { type: 'Group', id } });
      this.#groups.set(old as number, {
        ...{ id, visibility, fullPath: `${parent.fullPath}/${own}`, fullName: `${parent.fullName} / ${name}` },
        lineage: [...parent.lineage, id],
      });
    }
    if (this.#groups.size === 0) throw new ArchiveInvalid('The archive has no groups.');
  }

  /** Gives the outermost group the settings of the archive; its name and path are those that were asked for. Returns its visibility. */
  async #fillRoot(root: HeldNamespace, { name: _name, path: _path, ...values }: GroupSettings): Promise<Visibility> {
    const { tx } = this.#options;
    const parent = root.parentId === null ? null : await holdNamespace(tx, root.parentId);
    // At the top nothing becomes visible that nobody has looked at here.
    const visibility = parent ? await this.#visibility(values.visibility, parent.visibility) : 'private';
    const { preventSharingGroupsOutsideHierarchy: prevents = false, ...settings } = values;
    const atTheTop = { preventSharingGroupsOutsideHierarchy: parent === null && prevents };
    await tx.namespace.update({ where: { id: root.id }, data: { ...settings, ...atTheTop, visibility } });
    return visibility;
  }

  async #visibility(wanted: Visibility | undefined, group: Visibility): Promise<Visibility> {
    const settings = await currentSettings(this.#options.context.db);
    return closestVisibility(this.#actor, settings, wanted ?? 'private', { group });
  }

  async #import(kind: Kind, people: People): Promise<void> {
    let batch: (Line & { where: string })[] = [];
    for await (const line of this.#lines(kind.name)) {
      batch.push(line);
      if (batch.length < BATCH_SIZE) continue;
      await this.#insert(kind, batch, people);
      batch = [];
    }
    await this.#insert(kind, batch, people);
  }

  async #insert(kind: Kind, lines: readonly (Line & { where: string })[], people: People): Promise<void> {
    if (lines.length === 0) return;
    const { tx } = this.#options;
    const isMember = kind.name === 'members';
    const ids = isMember ? [] : await newIds(tx, kind, lines.length);
    const known = this.#ids.get(kind.name) ?? new Map<number, number>();
    this.#ids.set(kind.name, known);
    const rows: Row[] = [];
    if (isMember) await prepareUnknown(people, lines);
    for (const [at, { record, where }] of lines.entries()) {
      const row = await checkedColumns(kind, record, where);
      for (const [column, target] of Object.entries(kind.refs)) {
        row[column] = this.#reference(target, record[snakeCase(column)], `${where} refers by ${snakeCase(column)}`);
      }
      if (isMember) {
        this.#member(row, record.user_id, people);
        continue;
      }
      const old = record.id;
      if (!Number.isSafeInteger(old) || known.has(old as number))
        throw new ArchiveInvalid(`${where} has no ID of its own.`);
      const id = ids[at] ?? 0;
      known.set(old as number, id);
      rows.push({ ...row, id });
    }
    if (rows.length === 0) return;
    const name = kind.model.charAt(0).toLowerCase() + kind.model.slice(1);
    const tables = tx as unknown as Record<string, { createMany(given: { data: Row[] }): Promise<unknown> }>;
    await tables[name]?.createMany({ data: rows });
  }

  #reference(target: string, id: unknown, where: string): number {
    if (target === 'groups') return this.#group(id, where).id;
    const found = this.#ids.get(target)?.get(id as number);
    if (found === undefined)
      throw new ArchiveInvalid(`${where} to ${String(id).slice(0, 20)} of ${target}, which the archive does not have.`);
    return found;
  }

  /** The membership of a user without an account here is kept for whoever takes the placeholder over. */
  #member(row: Row, user: unknown, people: People): void {
    if (!Number.isSafeInteger(user)) return;
    const {
      namespaceId: groupId,
      accessLevel,
      expiresAt: end,
    } = row as { namespaceId: number; accessLevel: number; expiresAt?: Date | null };
    const expiresAt = end?.toISOString().slice(0, 10) ?? null;
    const userId = people.account(user as number);
    if (userId !== null) this.#members.push({ groupId, userId, accessLevel, expiresAt });
    else {
      this.#unknownMembers.push({ user: user as number, place: { groupId }, accessLevel, expiresAt });
      this.#options.unknownMember?.(people.username(user as number));
    }
  }

  /** Keeps the memberships of users without an account, with no more than the importer has. */
  async #keepMembers(people: People): Promise<void> {
    if (this.#unknownMembers.length === 0) return;
    const { context, groupId } = this.#options;
    const most = this.#actor.admin ? OWNER : (await findGroup(context, groupId)).accessLevel;
    await people.keepMemberships(
      this.#unknownMembers.map((member) => ({ ...member, accessLevel: Math.min(member.accessLevel, most) })),
    );
  }

  /** Lists belong to the group of their board, and have labels of it or of a group around it. */
  async #requireFittingLists(): Promise<void> {
    const { tx, groupId } = this.#options;
    const [wrong] = await tx.$queryRaw<object[]>`
      SELECT 1 FROM board_lists l JOIN boards b ON b.id = l.board_id JOIN labels x ON x.id = l.label_id
        JOIN namespaces n ON n.id = l.group_id
      WHERE l.group_id IN ${groupsOf(groupId)} AND (b.group_id <> l.group_id OR x.group_id <> ALL(n.lineage)) LIMIT 1`;
    if (wrong) throw new ArchiveInvalid('A list of a board has a label of another group.');
  }

  /** Makes members of those who have an account here, with no more than the importer has, and unless they have as much already. */
  async #addMembers(): Promise<void> {
    const { tx, context } = this.#options;
    for (const { groupId, userId, accessLevel, expiresAt } of this.#members) {
      const isOver = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
      const [{ given } = { given: 0 }] = await tx.$queryRaw<{ given: number }[]>`
        SELECT COALESCE(max(m.access_level), 0)::int AS given FROM members m JOIN namespaces n ON n.id = ${groupId}
        WHERE m.user_id = ${userId} AND m.namespace_id = ANY(n.lineage)
          AND (m.expires_at IS NULL OR m.expires_at > (now() AT TIME ZONE 'UTC')::date)`;
      if (isOver || given >= accessLevel) continue;
      await tx.member.deleteMany({ where: { namespaceId: groupId, userId } });
      await insertMember(tx, context, { kind: 'group', record: { id: groupId } }, { userId, accessLevel, expiresAt });
    }
  }

  /** The names of what is to be set up anew. */
  async #leftOut(): Promise<LeftOut[]> {
    const found: LeftOut[] = [];
    for await (const { record, where } of this.#lines(LEFT_OUT)) {
      const { kind, name } = record;
      if (!CHECKS.leftOut(kind, '') || !CHECKS.name(name))
        throw new ArchiveInvalid(`${where} names nothing that groups have.`);
      const group = this.#group(record.group_id, `${where} refers by group_id`).fullPath;
      if (found.length < MAX_REMEMBERED) found.push({ group, kind: kind as LeftOutKind, name: name as string });
    }
    return found;
  }
}

/** Finds the placeholders of members who have no account here, or makes them. */
function prepareUnknown(people: People, lines: readonly Line[]): Promise<void> {
  const ids = lines.map(({ record }) => record.user_id).filter((id): id is number => Number.isSafeInteger(id));
  return people.prepare(ids.filter((id) => people.account(id) === null));
}

/** Settings of a group that an archive has. */
interface GroupSettings {
  name?: string;
  path?: string;
  visibility?: Visibility;
  maxArtifactsSize?: number;
  preventSharingGroupsOutsideHierarchy?: boolean;
}

/** What is set of the settings. */
function known(row: Row): GroupSettings {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

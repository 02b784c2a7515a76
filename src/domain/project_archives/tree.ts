import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from '#src/access/permissions/actor.ts';
import { snakeCase } from '#src/base/text.ts';
import { Again, type AgainOptions, LINKS, type NotUpdated } from '#src/domain/project_archives/again.ts';
import { checkedColumns, newIds, type Row } from '#src/domain/project_archives/columns.ts';
import { archivedColumns, KINDS, type Kind, SUBJECTS } from '#src/domain/project_archives/kinds.ts';
import { ArchiveInvalid, type Line, linesOf } from '#src/domain/project_archives/lines.ts';
import type { People, UnknownMember } from '#src/domain/project_archives/people.ts';
import { treeFile } from '#src/domain/project_archives/place.ts';
import { RULES, removeRulesOfNobody, settleRule } from '#src/domain/project_archives/rules.ts';
import {
  fieldsOf,
  type RememberedRecord,
  type SourceRecords,
  sourceKeyOf,
} from '#src/domain/project_archives/source_records.ts';
import { absentObjects } from '#src/git/objects/presence.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { factsOf } from '#src/platform/records/model.ts';

/** Something that was left out of an import. */
export interface FailedRelation {
  relation: string;
  line: number;
  message: string;
  /** When, in ISO 8601. */
  at: string;
}

/** A member of the imported project. */
export interface ImportedMember {
  userId: number;
  accessLevel: number;
  expiresAt: string | null;
}

/** What came of the records of an archive, besides the records. */
export interface ImportedTree {
  members: readonly ImportedMember[];
  /** Members who have no account here. */
  unknownMembers: readonly UnknownMember[];
  failed: readonly FailedRelation[];
  /** What of an update was not done. */
  notUpdated: readonly NotUpdated[];
  /** The merge requests that got a version by an update. */
  withNewVersion: ReadonlySet<number>;
}

export interface TreeOptions {
  tx: Transaction;
  context: Context;
  people: People;
  /** The unpacked archive. */
  directory: string;
  /** The project, here and in the archive. */
  projectId: number;
  /** Last part of its path here. */
  path: string;
  archivedId: unknown;
  /** The directory of its repository; null without one. */
  repository: string | null;
  signal: AbortSignal;
  /** What connects the records with those of their source; null for an archive, whose records have no lasting names. */
  source?: SourceRecords | null;
  /** Where some of them were imported before: they are brought up to date. */
  again?: Pick<AgainOptions, 'isWhole'> | null;
}

/** How many records are inserted at a time, and how many an archive may have in all. */
const BATCH_SIZE = 500;
const MAX_RECORDS = 2_000_000;
/** Kinds whose users are not authors, but get rights: never placeholders. */
export const OF_RIGHTS: ReadonlySet<string> = new Set(['members', 'approval_rule_users']);
/** How many things that were left out are remembered. */
const MAX_REMEMBERED_FAILURES = 100;
/** Kinds besides links of which somebody here may have made the same. */
const SHARED: ReadonlySet<string> = new Set(['award_emoji', 'release_links', 'issue_links']);
/** The position of a further assignee until all are counted anew. */
const BEHIND = 1_000_000;
/** References to what a record is nothing without. */
const BELONGS: ReadonlySet<string> = new Set([
  'issueId',
  'mergeRequestId',
  'labelId',
  'noteId',
  'releaseId',
  'protectedBranchId',
  'protectedTagId',
  'snippetId',
  'boardId',
  'sourceId',
  'targetId',
]);

/** Imports the records of an archive, in one transaction. */
export class TreeImport {
  readonly #options: TreeOptions;
  /** The IDs here of the records of each kind, by those in the archive; null for one that was left out. */
  readonly #ids = new Map<string, Map<number, number | null>>();
  /** The secrets here of attached files, by those in the archive. */
  readonly #secrets = new Map<string, string>();
  /** How many assignees of each record were imported. */
  readonly #positions = new Map<string, number>();
  readonly #titles = new Map<string, number>();
  readonly #iids = new Set<number>();
  readonly #members: ImportedMember[] = [];
  readonly #unknownMembers: UnknownMember[] = [];
  readonly #failed: FailedRelation[] = [];
  /** The lines of approval rules, by their IDs here. */
  readonly #ruleLines = new Map<number, Line>();
  readonly #again: Again | null;
  /** The protections that this import made. */
  readonly #newProtections = { protected_branches: [] as number[], protected_tags: [] as number[] };
  #left = MAX_RECORDS;

  constructor(options: TreeOptions) {
    this.#options = options;
    const { tx, projectId, source = null, again = null } = options;
    this.#again =
      source === null || again === null
        ? null
        : new Again({
            tx,
            projectId,
            source,
            isWhole: again.isWhole,
            idOf: (kind, old) => this.#idsOf(kind).get(old),
            setId: (kind, old, id) => this.#setId(kind, old, id),
            rowsOf: (kind, lines) => this.#rowsOf(kind, lines),
          });
  }

  /** Imports everything. Throws ArchiveInvalid, errors of the database, and the signal's reason. */
  async run(): Promise<ImportedTree> {
    for await (const { record } of this.#lines('uploads')) {
      if (typeof record.secret === 'string') this.#secrets.set(record.secret, randomBytes(16).toString('hex'));
    }
    if (this.#again) await this.#keepSecrets();
    const { people, tx, context, projectId } = this.#options;
    await people.placeIn(tx, context, { projectId });
    for (const kind of KINDS) {
      await this.#begin(kind);
      await this.#import(kind);
      await this.#end(kind);
    }
    await people.settle();
    const notUpdated = this.#again?.notUpdated ?? [];
    const withNewVersion = this.#again?.withNewVersion ?? new Set();
    return {
      ...{ members: this.#members, unknownMembers: this.#unknownMembers, failed: this.#failed },
      ...{ notUpdated, withNewVersion },
    };
  }

  /** Attached files that came before keep their addresses, so that texts that did not change lead to them. */
  async #keepSecrets(): Promise<void> {
    const { tx, projectId, source } = this.#options;
    for await (const some of source?.each('uploads') ?? []) {
      const ids = some.flatMap(({ recordId }) => recordId ?? []);
      const rows = await tx.upload.findMany({
        where: { projectId, id: { in: ids } },
        select: { id: true, secret: true },
      });
      const secrets = new Map(rows.map(({ id, secret }) => [id, secret]));
      for (const { key, recordId } of some) {
        const secret = secrets.get(recordId ?? 0);
        if (secret !== undefined && this.#secrets.has(key)) this.#secrets.set(key, secret);
      }
    }
  }

  /** The ID here of a record of the archive; null for one that was left out, or is not in it. */
  idOf(kind: string, old: number): number | null {
    return this.#ids.get(kind)?.get(old) ?? null;
  }

  #lines(name: string): AsyncGenerator<Line> {
    return linesOf(path.join(this.#options.directory, treeFile(name)), treeFile(name));
  }

  async #import(kind: Kind): Promise<void> {
    let batch: Line[] = [];
    /** What a record of the project itself goes before. */
    const later: Line[] = [];
    for await (const line of this.#lines(kind.name)) {
      this.#options.signal.throwIfAborted();
      if (--this.#left < 0) throw new ArchiveInvalid(`The archive has more than ${MAX_RECORDS} records.`);
      if (kind.hints.length > 0 && line.record.group_id != null) later.push(line);
      else batch.push(line);
      if (batch.length < BATCH_SIZE) continue;
      await this.#insert(kind, batch);
      batch = [];
    }
    await this.#insert(kind, batch);
    await this.#insert(kind, later);
  }

  async #insert(kind: Kind, given: readonly Line[]): Promise<void> {
    const lines = this.#again && given.length > 0 ? await this.#again.settle(kind, given) : given;
    if (lines.length === 0) return;
    const { tx, source = null } = this.#options;
    const taken: RememberedRecord[] = [];
    const hasId = archivedColumns(kind, factsOf(kind.model).key).includes('id') && kind.name !== 'discussions';
    const own = hasId ? await newIds(tx, kind, lines.length) : [];
    const rows: Row[] = [];
    const usable = await this.#withCommits(kind, lines);
    await this.#preparePeople(kind, lines);
    for (const [at, line] of lines.entries()) {
      const where = `Line ${line.number} of ${treeFile(kind.name)}`;
      const old = hasId ? line.record.id : null;
      if (hasId && !(Number.isSafeInteger(old) && !this.#idsOf(kind.name).has(old as number))) {
        throw new ArchiveInvalid(`${where} has no ID of its own.`);
      }
      const row = usable.has(line) ? await this.#row(kind, line, where) : null;
      const kept = row && (await this.#finish(kind, line, row, own[at] ?? 0));
      const remembered = source && this.#remembered(kind, line, kept, own[at] ?? null);
      if (remembered) taken.push(remembered);
      if (kept !== null) this.#again?.made(kind, kept);
      if (kept !== null && (kind.name === 'protected_branches' || kind.name === 'protected_tags'))
        this.#newProtections[kind.name].push(own[at] ?? 0);
      if (hasId) this.#setId(kind.name, old as number, kept === null ? null : ((kept.id as number) ?? own[at] ?? null));
      if (kept !== null && kept.id === undefined) rows.push(hasId ? { ...kept, id: own[at] } : kept);
      else if (kept !== null && !hasId) rows.push(kept);
    }
    if (source) await source.remember(kind.name, taken);
    if (rows.length === 0) return;
    const name = kind.model.charAt(0).toLowerCase() + kind.model.slice(1);
    const tables = tx as unknown as Record<string, { createMany(given: object): Promise<unknown> }>;
    // Somebody here may have put the same label on an issue.
    const skipDuplicates = this.#again !== null && (LINKS.has(kind.name) || SHARED.has(kind.name) || !hasId);
    await tables[name]?.createMany({ data: rows, skipDuplicates });
  }

  /** What is remembered of a record that was imported; null for one that was left out. */
  #remembered(kind: Kind, line: Line, kept: Row | null, id: number | null): RememberedRecord | null {
    const key = sourceKeyOf(line);
    if (key === null) return null;
    const fields = fieldsOf(kind.name, line.record);
    // Members are added in the end.
    if (kind.name === 'members') return { key, recordId: null, otherId: null, fields };
    if (kept === null) return null;
    if (id !== null || kept.id !== undefined) {
      return { key, recordId: (kept.id as number | undefined) ?? id, otherId: null, fields };
    }
    const of = (kept.issueId ?? kept.mergeRequestId ?? null) as number | null;
    return { key, recordId: of, otherId: (kept.labelId ?? kept.userId ?? null) as number | null, fields };
  }

  /** The columns of lines of one kind; null for those that are left out. */
  async #rowsOf(kind: Kind, lines: readonly Line[]): Promise<(Row | null)[]> {
    await this.#preparePeople(kind, lines);
    const rows: (Row | null)[] = [];
    for (const line of lines) rows.push(await this.#row(kind, line, `Line ${line.number} of ${treeFile(kind.name)}`));
    return rows;
  }

  /** The columns of a record; null where it is left out. Throws ArchiveInvalid. */
  async #row(kind: Kind, { record }: Line, where: string): Promise<Row | null> {
    const row: Row = await checkedColumns(kind, record, where, (text) => this.#withUploads(text));
    for (const [column, target] of Object.entries(kind.refs)) {
      const old = record[snakeCase(column)];
      row[column] = await this.#reference(target, old, `${where} refers by ${snakeCase(column)}`);
      // What it belongs to was left out, or deleted since it came.
      if (row[column] === null && old != null && BELONGS.has(column)) return null;
    }
    for (const [column, unknown] of Object.entries(kind.users)) {
      const id = record[snakeCase(column)];
      if (id === null || id === undefined) {
        if (unknown === 'importer') row[column] = this.#options.people.importer;
        continue;
      }
      if (!Number.isSafeInteger(id)) throw new ArchiveInvalid(`${where} has no user as ${snakeCase(column)}.`);
      const found = this.#user(kind, id as number);
      if (found === null && kind.name === 'members') this.#keepMember(id as number, row);
      if (found === null && unknown === 'dropped') return null;
      row[column] = found ?? (unknown === 'importer' ? this.#options.people.importer : null);
      if (found === null && kind.signed !== null && unknown === 'importer' && row.system !== true) {
        row[kind.signed] = `${this.#options.people.signature(id as number, record.created_at)}\n\n${row[kind.signed]}`;
      }
    }
    if (kind.ofSubject) {
      const subject = this.#subject(kind, record, where);
      if (subject === null) return null;
      Object.assign(row, subject);
    }
    if (kind.project !== null) row[kind.project] = this.#options.projectId;
    return row;
  }

  /** Finds who the users of records are: memberships alone give rights and are kept for users without an account. */
  async #preparePeople(kind: Kind, lines: readonly Line[]): Promise<void> {
    const { people } = this.#options;
    const isMembers = kind.name === 'members';
    if (OF_RIGHTS.has(kind.name) && !isMembers) return;
    const columns = Object.keys(kind.users).map(snakeCase);
    const named = lines.flatMap(({ record }) => columns.map((column) => record[column]));
    const ids = named.filter((id): id is number => Number.isSafeInteger(id));
    await people.prepare(isMembers ? ids.filter((id) => people.account(id) === null) : ids);
  }

  #keepMember(user: number, row: Row): void {
    const { accessLevel, expiresAt } = row as { accessLevel: number; expiresAt?: Date | null };
    const place = { projectId: this.#options.projectId };
    this.#unknownMembers.push({ user, place, accessLevel, expiresAt: expiresAt?.toISOString().slice(0, 10) ?? null });
  }

  #user(kind: Kind, id: number): number | null {
    const { people } = this.#options;
    return OF_RIGHTS.has(kind.name) ? people.account(id) : people.author(id);
  }

  /** A text in which attached files have their new addresses. */
  #withUploads(text: string): string {
    const { archivedId, projectId } = this.#options;
    return text.replace(
      /(\/-\/project\/(\d{1,10}))?\/uploads\/([0-9a-f]{32})\//g,
      (whole, prefix: string | undefined, id: string | undefined, secret: string) => {
        const now = this.#secrets.get(secret);
        if (now === undefined || (id !== undefined && Number(id) !== archivedId)) return whole;
        return `${prefix === undefined ? '' : `/-/project/${projectId}`}/uploads/${now}/`;
      },
    );
  }

  /** The ID here of a record that another one refers to. Throws ArchiveInvalid if the archive does not have it. */
  async #reference(target: string, id: unknown, where: string): Promise<number | null> {
    if (id === null || id === undefined) return null;
    if (!Number.isSafeInteger(id)) throw new ArchiveInvalid(`${where} to something without a number.`);
    const old = id as number;
    // A merge request from elsewhere has lost its source.
    if (target === 'project') return old === this.#options.archivedId ? this.#options.projectId : null;
    if (target === 'threads') return this.#thread('notes', 'Note', old);
    if (target === 'commit_threads') return this.#thread('commit_comments', 'CommitComment', old);
    const found = this.#idsOf(target).get(old);
    if (found === undefined)
      throw new ArchiveInvalid(`${where} to ${old} of ${target}, which the archive does not have.`);
    return found;
  }

  /** Threads have the ID of the note that began them, which may be gone: an ID that no note has stands for it then. */
  async #thread(notes: string, model: 'Note' | 'CommitComment', old: number): Promise<number> {
    const known = this.#idsOf(notes).get(old) ?? this.#idsOf(`gone ${notes}`).get(old);
    if (known != null) return known;
    const [id = 0] = await newIds(this.#options.tx, { model }, 1);
    this.#setId(`gone ${notes}`, old, id);
    return id;
  }

  /** What a note or an award is on; null if that was left out. */
  #subject(kind: Kind, record: Line['record'], where: string): Row | null {
    const { subject_type: type, subject_id: id } = record;
    const target = typeof type === 'string' ? SUBJECTS.get(type) : undefined;
    if (target === undefined || target === kind.name)
      throw new ArchiveInvalid(`${where} belongs to nothing that has notes.`);
    const found = this.#idsOf(target).get(id as number);
    if (found === undefined) {
      throw new ArchiveInvalid(`${where} belongs to ${String(id)} of ${target}, which the archive does not have.`);
    }
    return found === null ? null : { subjectType: type, subjectId: found };
  }

  /** What is particular about some kinds. Null leaves the record out; a record with an ID is there already. */
  async #finish(kind: Kind, line: Line, row: Row, id: number): Promise<Row | null> {
    const { tx, projectId, context, directory } = this.#options;
    if (kind.name === 'labels' || kind.name === 'milestones') {
      const title = `${kind.name} ${row.title}`;
      const there = this.#titles.get(title) ?? this.#again?.titled(String(row.title));
      if (there !== undefined) return { id: there };
      this.#titles.set(title, id);
      if (kind.name === 'milestones') row.iid = this.#freeIid(row.iid as number);
      return row;
    }
    if (kind.name === 'label_priorities') {
      await tx.label.update({ where: { id: row.labelId as number }, data: { priority: row.priority as number } });
      return null;
    }
    if (kind.name === 'issue_assignees' || kind.name === 'merge_request_assignees') {
      const of = `${kind.name} ${row.issueId ?? row.mergeRequestId}`;
      const position = this.#positions.get(of) ?? (this.#again ? BEHIND : 0);
      this.#positions.set(of, position + 1);
      return { ...row, position };
    }
    if (kind.name === 'notes') return this.#note(row);
    // What they are about was left out.
    const needed = { discussions: 'noteId', suggestions: 'noteId' }[kind.name];
    if (needed !== undefined && row[needed] === null) return null;
    if (kind.name === 'members') {
      const { userId, accessLevel, expiresAt } = row as { userId: number; accessLevel: number; expiresAt: Date | null };
      this.#members.push({ userId, accessLevel, expiresAt: expiresAt?.toISOString().slice(0, 10) ?? null });
      return null;
    }
    if (kind.name === 'uploads') {
      const { secret, fileName } = row as { secret: string; fileName: string };
      const file = path.join(directory, 'uploads', secret, fileName);
      const found = await stat(file).catch(() => null);
      if (!found) return this.#leaveOut(kind, line, 'The archive does not have the file.');
      const place = { projectId, secret: this.#secrets.get(secret) ?? '', fileName };
      await context.uploads.write(place, createReadStream(file), found.size);
      return { ...row, secret: place.secret, size: found.size };
    }
    if (kind.name === 'approval_rules') this.#ruleLines.set(id, line);
    if (!RULES.has(kind.name)) return row;
    const settled = await settleRule(this.#options, kind.name, row);
    return typeof settled === 'string' ? this.#leaveOut(kind, line, settled) : settled;
  }

  /** A note names the record that it tells of. */
  #note({ sourceType, sourceId, mention, ...row }: Row): Row | null {
    if (typeof sourceType !== 'string') return row;
    const source = { ...row, sourceType, sourceProjectId: this.#options.projectId };
    if (sourceType === 'Internal') return source;
    if (sourceType === 'Commit') {
      const sha = /[0-9a-f]{40}$/.exec(String(mention ?? ''))?.[0];
      return { ...source, mention: sha === undefined ? null : `Commit ${this.#options.projectId} ${sha}` };
    }
    const id = this.#idsOf(SUBJECTS.get(sourceType) ?? '').get(sourceId as number);
    // Nobody would see it.
    if (id == null) return null;
    return { ...source, sourceId: id, mention: mention == null ? null : `${sourceType} ${id}` };
  }

  #freeIid(wanted: number): number {
    const iid = this.#iids.has(wanted) ? Math.max(...this.#iids) + 1 : wanted;
    this.#iids.add(iid);
    return iid;
  }

  /** The lines of versions whose commits are in the repository; of other kinds all. */
  async #withCommits(kind: Kind, lines: readonly Line[]): Promise<Set<Line>> {
    if (kind.name !== 'merge_request_versions') return new Set(lines);
    const shas = ({ record }: Line) =>
      [record.head_commit_sha, record.start_commit_sha, record.base_commit_sha].flatMap((sha) =>
        typeof sha === 'string' ? [sha] : [],
      );
    const { repository } = this.#options;
    const wanted = [...new Set(lines.flatMap(shas))];
    const absent = new Set(repository === null ? wanted : await absentObjects(repository, wanted));
    return new Set(
      lines.filter((line) => {
        const isThere = !shas(line).some((sha) => absent.has(sha));
        if (!isThere) this.#leaveOut(kind, line, 'The repository of the archive does not have its commits.');
        return isThere;
      }),
    );
  }

  #leaveOut({ name }: Kind, { number }: Line, message: string): null {
    if (this.#failed.length < MAX_REMEMBERED_FAILURES) {
      this.#failed.push({ relation: name, line: number, message, at: new Date().toISOString() });
    }
    return null;
  }

  /** Removes what triggers have made. */
  async #begin(kind: Kind): Promise<void> {
    const { name } = kind;
    const { tx, projectId } = this.#options;
    if (this.#again) return this.#beginAgain(kind);
    if (name === 'boards') await tx.board.deleteMany({ where: { projectId } });
    if (name === 'protected_branch_levels') {
      await tx.protectedBranchLevel.deleteMany({ where: { protectedBranch: { projectId } } });
    }
    if (name === 'protected_tag_levels') {
      await tx.protectedTagLevel.deleteMany({ where: { protectedTag: { projectId } } });
    }
  }

  /** As #begin, where there is more than what was imported. */
  async #beginAgain(kind: Kind): Promise<void> {
    const { tx, projectId } = this.#options;
    await this.#again?.begin(kind);
    if (kind.name === 'milestones') {
      for (const { iid } of await tx.milestone.findMany({ where: { projectId }, select: { iid: true } }))
        this.#iids.add(iid);
    }
    const { protected_branches: branches, protected_tags: tags } = this.#newProtections;
    if (kind.name === 'protected_branch_levels' && branches.length > 0) {
      await tx.protectedBranchLevel.deleteMany({ where: { protectedBranchId: { in: branches } } });
    }
    if (kind.name === 'protected_tag_levels' && tags.length > 0) {
      await tx.protectedTagLevel.deleteMany({ where: { protectedTagId: { in: tags } } });
    }
  }

  async #end(kind: Kind): Promise<void> {
    const { name } = kind;
    const { tx, projectId } = this.#options;
    if (this.#again) {
      await this.#again.end(kind);
      await settleAssignees(tx, projectId, name);
      return;
    }
    if (name === 'approval_rule_users') {
      const nobodys = await removeRulesOfNobody(tx, projectId);
      for (const id of nobodys) {
        const line = this.#ruleLines.get(id);
        const rules = KINDS.find((one) => one.name === 'approval_rules');
        if (line && rules) this.#leaveOut(rules, line, 'Nobody whom the rule names has an account here.');
      }
    }
    if (name === 'issue_assignees') {
      await tx.$executeRaw`UPDATE issues i SET assignee_id = a.user_id FROM issue_assignees a
        WHERE i.project_id = ${projectId} AND a.issue_id = i.id AND a.position = 0`;
    }
    if (name === 'merge_request_assignees') {
      await tx.$executeRaw`UPDATE merge_requests m SET assignee_id = a.user_id FROM merge_request_assignees a
        WHERE m.target_project_id = ${projectId} AND a.merge_request_id = m.id AND a.position = 0`;
    }
  }

  #idsOf(kind: string): Map<number, number | null> {
    return this.#ids.get(kind) ?? new Map();
  }

  #setId(kind: string, old: number, id: number | null): void {
    const known = this.#ids.get(kind) ?? new Map<number, number | null>();
    this.#ids.set(kind, known.set(old, id));
  }
}

/** Counts the assignees of issues or merge requests from 0 where some came or went, and has the first one be the assignee. */
async function settleAssignees(tx: Transaction, projectId: number, kind: string): Promise<void> {
  if (kind === 'issue_assignees') {
    await tx.$executeRaw`
      WITH counted AS (SELECT a.issue_id, a.user_id,
          row_number() OVER (PARTITION BY a.issue_id ORDER BY a.position, a.user_id)::int - 1 AS position
        FROM issue_assignees a JOIN issues i ON i.id = a.issue_id WHERE i.project_id = ${projectId})
      UPDATE issue_assignees a SET position = c.position FROM counted c
      WHERE a.issue_id = c.issue_id AND a.user_id = c.user_id AND a.position <> c.position`;
    await tx.$executeRaw`
      UPDATE issues i SET assignee_id = f.user_id FROM issues o
      LEFT JOIN issue_assignees f ON f.issue_id = o.id AND f.position = 0
      WHERE o.project_id = ${projectId} AND i.id = o.id AND i.assignee_id IS DISTINCT FROM f.user_id`;
  }
  if (kind === 'merge_request_assignees') {
    await tx.$executeRaw`
      WITH counted AS (SELECT a.merge_request_id, a.user_id,
          row_number() OVER (PARTITION BY a.merge_request_id ORDER BY a.position, a.user_id)::int - 1 AS position
        FROM merge_request_assignees a JOIN merge_requests m ON m.id = a.merge_request_id WHERE m.target_project_id = ${projectId})
      UPDATE merge_request_assignees a SET position = c.position FROM counted c
      WHERE a.merge_request_id = c.merge_request_id AND a.user_id = c.user_id AND a.position <> c.position`;
    await tx.$executeRaw`
      UPDATE merge_requests m SET assignee_id = f.user_id FROM merge_requests o
      LEFT JOIN merge_request_assignees f ON f.merge_request_id = o.id AND f.position = 0
      WHERE o.target_project_id = ${projectId} AND m.id = o.id AND m.assignee_id IS DISTINCT FROM f.user_id`;
  }
}

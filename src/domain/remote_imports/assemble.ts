import { copyFile, link, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { prepareDirectory } from '#src/domain/project_archives/import_directory.ts';
import { AVATAR, PROJECT, REPOSITORY, USERS, WIKI } from '#src/domain/project_archives/place.ts';
import { AssembledMergeRequests } from '#src/domain/remote_imports/assemble_merge_requests.ts';
import { type RewriteRules, rewrite } from '#src/domain/remote_imports/base/rewrite.ts';
import type { LeftOut, RemoteProject, TextRules } from '#src/domain/remote_imports/base/source.ts';
import { FILES } from '#src/domain/remote_imports/files.ts';
import { LFS } from '#src/domain/remote_imports/lfs_objects.ts';
import { type Overview, readOverview, type SubjectType } from '#src/domain/remote_imports/overview.ts';
import { PassedRecords } from '#src/domain/remote_imports/passed_records.ts';
import type { Staging } from '#src/domain/remote_imports/staging.ts';
import { TreeWriter } from '#src/domain/remote_imports/tree_writer.ts';
import { isLfsOid } from '#src/domain/uploads/lfs/objects.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';

export interface AssembleOptions {
  staging: Staging;
  project: RemoteProject;
  texts: TextRules;
  /** The address of this server, without final slash. */
  baseUrl: string;
  /** The fetched repository; null without one. */
  reader: RepositoryReader | null;
  signal: AbortSignal;
}

type Given = Readonly<Record<string, unknown>>;

/** The directory of the archive in a staging. */
export const ARCHIVE = 'archive';

/** Makes the files of an archive of all that was staged, anew. Returns its directory, and what was left out. */
export async function assemble(options: AssembleOptions): Promise<{ directory: string; leftOut: readonly LeftOut[] }> {
  const { staging, project } = options;
  const directory = path.join(staging.directory, ARCHIVE);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
  await prepareDirectory(directory);
  for (const name of [REPOSITORY, WIKI, AVATAR])
    await place(path.join(staging.directory, name), path.join(directory, name));
  await placeAll(path.join(staging.directory, LFS), path.join(directory, LFS));
  const { id, name, slug, settings } = project;
  await writeFile(path.join(directory, PROJECT), JSON.stringify({ id, name, path: slug, ...settings }));
  const assembly = new Assembly(options, directory, await readOverview(staging));
  return { directory, leftOut: await assembly.run() };
}

/** Gives the files of a directory, if it is there, another place. */
async function placeAll(from: string, to: string): Promise<void> {
  const names = await readdir(from).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  // What was being fetched when the process ended is no object yet.
  for (const name of names) if (isLfsOid(name)) await place(path.join(from, name), path.join(to, name));
}

/** Gives a file another name, if it is there. */
async function place(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return;
    // Not every file system has links.
    await copyFile(from, to);
  });
}

class Assembly {
  readonly #options: AssembleOptions;
  readonly #directory: string;
  readonly #overview: Overview;
  readonly #tree: TreeWriter;
  readonly #rules: RewriteRules;
  readonly #mergeRequests: AssembledMergeRequests;
  readonly #passed: PassedRecords;
  /** Closings that events tell of, as the last thing that happened to an issue. */
  readonly #closed = new Set<number>();
  readonly #protected = new Set<unknown>();
  #milestones = 0;

  constructor(options: AssembleOptions, directory: string, overview: Overview) {
    const { project, texts, reader } = options;
    this.#options = options;
    this.#directory = directory;
    this.#overview = overview;
    this.#tree = new TreeWriter(directory);
    this.#rules = {
      web: project.web,
      path: project.path,
      isMergeRequest: texts.sharesNumbers ? (number) => overview.mergeRequests.has(number) : null,
      attached: (address) => overview.files.get(address) ?? null,
      attachments: texts.attachments(project.server),
    };
    this.#mergeRequests = new AssembledMergeRequests(this.#tree, overview, reader, (text) => this.#text(text));
    const urlOf = (address: string) => {
      const place = overview.files.get(address);
      return place === undefined ? null : this.#addressOf(place);
    };
    this.#passed = new PassedRecords(this.#tree, (text) => this.#text(text), urlOf);
    for (const { subject, state, type } of overview.states) {
      if (type === 'MergeRequest') continue;
      if (state === 'closed') this.#closed.add(subject);
      if (state === 'reopened') this.#closed.delete(subject);
    }
  }

  async run(): Promise<readonly LeftOut[]> {
    const { staging, signal, project } = this.#options;
    const { host } = new URL(project.server);
    for (const [id, { username, name, email }] of this.#overview.users) {
      await this.#tree.once(USERS, id, { id, username, name, email, host });
    }
    for await (const { kind, record } of staging.records()) {
      signal.throwIfAborted();
      await this.#write(kind, record);
    }
    await this.#events();
    await this.#mergeRequests.end();
    await this.#tree.end();
    return [...this.#mergeRequests.leftOut, ...this.#passed.leftOut];
  }

  #text(text: unknown): string | null {
    return typeof text === 'string' ? rewrite(text, this.#rules) : null;
  }

  async #write(kind: string, record: Given): Promise<void> {
    const id = record.id as number;
    switch (kind) {
      case 'labels':
      case 'members':
        await this.#tree.once(kind, id, record);
        return;
      case 'milestones':
        await this.#milestone(record);
        return;
      case 'releases':
        await this.#tree.once(kind, id, { ...record, description: this.#text(record.description) });
        return;
      case 'issues':
        await this.#issue(record);
        return;
      case 'issue_labels':
        await this.#tree.once(kind, `${record.issue_id} ${record.label_id}`, record);
        return;
      case 'issue_assignees':
        await this.#tree.once(kind, `${record.issue_id} ${record.user_id}`, record);
        return;
      case 'notes':
        await this.#note(record);
        return;
      case 'uploads':
        await this.#upload(record);
        return;
      case 'branch_protections':
        await this.#protectedBranch(record);
        return;
      default:
        if (!(await this.#passed.write(kind, record))) await this.#mergeRequests.write(kind, record);
    }
  }

  /** A milestone: where they have no numbers, they are counted. */
  async #milestone(record: Given): Promise<void> {
    const iid = record.iid ?? this.#milestones + 1;
    const numbered = { ...record, iid, description: this.#text(record.description) };
    if (await this.#tree.once('milestones', record.id as number, numbered)) this.#milestones += 1;
  }

  async #issue(record: Given): Promise<void> {
    const { state, updated_at: updatedAt } = record;
    const id = record.id as number;
    const isNew = await this.#tree.once('issues', id, { ...record, description: this.#text(record.description) });
    if (!isNew || state !== 'closed' || this.#closed.has(id)) return;
    // No event tells when it was closed.
    const created = (record.closed_at as string | null | undefined) ?? updatedAt;
    await this.#tree.add('state_events', `closed ${id}`, {
      issue_id: id,
      user_id: null,
      state: 'closed',
      created_at: created,
    });
  }

  async #note(record: Given): Promise<void> {
    const type = this.#subjectType(record.subject_type, record.subject_id as number);
    // The record came after its list was read, or is of a part that was not wanted.
    if (type === null) return;
    const body = record.system === true ? record.body : this.#text(record.body);
    if (body === '') return;
    await this.#tree.once('notes', record.id as number, { ...record, subject_type: type, body });
  }

  #subjectType(type: unknown, id: number): string | null {
    const { issues, mergeRequests } = this.#overview;
    if (type === 'Snippet') return this.#tree.has('snippets', id) ? type : null;
    if (type !== 'Issue' && mergeRequests.has(id)) return 'MergeRequest';
    return type !== 'MergeRequest' && issues.has(id) ? 'Issue' : null;
  }

  async #upload(record: Given): Promise<void> {
    const { address: _address, release_id: releaseId, title, ...upload } = record;
    const { secret, file_name: name } = upload as Record<string, string>;
    if (!(await this.#tree.once('uploads', String(secret), upload))) return;
    const folder = path.join(this.#directory, 'uploads', String(secret));
    await mkdir(folder, { recursive: true });
    const from = path.join(this.#options.staging.directory, FILES, String(secret), String(name));
    await place(from, path.join(folder, String(name)));
    if (releaseId == null) return;
    const url = this.#addressOf(`/uploads/${secret}/${name}`);
    const linked = { release_id: releaseId, name: title, url, type: 'other', created_at: record.created_at };
    await this.#tree.add('release_links', `${releaseId} ${secret}`, linked);
  }

  /** The whole address of an attached file. */
  #addressOf(place: string): string {
    return `${this.#options.baseUrl}/-/project/${this.#options.project.id}${place}`;
  }

  async #protectedBranch(record: Given): Promise<void> {
    const { name, allow_force_push, code_owner_approval_required, push_level, merge_level } = record;
    if (this.#protected.has(name)) return;
    this.#protected.add(name);
    const id = await this.#tree.add('protected_branches', String(name), {
      name,
      allow_force_push,
      code_owner_approval_required,
    });
    for (const [action, level] of [
      ['push', push_level],
      ['merge', merge_level],
    ]) {
      await this.#tree.add('protected_branch_levels', `${name} ${action}`, {
        protected_branch_id: id,
        action,
        access_level: level,
      });
    }
  }

  async #events(): Promise<void> {
    const { states, labelings, labels } = this.#overview;
    for (const { id, subject, type, userId, state, at } of states) {
      const on = this.#either(subject, type);
      if (on) await this.#tree.add('state_events', `${type} ${id}`, { ...on, user_id: userId, state, created_at: at });
    }
    for (const { id, subject, type, userId, action, label, at } of labelings) {
      const on = this.#either(subject, type);
      const labelId = labels.get(label);
      if (!on || labelId === undefined) continue;
      await this.#tree.add('label_events', `${type} ${id}`, {
        ...on,
        user_id: userId,
        action,
        label_id: labelId,
        created_at: at,
      });
    }
  }

  #either(number: number, of: SubjectType): { issue_id: number } | { merge_request_id: number } | null {
    const type = this.#subjectType(of, number);
    if (type === null) return null;
    return type === 'Issue' ? { issue_id: number } : { merge_request_id: number };
  }
}

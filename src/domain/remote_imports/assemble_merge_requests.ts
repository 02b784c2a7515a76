import type { LeftOut } from '#src/domain/remote_imports/base/source.ts';
import {
  checkedLine,
  type LineComment,
  positionsOf,
  suggestionsIn,
  withSuggestions,
} from '#src/domain/remote_imports/line_comments.ts';
import type { Overview } from '#src/domain/remote_imports/overview.ts';
import { ThreadLines } from '#src/domain/remote_imports/thread_lines.ts';
import type { TreeWriter } from '#src/domain/remote_imports/tree_writer.ts';
import type { DiffPosition } from '#src/domain/tracking/discussions/position.ts';
import { measureVersion, type Version } from '#src/domain/tracking/merge_requests/version.ts';
import { GitError, isLimit } from '#src/git/base/errors.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { diffTrees } from '#src/git/diff/diff.ts';

type Given = Readonly<Record<string, unknown>>;

/** The state of the review of a user. */
interface Review {
  state: string;
  created_at: unknown;
  /** Whether it is all that its source knows: approvals come by themselves. */
  isWhole?: boolean;
}

/** A thread of a merge request, with its ID, which is that of its first note. */
interface WholeThread {
  id: number;
  merge_request_id: number;
  /** Null for one that is on no line. */
  position: DiffPosition | null;
  resolved_at: string | null;
  resolved_by_id: number | null;
  commit_sha: string | null;
}

/** Writes merge requests, their versions, reviews and the comments on their lines. */
export class AssembledMergeRequests {
  readonly #tree: TreeWriter;
  readonly #overview: Overview;
  readonly #reader: RepositoryReader | null;
  readonly #textOf: (text: unknown) => string | null;
  readonly #versions = new Map<number, Pick<Version, 'head' | 'base' | 'start'>>();
  readonly #authors = new Map<number, unknown>();
  /** The reviews by merge request and user. */
  readonly #reviews = new Map<string, Review>();
  /** The old paths of files that a merge request renames, by its number and the new paths. */
  readonly #renames = new Map<number, Promise<ReadonlyMap<string, string>>>();
  /** The notes that began threads. */
  readonly #threads = new Set<number>();
  readonly #lines: ThreadLines;
  readonly leftOut: LeftOut[] = [];

  constructor(
    tree: TreeWriter,
    overview: Overview,
    reader: RepositoryReader | null,
    textOf: (text: unknown) => string | null,
  ) {
    this.#tree = tree;
    this.#overview = overview;
    this.#reader = reader;
    this.#textOf = textOf;
    this.#lines = new ThreadLines(reader);
  }

  /** Writes a record, if it is one of a merge request. */
  async write(kind: string, record: Given): Promise<void> {
    const of = record.merge_request_id as number;
    if (kind === 'merge_requests') await this.#mergeRequest(record);
    else if (kind === 'versions') await this.#version(of, record);
    else if (kind === 'line_comments') await this.#lineComment(record as unknown as LineComment & Given);
    else if (kind === 'threads') await this.#thread(record as unknown as WholeThread);
    else if (kind === 'reviewer_states') {
      this.#reviews.set(`${of} ${record.user_id}`, { ...(record as unknown as Review), isWhole: true });
    } else if (kind === 'reviews') this.#review(of, record);
    else if (kind === 'merge_request_labels') {
      await this.#tree.once(kind, `${of} ${record.label_id}`, record);
    } else if (kind === 'merge_request_assignees') {
      await this.#tree.once(kind, `${of} ${record.user_id}`, record);
    } else if (kind === 'merge_request_reviewers') {
      // Who was asked, or asked again, and has not answered since.
      const key = `${of} ${record.user_id}`;
      const { state, created_at = null } = record;
      this.#reviews.set(key, { state: String(state), created_at, ...this.#reviews.get(key) });
    }
  }

  /** Writes what is known of reviewers in the end alone. */
  async end(): Promise<void> {
    for (const [key, { state, created_at, isWhole = false }] of this.#reviews) {
      const [mergeRequest = 0, user = 0] = key.split(' ').map(Number);
      if (!this.#overview.mergeRequests.has(mergeRequest)) continue;
      const own = { merge_request_id: mergeRequest, user_id: user, ...(created_at != null && { created_at }) };
      if (isWhole || this.#authors.get(mergeRequest) !== user)
        await this.#tree.add('merge_request_reviewers', key, { ...own, state });
      if (state === 'approved' && !isWhole) await this.#tree.add('merge_request_approvals', key, own);
    }
  }

  async #mergeRequest(record: Given): Promise<void> {
    const id = record.id as number;
    this.#authors.set(id, record.author_id);
    const merge_user_id = this.#overview.mergers.get(id) ?? record.merge_user_id ?? null;
    const closer = this.#overview.closers.get(id) ?? record.closed_by_id ?? null;
    const closed_by_id = record.state === 'closed' ? closer : null;
    const description = this.#textOf(record.description);
    await this.#tree.once('merge_requests', id, { ...record, description, merge_user_id, closed_by_id });
  }

  async #version(id: number, record: Given): Promise<void> {
    if (this.#versions.has(id)) return;
    const version = await this.#measured(record);
    if (version === null) {
      this.leftOut.push({ kind: 'merge_request_versions', name: String(id), message: ABSENT });
      return;
    }
    const { head, base, start, realSize, patchIdSha, commits } = version;
    this.#versions.set(id, { head, base, start });
    await this.#tree.once('merge_request_versions', `${id} ${head}`, {
      id,
      merge_request_id: id,
      head_commit_sha: head,
      base_commit_sha: base,
      start_commit_sha: start,
      real_size: realSize,
      patch_id_sha: patchIdSha,
      state: 'collected',
      commits_stored: true,
      created_at: record.created_at,
    });
    for (const sha of commits) await this.#tree.write('merge_request_commits', { merge_request_id: id, sha });
  }

  /** What a merge request changes; null if the repository lacks its commits. */
  async #measured({ head, start, merge }: Given): Promise<Version | null> {
    const reader = this.#reader;
    if (reader === null || typeof head !== 'string' || typeof start !== 'string') return null;
    try {
      const commit = await reader.commit(head);
      if (commit === null) return null;
      if ((await reader.commit(start)) !== null) return await measureVersion(reader, { head, start });
      // The target branch was rewritten: what was merged has its parent.
      const merged = typeof merge === 'string' ? await reader.commit(merge) : null;
      const parent = merged?.parents[0] ?? commit.parents[0];
      return parent === undefined ? null : await measureVersion(reader, { head, start: parent });
    } catch (error) {
      if (error instanceof GitError || isLimit(error, 'work')) return null;
      throw error;
    }
  }

  async #lineComment(comment: LineComment & Given): Promise<void> {
    const { id, merge_request_id: on, answers, author_id, created_at, updated_at, lines_above: above } = comment;
    if (!this.#overview.mergeRequests.has(on)) return;
    const isAnswer = answers !== null && this.#threads.has(answers);
    const body = this.#textOf(withSuggestions(comment.body, above));
    if (body === null || body === '') return;
    const note = {
      id,
      subject_type: 'MergeRequest',
      subject_id: on,
      author_id,
      body,
      system: false,
      created_at,
      updated_at,
    };
    const of = isAnswer ? { discussion_id: answers } : { starts_thread: true };
    if (!(await this.#tree.once('notes', id, { ...note, ...of }))) return;
    const version = this.#versions.get(on) ?? null;
    const renames = version === null ? null : await this.#renamesOf(on, version);
    const oldPathOf = (path: string) => renames?.get(path) ?? path;
    const checked = await checkedLine(this.#reader, comment, version, oldPathOf(comment.path));
    const positions = positionsOf(checked, version, oldPathOf);
    for (const [at, suggestion] of (await suggestionsIn(this.#reader, body, positions.position)).entries()) {
      await this.#tree.add('suggestions', `${id} ${at}`, { note_id: id, ...suggestion });
    }
    if (isAnswer) return;
    this.#threads.add(id);
    const versionId = version === null || positions.original_position === undefined ? null : on;
    await this.#tree.once('discussions', id, {
      id,
      merge_request_id: on,
      note_id: id,
      version_id: versionId,
      ...(comment.resolved_by_id != null && { resolved_by_id: comment.resolved_by_id, resolved_at: updated_at }),
      ...positions,
    });
  }

  /** A thread whose place its source tells whole. */
  async #thread({ position, ...thread }: WholeThread): Promise<void> {
    const { id, merge_request_id: on } = thread;
    if (!this.#overview.mergeRequests.has(on) || !this.#tree.has('notes', id)) return;
    const version = this.#versions.get(on) ?? null;
    const isCurrent = position !== null && position.headSha === version?.head;
    const placed = {
      original_position: position,
      position: isCurrent ? position : null,
      version_id: isCurrent ? on : null,
      diff_lines: position === null ? null : await this.#lines.of(position),
    };
    await this.#tree.once('discussions', id, { ...thread, note_id: id, ...(position !== null && placed) });
  }

  #renamesOf(id: number, version: Pick<Version, 'head' | 'base' | 'start'>): Promise<ReadonlyMap<string, string>> {
    const found = this.#renames.get(id) ?? this.#readRenames(version);
    this.#renames.set(id, found);
    return found;
  }

  async #readRenames({
    head,
    base,
    start,
  }: Pick<Version, 'head' | 'base' | 'start'>): Promise<ReadonlyMap<string, string>> {
    if (this.#reader === null) return new Map();
    try {
      const { entries } = await diffTrees(this.#reader, base ?? start, head, { text: false });
      return new Map(entries.flatMap(({ oldPath, newPath }) => (oldPath === newPath ? [] : [[newPath, oldPath]])));
    } catch (error) {
      if (error instanceof GitError || isLimit(error, 'work')) return new Map();
      throw error;
    }
  }

  /** A comment does not take back what its author decided before. */
  #review(of: number, { user_id: user, state, created_at }: Given): void {
    const key = `${of} ${user}`;
    const before = this.#reviews.get(key);
    const decided = ['approved', 'requested_changes'].includes(before?.state ?? '');
    if (state === 'reviewed' && decided) return;
    this.#reviews.set(key, { state: String(state), created_at });
  }
}

const ABSENT = 'The repository does not have its commits.';

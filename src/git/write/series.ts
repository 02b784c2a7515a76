import { yieldToEventLoop } from '#src/base/event_loop.ts';
import { MissingObject } from '../base/errors.ts';
import { EMPTY_TREE, type Oid, type Signature } from '../base/model.ts';
import type { RepositoryReader } from '../base/reader.ts';
import { checkWritten } from '../incoming/check_written.ts';
import type { PackKeepLock } from '../incoming/pack_keep_lock.ts';
import { type Action, applyActions } from './actions.ts';
import { DraftTree } from './draft.ts';
import { encodeCommit } from './encode.ts';
import { NothingChanged } from './errors.ts';
import { ObjectWriter } from './objects.ts';
import { PendingTrees } from './pending_trees.ts';

/** A commit of file actions. */
export interface CommitInput {
  actions: Action[];
  author: Signature;
  committer: Signature;
  message: string;
  /** Whether the files may stay as they are. */
  allowEmpty?: boolean;
}

/**
 * Commits that follow each other and are written together. Each is made on the one before as if that were in the repository
 * already; nothing of them is on disk before `flush`.
 */
export class CommitSeries {
  readonly reader: RepositoryReader;
  readonly keepLock: PackKeepLock | undefined;
  readonly #objects: ObjectWriter;
  #tip: Oid | null;
  /** The tree of the tip, once it was asked for. */
  #tree: Oid | null = null;

  /** @param tip the commit that the first one is to follow; null for the first commit of the repository */
  constructor(reader: RepositoryReader, tip: Oid | null, keepLock?: PackKeepLock) {
    this.reader = reader;
    this.keepLock = keepLock;
    this.#objects = new ObjectWriter(reader.directory, keepLock);
    this.#tip = tip;
  }

  /** The last commit of the series; before the first one what that is to follow. */
  get tip(): Oid | null {
    return this.#tip;
  }

  /**
   * Adds a commit of file actions. Throws ActionFailed for the first that cannot be done, NothingChanged, and RefusedObjects
   * for what would be refused in a push as well; the series is as it was then.
   */
  async add({ actions, author, committer, message, allowEmpty = false }: CommitInput): Promise<Oid> {
    await yieldToEventLoop();
    const parent = this.#tip;
    const base = await this.#base();
    const objects = new ObjectWriter(this.reader.directory);
    const draft = new DraftTree(new PendingTrees(this.reader, this.#objects), base);
    await applyActions(draft, objects, actions);
    const tree = draft.write(objects);
    if (tree === base && !allowEmpty) throw new NothingChanged('The actions change nothing');
    const parents = parent === null ? [] : [parent];
    const oid = objects.add('commit', encodeCommit({ tree, parents, author, committer, message }));
    // What it leads to has to be there for the check: the commits before it are not on disk yet.
    if (draft.needsCheck) {
      await checkWritten(this.reader.directory, new Map([...this.#objects.added, ...objects.added]));
    }
    this.#objects.adopt(objects);
    // What was not written anew is in the tree of the parent.
    this.keepLock?.markComplete(oid, parent);
    this.#tip = oid;
    this.#tree = tree;
    return oid;
  }

  /** Does actions without adding anything. Throws ActionFailed for the first that cannot be done. */
  async rehearse(actions: Action[]): Promise<void> {
    const draft = new DraftTree(new PendingTrees(this.reader, this.#objects), await this.#base());
    await applyActions(draft, new ObjectWriter(this.reader.directory), actions);
  }

  /** Adds a commit on the tip that is on disk already. */
  follow(oid: Oid): void {
    this.#tip = oid;
    this.#tree = null;
  }

  /** Writes the commits; they are synced to the disk when this returns. */
  flush(): Promise<void> {
    return this.#objects.flush();
  }

  async #base(): Promise<Oid> {
    if (this.#tip === null) return EMPTY_TREE;
    this.#tree ??= (await this.reader.commit(this.#tip))?.tree ?? null;
    if (this.#tree === null) throw new MissingObject(this.#tip, 'commit');
    return this.#tree;
  }
}

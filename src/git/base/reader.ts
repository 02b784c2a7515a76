import type { Readable } from 'node:stream';
import type { BlameHunk, BlameQuery } from './blame.ts';
import type { Changes, ChangesOptions, Compared, Comparison } from './comparison.ts';
import type { LineChange, LineHistoryQuery } from './line_history.ts';
import type {
  Branch,
  Commit,
  CommitParents,
  CommitSignature,
  DatedCommit,
  EntryType,
  Oid,
  Tag,
  TreeEntry,
} from './model.ts';
import type { PatchQuery } from './patch.ts';
import type { FileHits, FileSearch, MessageHits, MessageSearch } from './search.ts';

/** Which commits a log holds: those reachable from `start`, newest first, as `git log` orders and simplifies them. */
export interface LogQuery {
  start: Oid;
  /** Other commits from which the walk begins, too. */
  also?: readonly Oid[] | undefined;
  /** A commit that is left out with all that it reaches. */
  not?: Oid | undefined;
  /** Only commits of authors with this text in `Name <address>`. */
  author?: string | undefined;
  /** Whether merges are followed to their first parent alone. */
  firstParent?: boolean | undefined;
  /** Whether no commit comes before those that are made on it, and lines of history stay together. */
  topological?: boolean | undefined;
  /** Only commits that changed this file or directory; the empty path is no restriction. */
  path?: string | undefined;
  /** Only commits committed at or after this time, in seconds since 1970. The walk ends at the first older one. */
  since?: number | undefined;
  /** Only commits committed at or before this time, in seconds since 1970. */
  until?: number | undefined;
}

export interface Page {
  offset?: number;
  limit?: number;
}

export interface Contributor {
  /** As in the newest commit. */
  name: string;
  /** What commits are grouped by. */
  email: string;
  commits: number;
  /** Lines added and removed by these commits; 0 unless lines were asked for. */
  additions: number;
  deletions: number;
}

export interface ContributorsQuery {
  tip: Oid;
  /** Leaves out what this commit can reach: to add to an answer that is known for it. */
  since?: Oid | undefined;
  /** Counts lines as well, which needs the diff of every commit. */
  lines?: boolean | undefined;
  /** How many commits to look at, the newest; all without. */
  limit?: number | undefined;
  /** Whether no client waits for the result: one program then counts the lines, which leaves the other cores to requests. */
  ahead?: boolean | undefined;
}

/** Which files of a commit are meant. Paths are from the root, without slashes at the ends. */
export interface TreePart {
  /** The directory that is the root; that of the commit when empty or absent. */
  root?: string | undefined;
  /** A file or directory: only what is there; everything when empty or absent. */
  path?: string | undefined;
  /** Files and directories that are left out. */
  exclude?: readonly string[] | undefined;
}

/** Which entries of a directory are asked for, and how long to look for their commits. */
export interface LastCommitsQuery {
  start: Oid;
  /** The directory. */
  path: string;
  /** Names in it. */
  names: readonly string[];
  /** How many commits to look at. */
  steps: number;
  milliseconds: number;
}

export interface FoundCommits {
  /** By name. */
  commits: Map<string, Oid>;
  /** Whether all were found. */
  isWhole: boolean;
}

/** How much lies below a directory, whatever path leads there. */
export type TreeCounts = Readonly<Record<EntryType, number>> & {
  /** Of all files together, in bytes; 0 unless sizes were asked for. */
  readonly bytes: number;
};

/** The part of a listing that is wanted. */
export interface TreePageRequest {
  /** Whether all that lies below is listed too. */
  recursive: boolean;
  offset: number;
  limit: number;
}

/** A part of a listing. */
export interface TreePage {
  entries: TreeEntry[];
  /** How many entries the whole listing has. */
  total: number;
}

/** Who looks for a revision. */
export interface ResolveOptions {
  /** Whether the refs of merge requests are to be seen. */
  mergeRequests?: boolean | undefined;
  /** Does what may go through a long history, when its turn has come. */
  labour?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
}

/** What one commit has that another one has not. */
export interface Divergence {
  /** The commits, newest first, no more than were asked for. */
  commits: Oid[];
  /** Where both parted, their best common ancestor; null if their histories are unrelated. */
  base: Oid | null;
}

/**
 * Reads one bare repository. Paths and ref names are strings as in names.ts. A reader sees at any time what is on disk,
 * and may be used by many callers at once.
 */
export interface RepositoryReader {
  readonly directory: string;

  /** The branch that HEAD names, whether or not it exists; null when HEAD is detached. */
  defaultBranch(): Promise<string | null>;

  /**
   * The commit for a whole hash, a branch, a tag, a full ref name, the beginning of a hash (7 digits or more) or `HEAD`, in this
   * order, and from there along steps such as `~3` or `^2`. Refs that are not to be seen name nothing, and a beginning names only
   * commits that branches, tags and the refs of merge requests to be seen reach; whole hashes name every commit that is there.
   * Null for what is unknown, ambiguous or leads to no commit. Throws LimitExceeded.
   */
  resolve(revision: string, options?: ResolveOptions): Promise<Oid | null>;
  /** Ordered by the bytes of their names. */
  branches(): Promise<Branch[]>;
  branch(name: string): Promise<Branch | null>;
  /** In the reverse order of the bytes of their names. */
  tags(): Promise<Tag[]>;
  tag(name: string): Promise<Tag | null>;

  /** What annotations lead to in the end, for those of the objects that are annotations. */
  peeled(oids: Oid[]): Promise<Map<Oid, Oid>>;

  /** Null if the object is not there or not a commit. */
  commit(oid: Oid): Promise<Commit | null>;
  /** The signature of a commit, with what it signs; null if it has none. */
  signature(oid: Oid): Promise<CommitSignature | null>;
  /** In the order asked for. Throws MissingObject. */
  commits(oids: Oid[]): Promise<Commit[]>;

  /**
   * A part of what a directory of a commit (or tree) holds: directories, then files, then submodules, each in git's order;
   * `recursive` with all that lies below. What the part does not reach is not read. Null if there is no such directory. Throws
   * LimitExceeded.
   */
  treePage(treeish: Oid, path: string, request: TreePageRequest): Promise<TreePage | null>;
  /** In bytes; null if there is no such directory. */
  treeSize(treeish: Oid, path: string): Promise<number | null>;
  /** A directory as git stores it: for walks that end early. Throws MissingObject, LimitExceeded. */
  treeBytes(tree: Oid): Promise<Buffer>;
  /** How many paths a commit (or tree) has, and how many bytes; null if it is not there. Throws LimitExceeded. */
  measureTree(treeish: Oid): Promise<TreeCounts | null>;
  /** What lies at a path of a commit (or tree); null if nothing does. */
  entry(treeish: Oid, path: string): Promise<TreeEntry | null>;

  /** In bytes; null if the object is not there or not a blob. */
  blobSize(oid: Oid): Promise<number | null>;
  /** Those of many; what is not there or not a blob is left out. */
  blobSizes(oids: Oid[]): Promise<Map<Oid, number>>;
  /** The whole content; null if the object is not there or not a blob. Throws LimitExceeded above `limit` bytes. */
  blob(oid: Oid, limit: number): Promise<Buffer | null>;
  /** The content in chunks; null if the object is not there or not a blob. The stream must be read or destroyed. */
  blobStream(oid: Oid): Promise<{ size: number; stream: Readable } | null>;

  /** A page of a log, everything without a limit. */
  log(query: LogQuery, page?: Page): Promise<Commit[]>;
  /**
   * The commits of a log that changed the file at its path, as it was called before renames, too; the newest ones, if there are very
   * many. Null without a git program. Throws LimitExceeded.
   */
  followed(query: LogQuery): Promise<Oid[] | null>;
  /** How many commits a log has. */
  count(query: LogQuery): Promise<number>;
  /** The newest commit that changed a path, as `git log -1 -- path` finds it; null if none did. */
  lastCommit(start: Oid, path: string): Promise<Commit | null>;
  /** The same for many entries of one directory, in one walk, which may end before all are found. */
  lastCommits(query: LastCommitsQuery): Promise<FoundCommits>;

  /**
   * When the commits of a history since a moment were made, in seconds as the moment, in no order; null without a git program. Throws
   * LimitExceeded.
   */
  commitTimes(start: Oid, since: number): Promise<number[] | null>;

  /** The commits from one on, each the first parent of the one before it; null without a git program. Throws LimitExceeded. */
  firstParents(start: Oid): Promise<DatedCommit[] | null>;

  /** In which commits lines of a file were written; null without a git program. Throws LimitExceeded. */
  blame(query: BlameQuery): Promise<BlameHunk[] | null>;
  /** The commits that changed lines of a file, newest first, through its renames; null without a git program. Throws LimitExceeded. */
  lineHistory(query: LineHistoryQuery): Promise<LineChange[] | null>;

  /** Finds files by a text or their paths: no binary ones, links or pointers to files that are kept elsewhere. */
  searchFiles(search: FileSearch): Promise<FileHits>;
  /** Finds commits by a text in their messages. */
  searchMessages(search: MessageSearch): Promise<MessageHits>;

  /**
   * The hash of the changes from one commit to another, whatever lies around them (`git patch-id --stable`); null where there are none, or too
   * many, and without a git program.
   */
  patchId(from: Oid, to: Oid): Promise<string | null>;
  /** Changes as a text, streamed; null without a git program. The commits must be there, and the stream be read or destroyed. */
  patch(query: PatchQuery): Readable | null;
  /** The best common ancestors, the newest first; none if the histories are unrelated. */
  mergeBases(left: Oid, right: Oid): Promise<Oid[]>;
  /** Whether `descendant` reaches `ancestor`; every commit reaches itself. */
  isAncestor(ancestor: Oid, descendant: Oid): Promise<boolean>;
  /** Those of the commits that the tip reaches: for many branches at once. */
  mergedInto(tip: Oid, commits: Oid[]): Promise<Set<Oid>>;
  /**
   * The commits that any of the tips reaches and `from` does not, with their parents, in any order: for many branches at once. Null where
   * there are more than `most`.
   */
  newCommits(from: Oid, tips: Oid[], most: number): Promise<CommitParents[] | null>;
  /** Those of the tips that reach the commit: for many branches at once. */
  reaching(commit: Oid, tips: Oid[]): Promise<Set<Oid>>;
  /** The commits that `to` reaches and `from` does not, newest first: `git log from..to`. */
  between(from: Oid, to: Oid, page?: Page): Promise<Commit[]>;
  /**
   * The first `most` of the commits that `between` gives, and the merge base.
   *
   * @param compared whether the trees are going to be compared: the program that compares is started meanwhile, and begins if they are
   * far apart
   */
  divergence(from: Oid, to: Oid, most: number, compared?: boolean): Promise<Divergence>;
  /** How many commits `between` gives in all. */
  countBetween(from: Oid, to: Oid): Promise<number>;
  /** How many commits only the first of two commits reaches, and how many only the second. */
  countApart(left: Oid, right: Oid): Promise<[left: number, right: number]>;
  /** Authors of commits other than merges, in the order of their first appearance in the newest-first log. */
  contributors(query: ContributorsQuery): Promise<Contributor[]>;

  /** The paths at which two trees differ. Throws MissingObject, LimitExceeded. */
  changes(from: Oid, to: Oid, options?: ChangesOptions): Promise<Changes>;
  /** What differs in files; for `diffTrees` of diff/diff.ts. */
  compare(comparison: Comparison): Promise<Compared>;

  /**
   * The files of a commit as an archive, streamed. `prefix` is empty or ends in a slash. The git program heeds the attributes
   * `export-ignore` and `export-subst`; in process they are not looked at.
   */
  archive(commit: Oid, format: 'tar' | 'tar.gz' | 'zip', prefix: string, part?: TreePart): Promise<Readable>;

  /** Gives back processes and memory; the reader can be used again afterwards. */
  close(): Promise<void>;
}

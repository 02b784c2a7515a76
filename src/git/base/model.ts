/** The name of an object: 40 lower-case hexadecimal digits. */
export type Oid = string;

const OBJECT_TYPES = ['commit', 'tree', 'blob', 'tag'] as const;

export type ObjectType = (typeof OBJECT_TYPES)[number];

/** Whether this is what git calls a kind of object. */
export function isObjectType(text: string | undefined): text is ObjectType {
  return (OBJECT_TYPES as readonly (string | undefined)[]).includes(text);
}

/** The tree without entries, which every repository is taken to hold. */
export const EMPTY_TREE: Oid = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Stands for a missing ref in ref updates. */
export const NO_OBJECT: Oid = '0'.repeat(40);

/** A commit as a walk sees it. */
export interface CommitParents {
  oid: Oid;
  parents: readonly Oid[];
}

/** Who did something, and when. */
export interface Signature {
  name: string;
  email: string;
  /** Seconds since 1970. */
  seconds: number;
  /** Minutes east of UTC. */
  offset: number;
}

export interface Commit {
  oid: Oid;
  tree: Oid;
  /** In the order in which they were merged; empty for a root commit. */
  parents: Oid[];
  author: Signature;
  committer: Signature;
  /** As it was written, with its final line break if there is one. */
  message: string;
}

/** A signature of a commit. */
export interface CommitSignature {
  /** As it is in the commit: lines of text that begin with what kind of signature it is. */
  armor: string;
  /** The bytes that are signed: the commit without the signature. */
  signed: Buffer;
}

/** An annotated tag. */
export interface Annotation {
  oid: Oid;
  /** What it points to, which may be another annotated tag. */
  object: Oid;
  type: ObjectType;
  name: string;
  tagger: Signature | null;
  /** As it was written, with a signature and the final line break if there are any. */
  message: string;
}

export type EntryType = 'tree' | 'blob' | 'commit';

/** Six octal digits: directory, file, executable file, symbolic link or submodule. */
export type Mode = string;

export const DIRECTORY: Mode = '040000';
export const FILE: Mode = '100644';
export const EXECUTABLE: Mode = '100755';
export const SYMLINK: Mode = '120000';
export const SUBMODULE: Mode = '160000';

/** What a tree holds. Names and paths are as `decodeName` gives them. */
export interface TreeEntry {
  oid: Oid;
  name: string;
  /** From the root of the repository, without a leading slash. */
  path: string;
  type: EntryType;
  mode: Mode;
}

export interface Branch {
  /** Without `refs/heads/`. */
  name: string;
  commit: Oid;
}

export interface Tag {
  /** Without `refs/tags/`. */
  name: string;
  /** What the ref holds: the annotation of an annotated tag. */
  target: Oid;
  /** The commit that it leads to in the end; null for other objects. */
  commit: Oid | null;
  /** Null for lightweight tags. */
  annotation: Annotation | null;
}

/** Whether a text is the full name of an object. */
export function isOid(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}

/** A commit, and when it was committed, in seconds since 1970. */
export interface DatedCommit {
  oid: Oid;
  time: number;
}

import type { Readable } from 'node:stream';
import type { ObjectType, Oid } from '../model.ts';

export interface GitObject {
  type: ObjectType;
  content: Buffer;
}

export interface ObjectHeader {
  type: ObjectType;
  /** Of the content, in bytes. */
  size: number;
}

/** Where objects come from: what every reader of a repository needs, and all that its two implementations differ in. */
export interface ObjectStore {
  /** The whole object in memory; null if there is none. */
  read(oid: Oid): Promise<GitObject | null>;
  /** Type and size; null if there is no such object. */
  header(oid: Oid): Promise<ObjectHeader | null>;
  /** The content of an object that may be large, in chunks. Whoever takes it must read or destroy it. */
  stream(oid: Oid): Promise<Readable>;
  /** The objects whose names begin with at least four hexadecimal digits. */
  matching(prefix: string): Promise<Oid[]>;
  /** Gives back processes and memory; the store can be used again afterwards. */
  close(): Promise<void>;
}

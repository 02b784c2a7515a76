import type { Readable } from 'node:stream';
import type { ObjectType, Oid } from '../base/model.ts';

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
  /** The whole object in memory; null if there is none. Throws LimitExceeded above the sizes in limits.ts. */
  read(oid: Oid): Promise<GitObject | null>;
  /** Type and size; null if there is no such object. */
  header(oid: Oid): Promise<ObjectHeader | null>;
  /** The content of an object that may be large, in chunks. The caller must read or destroy the stream. */
  stream(oid: Oid): Promise<Readable>;
  /** The objects whose names begin with at least four hexadecimal digits. */
  matching(prefix: string): Promise<Oid[]>;
  /** Gives back processes and memory; the store can be used again afterwards. */
  close(): Promise<void>;
}

/**
 * The same object in memory of its own: small buffers are cut from larger ones, and each of those stays as long as any of
 * its pieces does. For objects that are kept.
 */
export function compact({ type, content }: GitObject): GitObject {
  if (content.buffer.byteLength === content.length) return { type, content };
  const own = Buffer.allocUnsafeSlow(content.length);
  content.copy(own);
  return { type, content: own };
}

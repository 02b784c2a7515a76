import type { Readable } from 'node:stream';

declare module '#src/access/permissions/actor.ts' {
  interface Context {
    /** The files that were uploaded to projects. */
    readonly uploads: UploadStore;
  }
}

/** Where an uploaded file is. Secret and name are such as this server makes them. */
export interface UploadLocation {
  projectId: number;
  secret: string;
  fileName: string;
}

/** A file as it lies in the store. */
export interface StoredFile extends UploadLocation {
  /** In bytes. */
  size: number;
  /** When it came there. */
  storedAt: Date;
}

/** Bytes of a content from the first to the last, both counted from 0 and included. */
export interface ByteRange {
  start: number;
  end: number;
}

/** The uploaded files, wherever they are kept. Throws UploadsUnavailable where that is another server, which does not answer. */
export interface UploadStore {
  /** Keeps a content of `size` bytes; it outlives this process, and a loss of power, when this returns. */
  write(place: UploadLocation, content: AsyncIterable<Uint8Array>, size: number): Promise<void>;
  /** The content or a part of it; null if the file is not there. Whoever takes the stream reads or destroys it. */
  read(place: UploadLocation, range?: ByteRange): Promise<Readable | null>;
  /** The whole content with its size in bytes, as `read`. */
  open(place: UploadLocation): Promise<{ size: number; content: Readable } | null>;
  has(place: UploadLocation): Promise<boolean>;
  /** Every file, project by project. */
  list(): AsyncIterable<StoredFile>;
  /** Deletes one file, or all of a project. */
  remove(files: { projectId: number; secret?: string }): Promise<void>;
  /** Throws an Error that says why files cannot be kept, if so. */
  check(): Promise<void>;
  /** A store of other files in the same place, below this name. They are not among the files of this one. */
  below(name: string): UploadStore;
}

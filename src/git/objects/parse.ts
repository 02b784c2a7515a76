import {
  type Annotation,
  type Commit,
  DIRECTORY,
  type EntryType,
  EXECUTABLE,
  FILE,
  type Mode,
  type ObjectType,
  type Oid,
  SUBMODULE,
  SYMLINK,
} from '../model.ts';
import { parseSignature } from './signature.ts';

/** Reads the bytes of a commit. Odd commits of old tools are read as far as they make sense. */
export function parseCommit(oid: Oid, bytes: Buffer): Commit {
  const { headers, body } = split(bytes);
  const text = decoder(headers);
  return {
    oid,
    tree: first(headers, 'tree')?.toString('latin1') ?? '',
    parents: headers.filter(({ name }) => name === 'parent').map(({ value }) => value.toString('latin1')),
    author: parseSignature(text(first(headers, 'author'))),
    committer: parseSignature(text(first(headers, 'committer'))),
    message: text(body),
  };
}

/** Reads the bytes of an annotated tag. */
export function parseAnnotation(oid: Oid, bytes: Buffer): Annotation {
  const { headers, body } = split(bytes);
  const text = decoder(headers);
  const tagger = first(headers, 'tagger');
  return {
    oid,
    object: text(first(headers, 'object')),
    type: text(first(headers, 'type')) as ObjectType,
    name: text(first(headers, 'tag')),
    tagger: tagger === undefined ? null : parseSignature(text(tagger)),
    message: text(body),
  };
}

/** A mode as git shows it, from how a tree has it: old repositories and other programs write more of them, such as 100664. */
export function canonicalMode(octal: string): Mode {
  const mode = Number.parseInt(octal, 8);
  switch (mode & 0o170000) {
    case 0o100000:
      return mode & 0o100 ? EXECUTABLE : FILE;
    case 0o120000:
      return SYMLINK;
    case 0o040000:
      return DIRECTORY;
    default:
      return SUBMODULE;
  }
}

/** The kind of thing that a mode stands for. */
export function typeOfMode(mode: Mode): EntryType {
  if (mode.startsWith('04')) return 'tree';
  return mode.startsWith('16') ? 'commit' : 'blob';
}

interface Header {
  name: string;
  value: Buffer;
}

/** Headers up to the first empty line, then the message. Lines that begin with a space continue the one before. */
function split(bytes: Buffer): { headers: Header[]; body: Buffer } {
  const headers: Header[] = [];
  let at = 0;
  while (at < bytes.length && bytes[at] !== 10) {
    let end = bytes.indexOf(10, at);
    if (end < 0) end = bytes.length;
    const line = bytes.subarray(at, end);
    const space = line.indexOf(32);
    if (space > 0) headers.push({ name: line.toString('latin1', 0, space), value: line.subarray(space + 1) });
    at = end + 1;
  }
  return { headers, body: bytes.subarray(Math.min(at + 1, bytes.length)) };
}

function first(headers: Header[], name: string): Buffer | undefined {
  return headers.find((header) => header.name === name)?.value;
}

/** Text is UTF-8 unless the object names another encoding that is known here. */
function decoder(headers: Header[]): (bytes: Buffer | undefined) => string {
  const label = first(headers, 'encoding')?.toString('latin1');
  if (label !== undefined && !/^utf-?8$/i.test(label)) {
    try {
      const decoding = new TextDecoder(label);
      return (bytes) => (bytes === undefined ? '' : decoding.decode(bytes));
    } catch {
      // An encoding that nobody knows.
    }
  }
  return (bytes) => bytes?.toString('utf8') ?? '';
}

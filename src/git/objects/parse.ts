import {
  type Annotation,
  type Commit,
  type CommitSignature,
  DIRECTORY,
  type EntryType,
  EXECUTABLE,
  FILE,
  type Mode,
  type ObjectType,
  type Oid,
  SUBMODULE,
  SYMLINK,
} from '../base/model.ts';
import { parseSignature } from './signature.ts';

/** Reads the bytes of a commit. Odd commits of old tools are read as far as they make sense. */
export function parseCommit(oid: Oid, bytes: Buffer): Commit {
  const { headers, body } = split(bytes);
  const text = decoder(headers);
  return {
    oid,
    tree: first(headers, 'tree') ?? '',
    parents: headers.flatMap(({ name, value }) => (name === 'parent' ? [value] : [])),
    author: parseSignature(text(first(headers, 'author'))),
    committer: parseSignature(text(first(headers, 'committer'))),
    message: text(body),
  };
}

/** The header with the signature of a commit. */
const SIGNED = Buffer.from('gpgsig ');

/** The signature in the bytes of a commit, and what it signs: the bytes without it. Null if there is none. */
export function extractSignature(bytes: Buffer): CommitSignature | null {
  const empty = bytes.indexOf(EMPTY_LINE);
  const headers = empty < 0 ? bytes.length : empty + 1;
  for (let at = 0; at < headers; ) {
    let end = lineEnd(bytes, at);
    if (!bytes.subarray(at, end).subarray(0, SIGNED.length).equals(SIGNED)) {
      at = end;
      continue;
    }
    // Further lines begin with a space.
    while (end < headers && bytes[end] === 32) end = lineEnd(bytes, end);
    const armor = bytes.toString('latin1', at + SIGNED.length, end).replaceAll('\n ', '\n');
    return { armor, signed: Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]) };
  }
  return null;
}

/** Where the next line begins. */
function lineEnd(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(10, from);
  return at < 0 ? bytes.length : at + 1;
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
  /** Its bytes, as Latin-1. */
  value: string;
}

const EMPTY_LINE = Buffer.from('\n\n');
const NOT_ASCII = /[\x80-\xff]/;

/** Headers up to the first empty line, then the message. Lines that begin with a space continue the one before. */
function split(bytes: Buffer): { headers: Header[]; body: Buffer } {
  if (bytes[0] === 10) return { headers: [], body: bytes.subarray(1) };
  const empty = bytes.indexOf(EMPTY_LINE);
  const end = empty < 0 ? bytes.length : empty;
  const headers: Header[] = [];
  for (const line of bytes.toString('latin1', 0, end).split('\n')) {
    const space = line.indexOf(' ');
    if (space > 0) headers.push({ name: line.slice(0, space), value: line.slice(space + 1) });
  }
  return { headers, body: bytes.subarray(end + EMPTY_LINE.length) };
}

function first(headers: Header[], name: string): string | undefined {
  return headers.find((header) => header.name === name)?.value;
}

/** Text is UTF-8 unless the object names another encoding that is known here. */
function decoder(headers: Header[]): (bytes: Buffer | string | undefined) => string {
  const label = first(headers, 'encoding');
  const decoding = label === undefined || /^utf-?8$/i.test(label) ? null : decodingOf(label);
  return (bytes = '') => {
    if (typeof bytes === 'string' && decoding === null && !NOT_ASCII.test(bytes)) return bytes;
    const known = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    return decoding?.decode(known) ?? known.toString('utf8');
  };
}

/** Null for an unknown encoding. */
function decodingOf(label: string): TextDecoder | null {
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}

import type { Mode, ObjectType, Oid, Signature } from '../base/model.ts';
import { formatSignature } from '../objects/signature.ts';

/** What makes a commit. */
export interface CommitInput {
  tree: Oid;
  parents: Oid[];
  author: Signature;
  committer: Signature;
  message: string;
}

/** What makes an annotated tag. */
export interface TagInput {
  object: Oid;
  type: ObjectType;
  /** Without `refs/tags/`. */
  name: string;
  tagger: Signature;
  message: string;
}

export function encodeCommit({ tree, parents, author, committer, message }: CommitInput): Buffer {
  const headers = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${formatSignature(author)}`,
    `committer ${formatSignature(committer)}`,
  ];
  return Buffer.from(`${headers.join('\n')}\n\n${clean(message)}`);
}

export function encodeTag({ object, type, name, tagger, message }: TagInput): Buffer {
  const headers = [`object ${object}`, `type ${type}`, `tag ${name}`, `tagger ${formatSignature(tagger)}`];
  return Buffer.from(`${headers.join('\n')}\n\n${clean(message)}`);
}

/** The bytes of a tree; its entries may come in any order. */
export function encodeTree(entries: { mode: Mode; name: Buffer; oid: Oid }[]): Buffer {
  const slash = Buffer.from('/');
  const keyed = entries.map((entry) => ({
    entry,
    key: entry.mode.startsWith('04') ? Buffer.concat([entry.name, slash]) : entry.name,
  }));
  keyed.sort((left, right) => Buffer.compare(left.key, right.key));
  const parts = keyed.flatMap(({ entry }) => [
    Buffer.from(`${entry.mode.replace(/^0+/, '')} `),
    entry.name,
    Buffer.from([0]),
    Buffer.from(entry.oid, 'hex'),
  ]);
  return Buffer.concat(parts);
}

/** A message ends at a NUL for git, and lone surrogates are no text. */
function clean(message: string): string {
  return message.replaceAll('\0', '').toWellFormed();
}

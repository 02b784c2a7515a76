import { MissingObject } from '../errors.ts';
import { EMPTY_TREE, type Oid, type TreeEntry } from '../model.ts';
import { compareNames } from '../names.ts';
import type { RepositoryReader } from '../reader.ts';
import type { Side } from './renames.ts';

/** A path that is not the same in two trees; null on the side where it is not. */
export interface Change {
  path: string;
  old: Side | null;
  now: Side | null;
}

/** The files, links and submodules in which two trees differ, in the order of the bytes of their paths. */
export async function changedPaths(reader: RepositoryReader, from: Oid, to: Oid): Promise<Change[]> {
  const changes: Change[] = [];
  await compare(reader, from, to, '', changes);
  return changes.sort((left, right) => compareNames(left.path, right.path));
}

async function compare(reader: RepositoryReader, from: Oid, to: Oid, prefix: string, into: Change[]): Promise<void> {
  const [old, now] = await Promise.all([names(reader, from), names(reader, to)]);
  const below: Promise<void>[] = [];
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [left, right] = [old.get(name), now.get(name)];
    if (left?.oid === right?.oid && left?.mode === right?.mode) continue;
    const path = prefix + name;
    const [leftTree, rightTree] = [treeOf(left), treeOf(right)];
    if (leftTree !== rightTree) below.push(compare(reader, leftTree, rightTree, `${path}/`, into));
    const [leftSide, rightSide] = [sideOf(left, path), sideOf(right, path)];
    if (leftSide !== null || rightSide !== null) into.push({ path, old: leftSide, now: rightSide });
  }
  await Promise.all(below);
}

async function names(reader: RepositoryReader, tree: Oid): Promise<Map<string, TreeEntry>> {
  const entries = tree === EMPTY_TREE ? [] : await reader.tree(tree);
  if (entries === null) throw new MissingObject(tree, 'tree');
  return new Map(entries.map((entry) => [entry.name, entry]));
}

function treeOf(entry: TreeEntry | undefined): Oid {
  return entry?.type === 'tree' ? entry.oid : EMPTY_TREE;
}

function sideOf(entry: TreeEntry | undefined, path: string): Side | null {
  return entry === undefined || entry.type === 'tree' ? null : { path, mode: entry.mode, oid: entry.oid };
}

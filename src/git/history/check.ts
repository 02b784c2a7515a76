import { yieldToEventLoop } from '#src/base/event_loop.ts';
import type { Oid } from '../base/model.ts';
import { IsomorphicStore } from '../objects/isomorphic.ts';
import { nameOf } from '../objects/name.ts';
import { parseAnnotation, parseCommit } from '../objects/parse.ts';
import type { GitObject } from '../objects/store.ts';
import { TreeCursor } from '../objects/tree_cursor.ts';
import { RefReader } from '../refs/read.ts';

export interface CheckOptions {
  /** How many complaints are kept. */
  most: number;
  /** How many objects are looked at: their names are kept in memory. */
  objects: number;
  /** Whether to leave out a complaint, which then does not count. */
  ignore(line: string): boolean;
}

/** Problems of the objects that refs lead to, one line each. Replaces `git fsck` where there is no git program. */
export async function checkHistory(directory: string, { most, objects, ignore }: CheckOptions): Promise<string[]> {
  const store = new IsomorphicStore(directory);
  const complaints: string[] = [];
  const add = (line: string) => ignore(line) || complaints.push(line);
  const refs = await new RefReader(directory).list('refs/');
  const stack = [...new Set(refs.map(({ target }) => target))];
  const seen = new Set<Oid>(stack);
  try {
    for (let oid = stack.pop(); oid !== undefined && complaints.length < most; oid = stack.pop()) {
      await yieldToEventLoop();
      try {
        const object = await store.read(oid);
        if (object === null) add(`missing object ${oid}`);
        else if (nameOf(object.type, object.content) !== oid) add(`the content of ${oid} does not match its name`);
        for (const next of object === null ? [] : leadsTo(oid, object)) {
          if (seen.has(next)) continue;
          seen.add(next);
          stack.push(next);
        }
      } catch (error) {
        add(`${oid} cannot be read: ${error instanceof Error ? error.message : error}`);
      }
      if (seen.size > objects)
        return [...complaints, `there are more than ${objects} objects: the git program is needed`];
    }
  } finally {
    await store.close();
  }
  return complaints;
}

/** The objects that an object refers to, without commits of submodules, which belong to other repositories. */
export function leadsTo(oid: Oid, { type, content }: GitObject): Oid[] {
  if (type === 'blob') return [];
  if (type === 'tag') return [parseAnnotation(oid, content).object];
  if (type === 'commit') {
    const { tree, parents } = parseCommit(oid, content);
    return [tree, ...parents];
  }
  const found: Oid[] = [];
  for (const cursor = new TreeCursor(content); cursor.next(); ) if (cursor.type !== 'commit') found.push(cursor.oid);
  return found;
}

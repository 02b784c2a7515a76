import { createInterface } from 'node:readline';
import { GitError } from '../base/errors.ts';
import { MAX_DELTA_CHAIN_LENGTH, MAX_TEXT_BYTES, MAX_TREE_BYTES } from '../base/limits.ts';
import type { ObjectType, Oid } from '../base/model.ts';
import { killGroup, startGroup } from '../program/group.ts';
import { collectComplaint } from '../program/run.ts';

/** Objects that came from elsewhere are larger than the server takes, or take too much work to read. */
export class OversizedObject extends GitError {
  override name = 'OversizedObject';
}

/** Number of deltas above which chains are not followed; a pack with as many has megabytes. */
const MAX_DELTAS = 100_000;
const NO_BASE = '0'.repeat(40);

/** An object that was looked at: its size is in bytes. */
export interface CheckedObject {
  type: ObjectType;
  size: number;
}

/**
 * Looks at the sizes of all objects in a directory of objects, without putting one together: each must be as small as its
 * type has to be (limits.ts), a blob as `objectBytes` says, and no chain of differences may be too long. Throws
 * OversizedObject, and the signal's reason.
 *
 * @param few whether there are so few that their types are asked for as well
 * @returns the objects, if there are few
 */
export async function checkObjects(
  repository: string,
  objects: string,
  { objectBytes, few = false, signal }: { objectBytes: number; few?: boolean; signal: AbortSignal },
): Promise<Map<Oid, CheckedObject> | null> {
  const place = { repository, objects, signal };
  const large: string[] = [];
  const bases = new Map<string, string>();
  const least = Math.min(objectBytes, MAX_TEXT_BYTES);
  const checked = few ? new Map<Oid, CheckedObject>() : null;
  await ask(
    place,
    [
      '--batch-all-objects',
      '--unordered',
      `--batch-check=%(objectname) %(objectsize) %(deltabase)${few ? ' %(objecttype)' : ''}`,
    ],
    [],
    {
      line([oid = '', size = '', base = NO_BASE, type = '']) {
        if (isType(type)) checked?.set(oid, { type, size: Number(size) });
        if (Number(size) > least) large.push(oid);
        if (base !== NO_BASE && bases.size <= MAX_DELTAS) bases.set(oid, base);
      },
    },
  );
  if (bases.size <= MAX_DELTAS) requireShortChains(bases);
  if (large.length === 0) return checked;
  await ask(place, ['--batch-check=%(objectname) %(objecttype) %(objectsize)'], large, {
    line([oid = '', type = '', size = '']) {
      const [limit, name] = limitOf(type, objectBytes);
      if (Number(size) <= limit) return;
      throw new OversizedObject(`the ${type} ${oid} has ${size} bytes, more than ${limit}${name}`);
    },
  });
  return checked;
}

function isType(text: string): text is ObjectType {
  return ['commit', 'tree', 'blob', 'tag'].includes(text);
}

function limitOf(type: string, objectBytes: number): [limit: number, name: string] {
  if (type === 'blob') return [objectBytes, ' (GANTRY_MAX_OBJECT_BYTES)'];
  return [type === 'tree' ? MAX_TREE_BYTES : MAX_TEXT_BYTES, ''];
}

function requireShortChains(bases: ReadonlyMap<string, string>): void {
  const depths = new Map<string, number>();
  for (const start of bases.keys()) {
    const chain: string[] = [];
    let oid: string | undefined = start;
    while (oid !== undefined && !depths.has(oid)) {
      chain.push(oid);
      oid = bases.get(oid);
    }
    let depth = oid === undefined ? -1 : (depths.get(oid) ?? 0);
    for (const one of chain.reverse()) depths.set(one, ++depth);
    if (depth > MAX_DELTA_CHAIN_LENGTH) {
      throw new OversizedObject(
        `${start} is built of more than ${MAX_DELTA_CHAIN_LENGTH} differences: repack with a smaller depth`,
      );
    }
  }
}

interface Place {
  repository: string;
  objects: string;
  signal: AbortSignal;
}

/** Runs `git cat-file` on the objects of one directory alone; `line` may throw to end it. */
async function ask(
  { repository, objects, signal }: Place,
  args: string[],
  oids: readonly string[],
  { line }: { line(words: string[]): void },
): Promise<void> {
  signal.throwIfAborted();
  const program = startGroup([`--git-dir=${repository}`, 'cat-file', ...args], { GIT_OBJECT_DIRECTORY: objects });
  const kill = () => killGroup(program);
  signal.addEventListener('abort', kill);
  const complaint = collectComplaint(program.stderr);
  const ended = new Promise<number | null>((resolve) => {
    program.once('error', () => resolve(null));
    program.once('close', resolve);
  });
  program.stdin.on('error', () => undefined).end(oids.map((oid) => `${oid}\n`).join(''));
  try {
    for await (const text of createInterface({ input: program.stdout, crlfDelay: Number.POSITIVE_INFINITY })) {
      line(text.split(' '));
    }
    const code = await ended;
    signal.throwIfAborted();
    if (code !== 0) throw new OversizedObject(`the objects cannot be looked through: ${complaint()}`);
  } finally {
    kill();
    signal.removeEventListener('abort', kill);
  }
}

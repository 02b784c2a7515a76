import { GitError } from '../base/errors.ts';
import { EXECUTABLE, FILE, type Mode, type Oid, SUBMODULE, SYMLINK } from '../base/model.ts';
import { type DraftTree, type Leaf, PathBlocked } from './draft.ts';
import type { ObjectWriter } from './objects.ts';
import { pathFault } from './path.ts';

/** What a file was when its change was prepared: it is refused if the file has other content by now. */
interface Prepared {
  /** Hash of the content; null for one that was not there. Any content when absent. */
  was?: Oid | null | undefined;
}

/** Whether the file can be run as a program. It stays as it is when absent; new ones cannot. */
interface Runnable {
  executable?: boolean | undefined;
}

/** One change of a file. */
export type Action =
  | ({ action: 'create'; path: string; content: Buffer } & Runnable)
  | ({ action: 'update'; path: string; content: Buffer } & Prepared & Runnable)
  | ({ action: 'delete'; path: string } & Prepared)
  /** Without content the file keeps the one it has. */
  | ({ action: 'move'; path: string; previousPath: string; content?: Buffer | undefined } & Prepared & Runnable)
  | ({ action: 'chmod'; path: string; executable: boolean } & Prepared)
  /** Moves a submodule to another commit. */
  | { action: 'link'; path: string; oid: Oid };

export type ActionFault = 'path' | 'exists' | 'missing' | 'blocked' | 'changed' | 'same';

/**
 * An action cannot be done. `path`: the name is not allowed; `exists`: there is something at the target; `missing`: there is
 * no file to change; `blocked`: what should be a directory above it is a file; `changed`: the file is no longer what it was; `same`: the submodule is there already.
 */
export class ActionFailed extends GitError {
  override name = 'ActionFailed';
  /** Which one, counted from 0. */
  readonly index: number;
  readonly fault: ActionFault;
  readonly path: string;

  constructor(index: number, fault: ActionFault, path: string) {
    super(`Action ${index} on ${JSON.stringify(path)}: ${fault}`);
    this.index = index;
    this.fault = fault;
    this.path = path;
  }
}

/**
 * Does actions one after another, each on the result of those before. Files keep their mode, also when they are moved, unless they are made executable or no longer so.
 * Throws ActionFailed at the first one that cannot be done; the draft is of no use then.
 */
export async function applyActions(tree: DraftTree, objects: ObjectWriter, actions: Action[]): Promise<void> {
  for (const [index, action] of actions.entries()) {
    const fail = (fault: ActionFault, path = action.path) => new ActionFailed(index, fault, path);
    if (pathFault(action.path) !== null) throw fail('path');
    try {
      await applyAction(tree, objects, action, fail);
    } catch (error) {
      throw error instanceof PathBlocked ? fail('blocked') : error;
    }
  }
}

async function applyAction(
  tree: DraftTree,
  objects: ObjectWriter,
  action: Action,
  fail: (fault: ActionFault, path?: string) => ActionFailed,
): Promise<void> {
  const present = await tree.find(action.path);
  const write = (content: Buffer) => objects.add('blob', content);
  switch (action.action) {
    case 'create':
      if (present !== null) throw fail('exists');
      return tree.put(action.path, { mode: modeOf(FILE, action), oid: write(action.content) });
    case 'update':
      if (!isFile(present)) throw fail('missing');
      if (isChanged(present, action)) throw fail('changed');
      return tree.put(action.path, { mode: modeOf(present.mode, action), oid: write(action.content) });
    case 'delete':
      if (!isFile(present)) throw fail('missing');
      if (isChanged(present, action)) throw fail('changed');
      await tree.remove(action.path);
      return;
    case 'move': {
      const source = await tree.find(action.previousPath);
      if (!isFile(source)) throw fail('missing', action.previousPath);
      if (isChanged(source, action)) throw fail('changed', action.previousPath);
      if (present !== null) throw fail('exists');
      await tree.remove(action.previousPath);
      const oid = action.content === undefined ? source.oid : write(action.content);
      return tree.put(action.path, { mode: modeOf(source.mode, action), oid });
    }
    case 'link':
      if (present === null || present === 'directory' || present.mode !== SUBMODULE) throw fail('missing');
      if (present.oid === action.oid) throw fail('same');
      return tree.put(action.path, { mode: SUBMODULE, oid: action.oid });
    case 'chmod':
      // Links have no mode of their own.
      if (!isFile(present) || present.mode === SYMLINK) throw fail('missing');
      if (isChanged(present, action)) throw fail('changed');
      return tree.put(action.path, { mode: modeOf(present.mode, action), oid: present.oid });
  }
}

function modeOf(mode: Mode, { executable }: Runnable): Mode {
  if (executable === undefined || mode === SYMLINK) return mode;
  return executable ? EXECUTABLE : FILE;
}

function isChanged({ oid }: Leaf, { was }: Prepared): boolean {
  return was !== undefined && was !== oid;
}

/** Submodules are no files: their content is elsewhere. */
function isFile(found: Leaf | 'directory' | null): found is Leaf {
  return found !== null && found !== 'directory' && found.mode !== SUBMODULE;
}

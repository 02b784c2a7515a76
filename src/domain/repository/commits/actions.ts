import { NOT_COMMITTED } from '#src/domain/repository/refusals.ts';
import { isOid, type Oid } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { Action, ActionFailed } from '#src/git/write/actions.ts';
import { pathFault } from '#src/git/write/path.ts';

/** An action as sent by a client; anything may be missing or invalid. */
export interface RawAction {
  action?: string | null | undefined;
  filePath?: string | null | undefined;
  previousPath?: string | null | undefined;
  /** Bytes of a file, or a text in the encoding. */
  content?: string | Buffer | null | undefined;
  encoding?: 'text' | 'base64' | null | undefined;
  /** Whether the file is to be executable; as it is when absent. */
  executeFilemode?: boolean | null | undefined;
  /** Hash of a commit in which the file was as the client knows it. */
  lastCommitId?: string | null | undefined;
  /** Hash of the content that the file had in that commit; null if it was not there. */
  was?: Oid | null | undefined;
}

/** Actions up to and including the first invalid one, with its error. */
export interface ParsedActions {
  /** Includes the invalid one only if other errors of it take precedence. */
  actions: Action[];
  fault: string | null;
}

/** Checks what does not depend on the files, in the order and with the messages of behaviour.md 1.5. */
export function parseActions(raw: readonly RawAction[], empty: boolean): ParsedActions {
  const actions: Action[] = [];
  for (const given of raw) {
    const { action, fault } = parse(given, empty);
    if (action) actions.push(action);
    if (fault !== null) return { actions, fault };
  }
  return { actions, fault: null };
}

/** The bytes of a content that is sent as text, in Base64, or as bytes. */
export function contentOf(content: string | Buffer, encoding: RawAction['encoding']): Buffer {
  if (typeof content !== 'string') return content;
  return Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8');
}

/** The path of a file in a repository; leading slashes are ignored. */
export function filePathOf(path: string): string {
  return path.replace(/^\/+/, '');
}

/** Why a path is invalid; null if it is valid. */
export function pathRefusal(path: string): string | null {
  const start = `Your changes could not be committed, because the file name \`${path}\` cannot`;
  switch (pathFault(path)) {
    case null:
      return null;
    case 'traversal':
      return `${start} include directory traversal.`;
    case 'long':
      return `${start} be that long. Separate directories with a '/'.`;
    default:
      return `${start} include empty names, \`.git\` or control characters. Separate directories with a '/'.`;
  }
}

/** The message for an action that conflicts with the files. */
export function refusalOf(action: Action, { fault, path }: ActionFailed): string {
  if (fault === 'path') return pathRefusal(path) ?? NOT_COMMITTED;
  if (fault === 'missing') return `File to be ${DONE[action.action]} \`${path}\` does not exist.`;
  if (fault === 'blocked') return NOT_COMMITTED;
  if (fault === 'changed') return `The file has changed since you started editing it: ${path}`;
  return action.action === 'move'
    ? `Move destination \`${path}\` already exists.`
    : `Your changes could not be committed because a file with the name \`${path}\` already exists.`;
}

/** The input that an action failed by. */
export function inputOf({ action }: Action, { fault }: ActionFailed): string {
  if (fault === 'changed') return 'last_commit_id';
  return fault === 'missing' && action === 'move' ? 'previous_path' : 'file_path';
}

/** The content of a file in the commit in which a client knows it; undefined if it names none. */
export async function contentKnown(
  reader: RepositoryReader | null,
  path: string,
  lastCommitId: string | null | undefined,
): Promise<Oid | null | undefined> {
  if (lastCommitId == null) return undefined;
  const commit = isOid(lastCommitId) ? await reader?.commit(lastCommitId) : null;
  const usable = pathFault(path) === null;
  return commit && usable ? ((await reader?.entry(commit.tree, path))?.oid ?? null) : null;
}

const DONE = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  move: 'moved',
  chmod: 'changed',
  link: 'updated',
};

function parse(given: RawAction, empty: boolean): { action: Action | null; fault: string | null } {
  const wrong = (fault: string, action: Action | null = null) => ({ action, fault });
  const kind = given.action ?? '';
  if (!isKind(kind)) return wrong(`Unknown action type \`${kind}\`.`);
  const path = filePathOf(given.filePath ?? '');
  if (path === '') return wrong('You must specify a file_path.');
  const previousPath = filePathOf(given.previousPath ?? '');
  const unusable = pathRefusal(path) ?? (kind === 'move' && previousPath !== '' ? pathRefusal(previousPath) : null);
  if (unusable !== null) return wrong(unusable);
  if (empty && kind !== 'create') return wrong(`No files to ${kind}.`);
  const { was } = given;
  const executable = given.executeFilemode ?? undefined;
  if (kind === 'chmod') {
    if (executable === undefined) return wrong('You must provide execute_filemode.');
    return { action: { action: kind, path, executable, was }, fault: null };
  }
  if (kind === 'delete') return { action: { action: kind, path, was }, fault: null };
  const content = given.content == null ? undefined : contentOf(given.content, given.encoding);
  if (kind === 'move') {
    if (previousPath === '') return wrong(`You must supply the original file path when moving file \`${path}\`.`);
    return { action: { action: kind, path, previousPath, content, executable, was }, fault: null };
  }
  // The existence of the file is checked before its content.
  const action = { action: kind, path, content: content ?? Buffer.alloc(0), executable, was };
  return content === undefined ? wrong('You must provide content.', action) : { action, fault: null };
}

function isKind(kind: string): kind is Exclude<Action['action'], 'link'> {
  return kind !== 'link' && Object.hasOwn(DONE, kind);
}

import { authorize } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { parseActions, type RawAction, refusalOf } from '#src/domain/repository/commits/actions.ts';
import { readContent } from '#src/domain/repository/commits/content.ts';
import type { GivenAction } from '#src/domain/repository/commits/create.ts';
import { contentBytes } from '#src/domain/repository/commits/measure.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { findRevision } from '#src/domain/repository/revision.ts';
import { EXECUTABLE, FILE, type Mode } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import type { Side } from '#src/git/base/side.ts';
import type { Diff, DiffEntry } from '#src/git/diff/diff.ts';
import { patchOfContents } from '#src/git/diff/in_process.ts';
import { type Action, ActionFailed, type ActionFault } from '#src/git/write/actions.ts';
import { BadRequest, ContentTooLarge, NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** Actions that are compared at once, and bytes of their contents together. */
const MAX_ACTIONS = 100;
const MAX_BYTES = 20 * 1024 * 1024;

/** Bytes of a file that is compared, and milliseconds for all of them. */
const MAX_FILE_BYTES = 1024 * 1024;
const TIMEOUT_MS = 5_000;

/**
 * What a commit of these actions would change in a revision, by path; nothing is written. Throws NotFound for the revision, BadRequest
 * with the message that the commit would have, ValidationFailed and ContentTooLarge for too much, Forbidden, Unauthenticated.
 *
 * @param ref as of findRevision; may be left out in an empty repository
 */
export async function previewActions(
  context: Context,
  project: ProjectRow,
  ref: string | null | undefined,
  given: readonly GivenAction[],
): Promise<Diff> {
  authorize(context.actor, 'read_repository', project);
  if (given.length > MAX_ACTIONS) throw new ValidationFailed({ actions: [`are too many (maximum is ${MAX_ACTIONS})`] });
  const revision = await findRevision(context, project, ref || null);
  if (!revision && ref) throw new NotFound('Commit');
  const raw: RawAction[] = [];
  for (const action of given) raw.push({ ...action, content: await readContent(context, action) });
  if (raw.reduce((sum, action) => sum + contentBytes(action), 0) > MAX_BYTES) {
    throw new ContentTooLarge(`the contents can be at most ${MAX_BYTES} bytes together`);
  }
  const { actions, fault } = parseActions(raw, revision === null);
  if (fault !== null) throw new BadRequest(fault);
  return withEffort(context, () => compareDrafts(new Drafts(revision), actions));
}

/** A file as it would be after the actions. */
interface Draft {
  /** The file of the commit that it comes from; null for a new one. */
  origin: Side | null;
  mode: Mode;
  /** Null where it is that of the origin. */
  content: Buffer | null;
}

/** The files of a commit with the actions that were done; null for those that are gone. */
class Drafts {
  readonly #reader: RepositoryReader | null;
  readonly #commit: string;
  readonly #known = new Map<string, Draft | 'directory' | null>();
  /** The files of the commit that were looked at. */
  readonly origins = new Map<string, Side>();

  constructor(revision: { repository: RepositoryReader; oid: string } | null) {
    this.#reader = revision?.repository ?? null;
    this.#commit = revision?.oid ?? '';
  }

  get reader(): RepositoryReader | null {
    return this.#reader;
  }

  async find(path: string): Promise<Draft | 'directory' | null> {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const entry = (await this.#reader?.entry(this.#commit, path)) ?? null;
    if (entry === null) return null;
    if (entry.type !== 'blob') return 'directory';
    const origin = { path: entry.path, mode: entry.mode, oid: entry.oid };
    this.origins.set(path, origin);
    return { origin, mode: entry.mode, content: null };
  }

  put(path: string, draft: Draft | null): void {
    this.#known.set(path, draft);
  }

  /** The files that the actions leave, by path. */
  left(): [path: string, draft: Draft][] {
    return [...this.#known].flatMap(([path, draft]) =>
      draft === null || draft === 'directory' ? [] : [[path, draft] as [string, Draft]],
    );
  }
}

async function apply(
  drafts: Drafts,
  action: Action,
  fail: (fault: ActionFault, path?: string) => never,
): Promise<void> {
  const present = await drafts.find(action.path);
  if (action.action === 'create') {
    if (present !== null) fail('exists');
    return drafts.put(action.path, {
      origin: null,
      mode: action.executable ? EXECUTABLE : FILE,
      content: action.content,
    });
  }
  if (action.action === 'move') {
    const moved = await drafts.find(action.previousPath);
    if (moved === null || moved === 'directory') return fail('missing', action.previousPath);
    if (present !== null && action.path !== action.previousPath) fail('exists');
    drafts.put(action.previousPath, null);
    return drafts.put(action.path, { ...moved, mode: modeOf(moved, action), content: action.content ?? moved.content });
  }
  if (present === null || present === 'directory') return fail('missing');
  if (action.action === 'delete') return drafts.put(action.path, null);
  const content = action.action === 'update' ? action.content : present.content;
  drafts.put(action.path, { ...present, mode: modeOf(present, action), content });
}

function modeOf({ mode }: Draft, action: Action): Mode {
  if (!('executable' in action) || action.executable === undefined) return mode;
  return action.executable ? EXECUTABLE : FILE;
}

async function compareDrafts(drafts: Drafts, actions: readonly Action[]): Promise<Diff> {
  for (const [index, action] of actions.entries()) {
    await apply(drafts, action, (fault, path = action.path) => {
      throw new BadRequest(refusalOf(action, new ActionFailed(index, fault, path)));
    });
  }
  const left = drafts.left();
  const kept = new Set(left.flatMap(([, { origin }]) => (origin === null ? [] : [origin.path])));
  const gone = [...drafts.origins].filter(([path]) => !kept.has(path));
  const pairs = [
    ...left.map(([path, draft]) => ({ path, old: draft.origin, draft })),
    ...gone.map(([path, old]) => ({ path, old, draft: null })),
  ].sort((one, other) => (one.path < other.path ? -1 : 1));
  const deadline = performance.now() + TIMEOUT_MS;
  const entries: DiffEntry[] = [];
  for (const pair of pairs) {
    const entry = await entryOf(drafts.reader, pair, deadline);
    if (entry !== null) entries.push(entry);
  }
  return {
    entries,
    additions: entries.reduce((sum, { additions }) => sum + additions, 0),
    deletions: entries.reduce((sum, { deletions }) => sum + deletions, 0),
    overflow: entries.some(({ tooLarge }) => tooLarge),
  };
}

/** How a file would differ; null where it would not. */
async function entryOf(
  reader: RepositoryReader | null,
  { path, old, draft }: { path: string; old: Side | null; draft: Draft | null },
  deadline: number,
): Promise<DiffEntry | null> {
  const isRenamed = old !== null && draft !== null && old.path !== path;
  const size = old === null ? 0 : ((await reader?.blobSize(old.oid)) ?? 0);
  const isLarge = size > MAX_FILE_BYTES || (draft?.content?.length ?? 0) > MAX_FILE_BYTES;
  const before = old === null || isLarge ? null : ((await reader?.blob(old.oid, MAX_FILE_BYTES)) ?? null);
  const after = draft === null ? null : (draft.content ?? before);
  const isSame =
    old !== null && draft !== null && (draft.content === null || (!isLarge && before?.equals(draft.content)));
  if (isSame && !isRenamed && old.mode === draft.mode) return null;
  const now = draft === null ? null : { path, mode: draft.mode, oid: old?.oid ?? '' };
  const patch = isLarge || isSame ? null : await patchOfContents({ old, now }, before, after, deadline);
  return {
    oldPath: old?.path ?? path,
    newPath: path,
    oldMode: old?.mode ?? null,
    newMode: draft?.mode ?? null,
    oldOid: old?.oid ?? null,
    newOid: null,
    newFile: old === null,
    deletedFile: draft === null,
    renamedFile: isRenamed,
    similarity: isRenamed ? (isSame ? 100 : 0) : null,
    diff: patch?.text ?? '',
    binary: patch?.binary ?? false,
    tooLarge: patch === null && !isSame,
    additions: patch?.additions ?? 0,
    deletions: patch?.deletions ?? 0,
  };
}

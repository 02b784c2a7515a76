import { isUtf8 } from 'node:buffer';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { findProject } from '#src/domain/projects/find.ts';
import {
  ASK,
  forbidden,
  openRemote,
  type PushedObjects,
  type RemoteProtocol,
  type RemoteRepository,
  type RemoteService,
  requireGitAccess,
  type SideRepository,
  type SideRules,
} from '#src/domain/repository/access_remote.ts';
import type { RefChange } from '#src/domain/repository/change_refs.ts';
import { lockFiles, MAX_FILES, MAX_SNIPPET_BYTES } from '#src/domain/snippets/files.ts';
import { findSnippet } from '#src/domain/snippets/find.ts';
import { namesFault } from '#src/domain/snippets/names.ts';
import { BRANCH, openSnippetRepository, recordFiles, type SnippetRepository } from '#src/domain/snippets/repository.ts';
import { mayChange } from '#src/domain/snippets/save.ts';
import { arranged, textsAt } from '#src/domain/snippets/tree.ts';
import { type Oid, SUBMODULE, SYMLINK } from '#src/git/base/model.ts';
import { NotFound, Unauthenticated } from '#src/platform/errors.ts';
import { select } from '#src/platform/records/selection.ts';

/** The address of the repository of a snippet: `snippets/1`, or that of its project with `/snippets/1` behind it. */
const ADDRESS = /^(?:(.+)\/)?snippets\/([1-9]\d{0,8})$/;

const OPENED = select('Snippet', { id: true, authorId: true, project: { fullPath: true } });

/** The message for signed-in callers, the same for missing and invisible snippets. */
const NO_SNIPPET = 'There is no such snippet, or you are not allowed to see it.';

/**
 * The repository at a path that the actor may fetch from or push to: that of a project, its wiki, or a snippet. Throws as openRemote.
 *
 * @param fullPath without `.git`
 */
export async function openAnyRemote(
  context: Context,
  fullPath: string,
  service: RemoteService,
  protocol: RemoteProtocol = 'http',
): Promise<RemoteRepository> {
  const [, place = null, id] = ADDRESS.exec(fullPath) ?? [];
  if (id === undefined) return openRemote(context, fullPath, service, protocol);
  await requireGitAccess(context, service, protocol);
  const snippet = await locate(context, place, Number(id));
  // A group may have a subgroup with the name `snippets`.
  if (snippet === null && place !== null) return openRemote(context, fullPath, service, protocol);
  if (snippet === null) throw context.actor ? new NotFound('Snippet', NO_SNIPPET) : new Unauthenticated(ASK);
  requireRight(context.actor, snippet, service);
  const opened = await openSnippetRepository(context, snippet.id);
  return sideOf(opened, fullPath);
}

interface Located {
  id: number;
  authorId: number;
}

/** The snippet of a place, if the actor can see it. Throws NotFound with the new path of a moved project. */
async function locate(context: Context, place: string | null, id: number): Promise<Located | null> {
  if (place?.includes('\0')) return null;
  try {
    const snippet = await findSnippet(context, id, OPENED);
    const found = snippet.project?.fullPath ?? null;
    if (found?.toLowerCase() === place?.toLowerCase()) return snippet;
    if (found !== null && place !== null) await requireUnmoved(context, place, { found, id });
    return null;
  } catch (error) {
    if (error instanceof NotFound && error.extensions.movedTo) throw error;
    if (error instanceof NotFound || error instanceof Unauthenticated) return null;
    throw error;
  }
}

/** Throws NotFound with the new path if the project of a snippet was at the place before. */
async function requireUnmoved(
  context: Context,
  place: string,
  { found, id }: { found: string; id: number },
): Promise<void> {
  const error: unknown = await findProject(context, place).catch((error) => error);
  if (!(error instanceof NotFound) || error.extensions.movedTo !== found) return;
  throw new NotFound('Snippet', `The project has moved to ${found}.`, `${found}/snippets/${id}`);
}

/** Throws Unauthenticated or DomainError of FORBIDDEN for what the actor may not do with a snippet that they can see. */
function requireRight(actor: Actor | null, snippet: Located, service: RemoteService): void {
  if (actor && (actor.jobProjectId !== undefined || actor.place !== undefined))
    throw forbidden('The tokens of jobs and deploy tokens do not reach snippets.');
  if (service === 'fetch') return;
  if (!actor) throw new Unauthenticated(ASK);
  if (!mayChange(actor, snippet)) throw forbidden('You are not allowed to push to this snippet.');
}

function sideOf({ place, reader }: SnippetRepository, address: string): SideRepository {
  const rules: SideRules = {
    async refusals(commands, objects) {
      const refused = new Map<RefChange, string>();
      for (const command of commands) {
        const reason = await refusalOf(command, objects);
        if (reason !== null) refused.set(command, reason);
      }
      return refused;
    },
    async record(tx, changes) {
      const [change] = changes;
      if (!change?.to) return;
      const before = await lockFiles(tx, place.id);
      await recordFiles(tx, place, arranged(before, await textsAt(reader, change.to)), change.to);
    },
  };
  return { ...place, side: true, address, rules };
}

/** Why a change of a ref of a snippet is refused; null if it may be made. */
async function refusalOf({ name, to }: RefChange, objects: PushedObjects): Promise<string | null> {
  if (name !== `refs/heads/${BRANCH}`) return `a snippet has only the branch ${BRANCH}`;
  if (to === null) return `the branch ${BRANCH} of a snippet cannot be deleted`;
  return filesRefusal(to, objects);
}

/** Why a commit has files that a snippet cannot have; null if it can. */
export async function filesRefusal(commit: Oid, objects: PushedObjects): Promise<string | null> {
  const files = await objects.treeFiles(commit, MAX_FILES);
  if (files === null) return `a snippet can have at most ${MAX_FILES} files`;
  return fileFault(files) ?? (await textFault(files, objects));
}

type Files = NonNullable<Awaited<ReturnType<PushedObjects['treeFiles']>>>;

/** What is wrong with the names, kinds and sizes of files; null if nothing is. */
function fileFault(files: Files): string | null {
  if (files.length === 0) return 'a snippet has at least one file';
  const names = files.map(({ path }) => path);
  if (files.some(({ mode }) => mode === SYMLINK)) return 'a snippet cannot have symbolic links';
  if (files.some(({ mode, type }) => mode === SUBMODULE || type !== 'blob')) return 'a snippet cannot have submodules';
  if (names.some((name) => !name.isWellFormed())) return 'the names of files are not in UTF-8';
  if (names.some((name) => name.length > MAX_NAME_LENGTH))
    return `the path of a file can have at most ${MAX_NAME_LENGTH} characters`;
  if (names.some((name) => name.trim() !== name) || namesFault(names) !== null)
    return 'a file has a name that is not allowed';
  if (files.reduce((sum, { size }) => sum + size, 0) > MAX_SNIPPET_BYTES)
    return `the files of a snippet can have at most ${MAX_SNIPPET_BYTES} bytes together`;
  return null;
}

const MAX_NAME_LENGTH = 255;

/** The first file that is not text; null if all are. */
async function textFault(files: Files, objects: PushedObjects): Promise<string | null> {
  const oids: Oid[] = files.map(({ oid }) => oid);
  const contents = await objects.blobs(oids, MAX_SNIPPET_BYTES);
  const broken = files.find(({ oid }) => {
    const content = contents?.get(oid);
    return content === undefined || content.includes(0) || !isUtf8(content);
  });
  return broken ? `${broken.path} is not a text in UTF-8` : null;
}

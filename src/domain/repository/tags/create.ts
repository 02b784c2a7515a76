import type { Actor, Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { RefOutcome } from '#src/domain/repository/change_refs.ts';
import { tagRefusals } from '#src/domain/repository/protections/of_tags.ts';
import { requireRoom } from '#src/domain/repository/quota.ts';
import { findPusher, pushRefs } from '#src/domain/repository/record.ts';
import { resolveRevision } from '#src/domain/repository/revision.ts';
import { insertRelease } from '#src/domain/repository/tags/insert_release.ts';
import { findTag, type TagRow } from '#src/domain/repository/tags/list.ts';
import { checkRelease } from '#src/domain/repository/tags/release_values.ts';
import { requireMade, signatureOf, writableProject } from '#src/domain/repository/write.ts';
import { MissingObject } from '#src/git/base/errors.ts';
import type { Oid, Signature } from '#src/git/base/model.ts';
import type { RepositoryReader } from '#src/git/base/reader.ts';
import { PackKeepLock } from '#src/git/incoming/pack_keep_lock.ts';
import { mayBeMade } from '#src/git/refs/name.ts';
import { writeTag } from '#src/git/writer.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { BadRequest } from '#src/platform/errors.ts';

export interface NewTag {
  name: string;
  /** A branch, tag or hash. */
  target: string;
  /** Creates an annotated tag. */
  message?: string | null | undefined;
  /** Also creates a release. */
  releaseDescription?: string | null | undefined;
}

export interface NewTagOptions {
  /** The tagger of an annotated tag; the actor, now, when absent. */
  tagger?: Signature | undefined;
  /** Runs in the transaction that records the tag. */
  also?: ((tx: Transaction) => Promise<void>) | undefined;
}

/** Creates a tag, and optionally its release. Throws NotFound, Forbidden, BadRequest. */
export async function createTag(
  context: Context,
  ref: IdOrPath,
  input: NewTag,
  options: NewTagOptions = {},
): Promise<TagRow> {
  const { name } = input;
  const { actor, project } = await writableProject(context, ref);
  if (!mayBeMade(`refs/tags/${name}`)) throw new BadRequest('Tag name invalid', 'name');
  const refusal = (await tagRefusals(context.db, actor, project))(name, 'create');
  if (refusal !== null) throw new BadRequest(refusal, 'name');
  const reader = await context.repositories.open(project);
  const outcomes = await tagNow(context, { actor, project, ...options }, reader, input);
  // The commit was unreachable, and has been removed since, in whole or in part.
  if (outcomes.some(({ error }) => error instanceof MissingObject)) throw invalidTarget(input);
  // It was created concurrently, or there are tags below that name.
  if (await reader?.tag(name)) requireMade(outcomes, `Tag ${name} already exists`, { type: 'Tag', name });
  requireMade(outcomes, 'Tag name invalid');
  return findTag(context, project, name);
}

interface Tagging extends NewTagOptions {
  actor: Actor;
  project: ProjectRow;
}

async function tagNow(
  context: Context,
  { actor, project, tagger, also }: Tagging,
  reader: RepositoryReader | null,
  input: NewTag,
): Promise<RefOutcome[]> {
  const { name, target, releaseDescription } = input;
  const commit = target === '' || !reader ? null : await resolveRevision(context, project, reader, target);
  if (!reader || commit === null) throw invalidTarget(input);
  checkRelease({ description: releaseDescription ?? null });
  if (await reader.tag(name))
    throw new BadRequest(`Tag ${name} already exists`, 'name').asExisting({ type: 'Tag', name });
  const keepLock = await PackKeepLock.open(reader.directory);
  try {
    const to = await tagged(context, { actor, project, tagger }, reader, commit, input, keepLock);
    const change = { name: `refs/tags/${name}`, from: null, to };
    const release = async (tx: Transaction) => {
      // One of a tag that was there before, if its deletion was never recorded.
      await tx.release.deleteMany({ where: { projectId: project.id, tag: name.toWellFormed() } });
      if (releaseDescription) {
        await insertRelease(tx, context, { actor, project }, { tag: name, description: releaseDescription });
      }
      await also?.(tx);
    };
    return await pushRefs(context, actor, project, [change], release, { keepLock });
  } finally {
    await keepLock?.release();
  }
}

function invalidTarget({ target }: NewTag): BadRequest {
  return new BadRequest(`Target ${target} is invalid`, 'ref');
}

/** The object of the tag: the commit, or an annotation of it. */
async function tagged(
  context: Context,
  { actor, project, tagger: given }: Tagging,
  { directory }: RepositoryReader,
  commit: Oid,
  { name, message }: NewTag,
  keepLock: PackKeepLock | undefined,
): Promise<Oid> {
  const text = message?.trim();
  if (!text) return commit;
  await requireRoom(context.repositories, project, text.length);
  const tagger = given ?? signatureOf(await findPusher(context.db, actor.id));
  return writeTag(directory, { object: commit, type: 'commit', name, tagger, message: `${text}\n` }, keepLock);
}

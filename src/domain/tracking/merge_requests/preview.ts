import { authorize, can } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { defaultBranch } from '#src/domain/repository/revision.ts';
import { requireDistinct, requireTips } from '#src/domain/tracking/merge_requests/open.ts';
import { measureVersion } from '#src/domain/tracking/merge_requests/version.ts';
import type { VersionCommits } from '#src/domain/tracking/merge_requests/versions.ts';
import { NotFound, ValidationFailed } from '#src/platform/errors.ts';

/** What a merge request would bring. */
export interface MergeRequestPreview {
  sourceBranch: string;
  target: ProjectRow;
  targetBranch: string;
  /** Null if the repository of the fork lacks the head of the target branch, so that they cannot be compared before it is opened. */
  version: VersionCommits | null;
  /** Number of files that change, with `+` behind it if there are more than are counted; null without a version. */
  changesCount: string | null;
  title: string;
  description: string | null;
}

interface Wished {
  sourceBranch: string;
  /** The project that the source is a fork of if the actor can see its merge requests, else the source, when absent. */
  targetProject?: IdOrPath | null | undefined;
  /** The default branch of the target project when absent. */
  targetBranch?: string | null | undefined;
}

/**
 * What a merge request between two branches would bring, and what it would be called, for those who can open it. Writes nothing.
 * Throws NotFound, Forbidden, BadRequest, ValidationFailed, RateLimited.
 */
export async function previewMergeRequest(
  context: Context,
  source: ProjectRow,
  { sourceBranch, ...wished }: Wished,
): Promise<MergeRequestPreview> {
  const actor = requireActor(context);
  authorize(actor, 'create_merge_request', source);
  const target =
    wished.targetProject == null
      ? await usualTarget(context, source)
      : await findProject(context, wished.targetProject);
  authorize(actor, 'read_merge_request', target);
  const targetBranch = wished.targetBranch || (await usualBranch(context, target));
  const sides = { source, sourceBranch, target, targetBranch };
  await requireDistinct(context.db, sides);
  const { head, start } = await requireTips(context, sides);
  const reader = await context.repositories.open(source);
  if (!reader) throw new NotFound('Repository');
  return withEffort(context, async () => {
    const brought = (await reader.commit(start)) === null ? null : await measureVersion(reader, { head, start });
    const version = brought && {
      headCommitSha: head,
      baseCommitSha: brought.base,
      startCommitSha: start,
      project: source,
    };
    const only = brought && brought.commits.length > 1 ? null : await reader.commit(head);
    const named = { sourceBranch, target, targetBranch, version, changesCount: brought?.realSize ?? null };
    return { ...named, ...(only ? textOf(only.message) : { title: titleFrom(sourceBranch), description: null }) };
  });
}

async function usualTarget(context: Context, source: ProjectRow): Promise<ProjectRow> {
  const { forkedFromId } = await context.db.project.findUniqueOrThrow({
    where: { id: source.id },
    select: { forkedFromId: true },
  });
  if (forkedFromId === null) return source;
  const upstream = await findProject(context, forkedFromId).catch((error) => {
    if (error instanceof NotFound) return null;
    throw error;
  });
  return upstream && can(context.actor, 'read_merge_request', upstream) ? upstream : source;
}

async function usualBranch({ repositories }: Context, target: ProjectRow): Promise<string> {
  const reader = await repositories.open(target);
  const name = reader && (await defaultBranch(target, reader));
  if (!name) throw new ValidationFailed({ target_branch: ['does not exist'] });
  return name;
}

/** The message of a commit as title and description. */
function textOf(message: string): { title: string; description: string | null } {
  const [title = '', ...rest] = message.toWellFormed().trim().split('\n');
  return { title: title.trimEnd(), description: rest.join('\n').trim() || null };
}

/** The name of a branch in words: `fix-login_page` is `Fix login page`. */
function titleFrom(branch: string): string {
  const words = branch.toWellFormed().replace(/[-_]+/g, ' ').trim() || branch;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

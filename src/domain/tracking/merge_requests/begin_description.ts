import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { namesCommits, needsCommits } from '#src/domain/projects/message_placeholders.ts';
import { beginDescription, type NewDescription } from '#src/domain/repository/description_templates.ts';
import { withEffort } from '#src/domain/repository/effort.ts';
import { findPusher } from '#src/domain/repository/record.ts';
import { filledDescription } from '#src/domain/tracking/merge_requests/message.ts';
import { commitFacts, NO_COMMITS } from '#src/domain/tracking/merge_requests/message_facts.ts';
import type { MergeRequestPreview } from '#src/domain/tracking/merge_requests/preview.ts';

/**
 * What the description of a merge request begins with: the template of the target project with its placeholders filled in, and below it what
 * its only commit says, unless the template names that itself.
 *
 * @param chosen the name of a template; the usual one when absent
 * @throws RateLimited
 */
export async function beginMergeRequest(
  context: Context,
  preview: MergeRequestPreview,
  chosen: string | null | undefined,
): Promise<NewDescription> {
  const begun = await beginDescription(context, preview.target, 'merge_requests', chosen);
  const template = begun.text;
  if (template === null) return { ...begun, text: preview.description };
  const known = needsCommits(template) ? await factsOf(context, preview) : NO_COMMITS;
  const filled = filledDescription({ ...preview, ...known }, template).trimEnd();
  const added = namesCommits(template) ? null : preview.description;
  return { ...begun, text: [filled, added].filter(Boolean).join('\n\n') || null };
}

async function factsOf(context: Context, { version }: MergeRequestPreview) {
  const reader = version && (await context.repositories.open(version.project));
  if (!version || !reader) return NO_COMMITS;
  const author = await findPusher(context.db, requireActor(context).id);
  const range = { from: version.startCommitSha, to: version.headCommitSha };
  return withEffort(context, () => commitFacts(reader, range, author));
}

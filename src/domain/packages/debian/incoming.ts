import type { Context } from '#src/access/permissions/actor.ts';
import type { DebianFacts, DebianPublisher } from '#src/domain/packages/debian/facts.ts';
import { recordFile, saveVersion } from '#src/domain/packages/publish.ts';
import type { StoredContent } from '#src/domain/packages/receive.ts';
import { forgetFiles } from '#src/domain/packages/remove.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** The hidden package of each project whose files wait for a `.changes` file; no source package has such a version. */
export const INCOMING = { type: 'debian', name: 'incoming', version: 'waiting' } as const;

/** Milliseconds for which a file waits, and how many do at most. */
const MAX_AGE_MS = 24 * 60 * 60_000;
const MAX_FILES = 1_000;

/** Keeps a file for the `.changes` file that lists it, and forgets those that waited too long. Throws BadRequest, NotFound. */
export async function keepIncoming(
  context: Context,
  { actor, project }: DebianPublisher,
  { fileName, details }: { fileName: string; details: DebianFacts },
  stored: StoredContent,
): Promise<void> {
  await context.db.$transaction(async (tx) => {
    const packageId = await saveVersion(tx, { actor, project }, { ...INCOMING, status: 'hidden' });
    await forgetFiles(tx, context, project, { packageId, createdAt: { lt: new Date(Date.now() - MAX_AGE_MS) } });
    if ((await tx.packageFile.count({ where: { packageId } })) >= MAX_FILES)
      throw new BadRequest('Too many files wait for a .changes file').as('limitReached');
    await recordFile(tx, { project, packageId, fileName, details }, stored);
  });
}

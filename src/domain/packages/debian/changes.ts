import type { Context } from '#src/access/permissions/actor.ts';
import { fieldOf, type ListedChecksum, type Paragraph, readChecksums } from '#src/domain/packages/archives/deb822.ts';
import type { DebianFacts, DebianPublisher } from '#src/domain/packages/debian/facts.ts';
import { INCOMING } from '#src/domain/packages/debian/incoming.ts';
import { readSourceControl } from '#src/domain/packages/debian/source_control.ts';
import {
  componentIn,
  distributionFor,
  requireArchitecture,
  saveInDistribution,
  type TargetDistribution,
} from '#src/domain/packages/debian/target.ts';
import { checkKind } from '#src/domain/packages/names.ts';
import { recordFile, saveVersion } from '#src/domain/packages/publish.ts';
import type { StoredContent } from '#src/domain/packages/receive.ts';
import { forgetFiles } from '#src/domain/packages/remove.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** Files that a `.changes` file lists at most. */
const MAX_FILES = 500;
const WHAT = 'The .changes file';

/** What a `.changes` file tells. */
interface Changes {
  source: { name: string; version: string };
  distribution: string;
  files: ListedChecksum[];
}

/** A file that waits. */
interface Waiting {
  id: number;
  fileName: string;
  sha256: string;
  size: bigint;
  details: unknown;
}

/**
 * Publishes the files that a `.changes` file lists, all or none. They have been uploaded before; those that were published already
 * count, too. Throws BadRequest, NotFound.
 */
export async function publishChanges(
  context: Context,
  { actor, project }: DebianPublisher,
  fileName: string,
  stored: StoredContent,
): Promise<void> {
  const changes = changesOf(await readSourceControl(stored, WHAT));
  const distribution = await distributionFor(context, project, changes.distribution);
  checkKind('debian', { ...changes.source, fileName });
  await context.db.$transaction(async (tx) => {
    const waiting = await saveVersion(tx, { actor, project }, { ...INCOMING, status: 'hidden' });
    const packageId = await saveInDistribution(tx, { actor, project }, changes.source, distribution);
    const moved = await filesToMove(tx, { waiting, packageId }, changes.files);
    for (const { file, section } of moved) {
      const facts = file.details as DebianFacts;
      requireArchitecture(distribution, facts.architecture);
      const place = { distribution: distribution.codename, component: componentOf(distribution, section) };
      const details = { ...facts, ...place };
      await tx.packageFile.update({ where: { id: file.id }, data: { packageId, details } });
    }
    // Earlier uploads of the same files, and those that were published before.
    const names = changes.files.map(({ name }) => name);
    await forgetFiles(tx, context, project, { packageId: waiting, fileName: { in: names } });
    const details: DebianFacts = { kind: 'file', distribution: distribution.codename };
    await recordFile(tx, { project, packageId, fileName, details }, stored);
  });
}

/** What waits of the listed files, without those that are published with the same content. Throws BadRequest. */
async function filesToMove(
  tx: Transaction,
  { waiting, packageId }: { waiting: number; packageId: number },
  listed: readonly ListedChecksum[],
): Promise<{ file: Waiting; section: string | null }[]> {
  const names = listed.map(({ name }) => name);
  const select = { id: true, packageId: true, fileName: true, sha256: true, size: true, details: true } as const;
  const where = { packageId: { in: [waiting, packageId] }, fileName: { in: names } };
  const there = await tx.packageFile.findMany({ where, select, orderBy: { id: 'desc' } });
  const missing: string[] = [];
  const moved: { file: Waiting; section: string | null }[] = [];
  for (const { name, checksum, size, section } of listed) {
    const own = there.filter((file) => file.fileName === name);
    const published = own.find((file) => file.packageId === packageId);
    if (published && published.sha256 !== checksum)
      throw new BadRequest(`${name} has already been published`).asExisting({ type: 'Package', name });
    if (published) continue;
    const file = own.find((one) => one.sha256 === checksum && Number(one.size) === size);
    if (file) moved.push({ file, section });
    else missing.push(name);
  }
  if (missing.length > 0)
    throw new BadRequest(`Files that the .changes file lists were not uploaded, or differ: ${missing.join(', ')}`);
  return moved;
}

/** `contrib/net` is in contrib, and `net` in the first component. Throws BadRequest. */
function componentOf(distribution: TargetDistribution, section: string | null): string {
  const mark = section?.indexOf('/') ?? -1;
  return componentIn(distribution, mark > 0 && section ? section.slice(0, mark) : null);
}

/** Throws BadRequest. */
function changesOf(paragraph: Paragraph): Changes {
  const needed = (name: string) => {
    const value = fieldOf(paragraph, name);
    if (value === undefined) throw new BadRequest(`${WHAT} has no ${name}`);
    return value;
  };
  // Of builds of binary packages alone: `name (version of the source)`.
  const name = needed('Source').replace(/\s.*$/s, '');
  const sections = new Map(readChecksums(needed('Files'), WHAT).map(({ name: file, section }) => [file, section]));
  const files = readChecksums(needed('Checksums-Sha256'), WHAT);
  if (files.length === 0 || files.length > MAX_FILES) throw new BadRequest(`${WHAT} must list 1 to ${MAX_FILES} files`);
  return {
    source: { name, version: needed('Version') },
    distribution: needed('Distribution'),
    files: files.map((file) => ({ ...file, section: sections.get(file.name) ?? null })),
  };
}

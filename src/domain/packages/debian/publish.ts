import type { Context } from '#src/access/permissions/actor.ts';
import { readDeb } from '#src/domain/packages/archives/deb.ts';
import { writeParagraph } from '#src/domain/packages/archives/deb822.ts';
import { publishChanges } from '#src/domain/packages/debian/changes.ts';
import type { DebianFacts, DebianPublisher } from '#src/domain/packages/debian/facts.ts';
import { INCOMING, keepIncoming } from '#src/domain/packages/debian/incoming.ts';
import { readSourceControl } from '#src/domain/packages/debian/source_control.ts';
import {
  componentIn,
  distributionFor,
  requireArchitecture,
  saveInDistribution,
} from '#src/domain/packages/debian/target.ts';
import { checkKind } from '#src/domain/packages/names.ts';
import { recordFile } from '#src/domain/packages/publish.ts';
import { requireRoom, type StoredContent } from '#src/domain/packages/receive.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** A file that is uploaded. */
export interface DebianUpload {
  fileName: string;
  /** Codename or suite, for a binary package that is published by itself. */
  distribution?: string | undefined;
  component?: string | undefined;
}

/** Files that are kept until a `.changes` file names them: sources, and what tells of a build. */
const OTHER = /\.(?:tar\.(?:gz|bz2|xz|lzma|zst)(?:\.asc)?|diff\.gz|asc|buildinfo)$/;

/**
 * Takes a file as `dput` sends it. With a distribution a binary package is published at once; else files wait for the `.changes` file
 * that lists them. Throws BadRequest, LimitReached, NotFound, Unavailable.
 */
export async function uploadDebianFile(
  context: Context,
  by: DebianPublisher,
  upload: DebianUpload,
  stored: StoredContent,
): Promise<void> {
  const { fileName, distribution } = upload;
  checkKind('debian', { name: INCOMING.name, version: '0', fileName });
  await requireRoom(context, by.project.id, stored.size);
  if (distribution !== undefined && !/\.u?deb$/.test(fileName))
    throw new BadRequest('distribution is for .deb and .udeb files: list others in a .changes file', 'distribution');
  if (fileName.endsWith('.changes')) return publishChanges(context, by, fileName, stored);
  const read = await factsOf(by, fileName, stored);
  if (distribution === undefined) return keepIncoming(context, by, { fileName, details: read.facts }, stored);
  await publishBinary(context, by, { ...upload, distribution }, read, stored);
}

interface Read {
  facts: DebianFacts;
  source?: { name: string; version: string };
}

/** What the file says of itself. Throws BadRequest, Unavailable. */
async function factsOf({ project }: DebianPublisher, fileName: string, stored: StoredContent): Promise<Read> {
  const [, kind] = /\.(u?deb|ddeb|dsc)$/.exec(fileName) ?? [];
  if (kind === 'dsc')
    return { facts: { kind, control: writeParagraph(await readSourceControl(stored, 'The .dsc file')) } };
  if (kind === undefined) {
    if (OTHER.test(fileName)) return { facts: { kind: 'file' } };
    throw new BadRequest(
      'file_name must name a .deb, .udeb, .dsc, .changes or .buildinfo file, or the sources of a package',
      'file_name',
    );
  }
  const { control, architecture, source } = await readDeb(project.id, stored.stream());
  return {
    facts: { kind: kind === 'udeb' ? kind : 'deb', architecture, control: writeParagraph(control) },
    source,
  };
}

async function publishBinary(
  context: Context,
  { actor, project }: DebianPublisher,
  { fileName, distribution: wanted, component }: DebianUpload & { distribution: string },
  { facts, source = { name: '', version: '' } }: Read,
  stored: StoredContent,
): Promise<void> {
  const distribution = await distributionFor(context, project, wanted);
  requireArchitecture(distribution, facts.architecture);
  const place = { distribution: distribution.codename, component: componentIn(distribution, component ?? null) };
  const details: DebianFacts = { ...facts, ...place };
  checkKind('debian', { ...source, fileName });
  await context.db.$transaction(async (tx) => {
    const packageId = await saveInDistribution(tx, { actor, project }, source, distribution);
    if ((await tx.packageFile.count({ where: { packageId, fileName } })) > 0)
      throw new BadRequest(`${fileName} has already been published`).asExisting({ type: 'Package', name: fileName });
    await recordFile(tx, { project, packageId, fileName, details }, stored);
  });
}

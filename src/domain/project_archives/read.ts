import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { KINDS } from '#src/domain/project_archives/kinds.ts';
import { ArchiveInvalid, recordIn } from '#src/domain/project_archives/lines.ts';
import { treeFile, VERSION } from '#src/domain/project_archives/place.ts';
import { ArchiveRefused } from '#src/git/archive/files.ts';
import { GitError } from '#src/git/base/errors.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { DomainError } from '#src/platform/errors.ts';

/** Bytes of `version.json` and `project.json`. */
const MAX_METADATA_BYTES = 1024 * 1024;

/** Requires the version of the format of archives that this server reads. Throws ArchiveInvalid. */
export async function requireVersion(
  directory: string,
  wanted: { format: string; version: number },
  of: string,
): Promise<void> {
  const { format, version } = await headFile(directory, VERSION);
  if (format !== wanted.format) throw new ArchiveInvalid(`The archive is not one of a ${of} of Gantry.`);
  if (version !== wanted.version) {
    throw new ArchiveInvalid(
      `The archive has version ${String(version).slice(0, 20)}; this server reads version ${wanted.version}.`,
    );
  }
}

/** A small file with an object of JSON. Throws ArchiveInvalid without it. */
export async function headFile(directory: string, name: string): Promise<Record<string, unknown>> {
  const file = path.join(directory, name);
  const found = await stat(file).catch(() => null);
  if (!found) throw new ArchiveInvalid(`The archive has no ${name}.`);
  if (found.size > MAX_METADATA_BYTES) throw new ArchiveInvalid(`${name} has more than ${MAX_METADATA_BYTES} bytes.`);
  return recordIn(await readFile(file), name);
}

/** What an error says to those who imported; null for one of the server. */
export function explained(error: unknown): string | null {
  if (error instanceof ArchiveInvalid || error instanceof DomainError) return error.message;
  if (error instanceof ArchiveRefused) return `The archive ${error.message}.`;
  if (error instanceof GitError) return `A repository of the archive is not accepted: ${error.message}`.slice(0, 500);
  if (error instanceof Prisma.PrismaClientValidationError) return CONTRADICTION;
  if (!(error instanceof Prisma.PrismaClientKnownRequestError) || !CONTRADICTIONS.includes(error.code)) return null;
  const kind = KINDS.find(({ model }) => model === error.meta?.modelName);
  return kind ? `Records of ${treeFile(kind.name)} contradict each other, or lack values.` : CONTRADICTION;
}

const CONTRADICTION = 'Records of the archive contradict each other, or lack values.';

/** Violations of what the database requires of values: too long, not unique, no such record, null, a check. */
const CONTRADICTIONS = ['P2000', 'P2002', 'P2003', 'P2004', 'P2011', 'P2020', 'P2025'];

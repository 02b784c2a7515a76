import type { Finding } from '#src/entrances/fsck/finding.ts';
import { ProgramFailed } from '#src/git/base/errors.ts';
import type { Oid } from '#src/git/base/model.ts';
import { checkHistory } from '#src/git/history/check.ts';
import { programVersion } from '#src/git/program/detect.ts';
import { runFsck } from '#src/git/program/fsck.ts';
import type { BrokenRef } from '#src/git/refs/check.ts';
import { reachAny } from '#src/git/remote/reach.ts';
import { refValues } from '#src/git/remote/secure.ts';

export interface ObjectOptions {
  /** Refs known to be broken, which have findings of their own. */
  broken: readonly BrokenRef[];
  /** The maximum number of complaints in the finding. */
  most: number;
}

/** Milliseconds that git may take to check one repository, and to find out whether refs depend on damaged objects. */
const TIMEOUT = 60 * 60_000;
/** The maximum number of objects to check without a git program: each takes some hundred bytes of memory. */
const MAX_OBJECTS = 2_000_000;

/** Checks the objects of a repository; yields a finding if some are missing or damaged. */
export async function checkObjects(
  directory: string,
  { broken, most }: ObjectOptions,
): Promise<Omit<Finding, 'project' | 'place'>[]> {
  const ignore = (line: string) => broken.some((ref) => isAbout(line, ref));
  const look = async () =>
    (await programVersion()) === null
      ? checkHistory(directory, { most, objects: MAX_OBJECTS, ignore })
      : runFsck(directory, { timeout: TIMEOUT, most, ignore });
  // A repack may have been running: real damage is still there the second time.
  const complaints = (await look()).length === 0 ? [] : await look();
  if (complaints.length === 0) return [];
  const said = complaints.join('; ');
  if (complaints.length < most && (await isUnused(directory, complaints, broken))) {
    const what = `Objects to which no ref leads are damaged: ${said}. An interrupted write may have left them. Nothing was lost.`;
    return [{ what, advice: 'Nothing needs these objects: their files can be deleted.', isHarmless: true }];
  }
  const restore = 'Restore it from a backup, or push it again from a complete clone.';
  const advice = `Refs that do not lead there are not affected. ${restore}`;
  return [{ what: `Objects are missing or damaged: ${said}.`, advice }];
}

/** Whether a complaint is about a broken ref, by its full name, or about its missing object. */
function isAbout(line: string, { name, target }: BrokenRef): boolean {
  if (target !== null && line === `missing object ${target}`) return true;
  return line.split(/\s+/).some((word) => word === name || word.replace(/^['"]|['"]?[:,.]?$/g, '') === name);
}

/** Messages of git about an object that another line names. */
const FOLLOWS = /^error: (inflate|garbage at end of loose|unable to unpack)\b/;

/** Whether no ref depends on the objects that the complaints are about; false if unknown. */
async function isUnused(
  directory: string,
  complaints: readonly string[],
  broken: readonly BrokenRef[],
): Promise<boolean> {
  if ((await programVersion()) === null) return false;
  const oids = new Set<Oid>();
  for (const line of complaints) {
    const named = objectsIn(line);
    // Git does not report which objects of a pack are damaged.
    if (/\bpack/i.test(line) || (named.length === 0 && !FOLLOWS.test(line))) return false;
    for (const oid of named) oids.add(oid);
  }
  if (oids.size === 0) return false;
  const missing = new Set(broken.map(({ target }) => target));
  const values = [...(await refValues(directory))].filter((oid) => !missing.has(oid));
  try {
    return !(await reachAny(directory, values, oids, TIMEOUT));
  } catch (error) {
    if (error instanceof ProgramFailed) return false;
    throw error;
  }
}

/** The objects named in a line, also by the paths of their files. */
function objectsIn(line: string): Oid[] {
  const names = line.matchAll(/(?<![0-9a-f])(?:objects\/([0-9a-f]{2})\/([0-9a-f]{38})|([0-9a-f]{40}))(?![0-9a-f])/g);
  return [...names].map(([, folder = '', rest = '', whole]) => whole ?? folder + rest);
}

import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Finding } from '#src/fsck/finding.ts';
import { checkHistory } from '#src/git/history/check.ts';
import { programVersion } from '#src/git/program/detect.ts';
import { runFsck } from '#src/git/program/fsck.ts';
import { type BrokenRef, findBrokenRefs } from '#src/git/refs/check.ts';
import { findLeftovers, removeLeftovers } from '#src/git/write/leftovers.ts';
import { cleanUp } from '#src/repository/clean_up.ts';
import { withRepositoryLock } from '#src/repository/lock.ts';
import { type Stores, unrecordedChanges } from '#src/repository/reconcile.ts';
import type { RepositoryPlace } from '#src/repository/store.ts';

/** A project as it is checked. */
export interface CheckedProject extends RepositoryPlace {
  fullPath: string;
  /** How many refs the database knows of. */
  recorded: number;
}

/** How much is said of one repository. */
const MOST = 20;
/** Milliseconds that git may take for one repository. */
const TIMEOUT = 60 * 60_000;
/** Objects that are looked at where there is no git program: some hundred bytes of memory each. */
const MOST_OBJECTS = 2_000_000;

const RESTORE = 'Restore it from a backup, or push it again from a complete clone.';

/** Checks the repository of a project: whether it is there and whole, and as the database has it. */
export async function checkRepository(stores: Stores, project: CheckedProject, fix: boolean): Promise<Finding[]> {
  const directory = stores.repositories.directory(project);
  const about = { project: project.fullPath, place: directory };
  if ((await stat(directory).catch(() => null)) === null) {
    if (project.recorded === 0) return [];
    const what = `The repository is missing; the database knows of ${project.recorded} branches and tags.`;
    return [{ ...about, what, advice: 'Restore the directory from a backup.' }];
  }
  if ((await stores.repositories.open(project)) === null) {
    const advice = `Restore the directory from a backup, or write "ref: refs/heads/<default branch>" into ${path.join(directory, 'HEAD')}.`;
    return [{ ...about, what: 'The directory is no repository: the file HEAD is missing.', advice }];
  }
  const broken = await findBrokenRefs(directory);
  const findings = [
    ...describeRefs(directory, broken),
    ...(await checkObjects(directory, broken)),
    ...(await checkRecords(stores, project)),
    ...(await checkLeftovers(stores, project, fix)),
  ];
  return findings.map((finding) => ({ ...about, ...finding }));
}

type Found = Pick<Finding, 'what' | 'advice' | 'isFixed'>;

function describeRefs(directory: string, broken: readonly BrokenRef[]): Found[] {
  return broken.slice(0, MOST).map(({ name, target }) => ({
    what:
      target === null
        ? `The file of ${name} is no ref.`
        : `${name} leads to ${target}, which is missing. The other refs are not affected.`,
    advice: `Push it again from a clone that has it, or delete it: git --git-dir=${directory} update-ref --no-deref -d ${name}`,
  }));
}

async function checkObjects(directory: string, broken: readonly BrokenRef[]): Promise<Found[]> {
  const look = async () => {
    const complaints =
      (await programVersion()) === null
        ? await checkHistory(directory, { most: MOST, objects: MOST_OBJECTS })
        : await runFsck(directory, { timeout: TIMEOUT, most: MOST });
    // What is said of refs is said already.
    return complaints.filter(
      (line) => !broken.some(({ name, target }) => line.includes(name) || line.includes(`missing object ${target}`)),
    );
  };
  const first = await look();
  // While it was looked at somebody may have repacked it: what is really wrong is so once more.
  const complaints = first.length === 0 ? [] : await look();
  if (complaints.length === 0) return [];
  const what = `Objects are missing or damaged: ${complaints.join('; ')}.`;
  return [{ what, advice: `Refs that do not lead there are not affected. ${RESTORE}` }];
}

async function checkRecords(stores: Stores, project: CheckedProject): Promise<Found[]> {
  const { db, repositories } = stores;
  const reader = await repositories.open(project);
  if (!reader || (await unrecordedChanges(db, reader, project.id)).length === 0) return [];
  // Nobody is between writing a ref and recording it now.
  const changes = await withRepositoryLock(db, project.id, (tx) => unrecordedChanges(tx, reader, project.id));
  return changes.slice(0, MOST).map(({ name, from, to }) => ({
    what: `${name} is ${to === null ? 'not there' : `at ${to}`}; the database has ${from ?? 'no such ref'}.`,
    advice: 'A crash may have come between the two. The server records it by itself at its next start.',
  }));
}

async function checkLeftovers(stores: Stores, project: CheckedProject, fix: boolean): Promise<Found[]> {
  const directory = stores.repositories.directory(project);
  const found = await findLeftovers(directory);
  if (found.length === 0) return [];
  if (fix) {
    await cleanUp(stores, project);
    await removeLeftovers(directory, found);
  }
  const gone = { isFixed: fix };
  return found.slice(0, MOST).map(({ kind, name }) => {
    if (kind === 'lock') return { what: `The lock ${name} was left by a process that died.`, advice: FIX, ...gone };
    return { what: `${name} was left by a process that died, or by a push that was broken off.`, advice: FIX, ...gone };
  });
}

/** What can be said of all that is safe to remove. */
export const FIX = '"gantry fsck --fix" removes it; the server does so by itself within two hours.';

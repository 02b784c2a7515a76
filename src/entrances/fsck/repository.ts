import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { ChangeContext } from '#src/domain/changes/record.ts';
import { cleanUp } from '#src/domain/repository/clean_up.ts';
import { withRepositoryLock } from '#src/domain/repository/lock.ts';
import { unrecordedChanges } from '#src/domain/repository/reconcile.ts';
import type { RepositoryPlace, WithRepositories } from '#src/domain/repository/store.ts';
import type { Finding } from '#src/entrances/fsck/finding.ts';
import { checkObjects } from '#src/entrances/fsck/objects.ts';
import { type BrokenRef, findBrokenRefs } from '#src/git/refs/check.ts';
import { findLeftovers } from '#src/git/write/leftovers.ts';

export interface CheckedProject extends RepositoryPlace {
  fullPath: string;
  /** How many refs are recorded in the database. */
  recorded: number;
  /** What of the repository is in the database as well, if it is missing. */
  kept?: string;
}

/** The maximum number of findings of each kind in one repository. */
const MAX_FINDINGS = 20;

/** Checks the repository of a project or its wiki: whether it exists, is intact and matches the database. */
export async function checkRepository(
  stores: WithRepositories & ChangeContext,
  project: CheckedProject,
  fix: boolean,
): Promise<Finding[]> {
  const directory = stores.repositories.directory(project);
  const about = { project: project.fullPath, place: directory };
  if ((await stat(directory).catch(() => null)) === null) {
    if (project.recorded === 0) return [];
    const what = `The repository is missing; ${project.kept ?? `the database knows of ${project.recorded} branches and tags`}.`;
    return [{ ...about, what, advice: 'Restore the directory from a backup.' }];
  }
  if ((await stores.repositories.open(project)) === null) {
    const advice = `Restore the directory from a backup, or write "ref: refs/heads/<default branch>" into ${path.join(directory, 'HEAD')}.`;
    return [{ ...about, what: 'The directory is not a repository: the file HEAD is missing.', advice }];
  }
  const broken = await findBrokenRefs(directory);
  const findings = [
    ...describeRefs(directory, broken),
    ...(await checkObjects(directory, { broken, most: MAX_FINDINGS })),
    ...(await checkRecords(stores, project)),
    ...(await checkLeftovers(stores, project, fix)),
  ];
  return findings.map((finding) => ({ ...about, ...finding }));
}

type Found = Omit<Finding, 'project' | 'place'>;

function describeRefs(directory: string, broken: readonly BrokenRef[]): Found[] {
  const found = broken.map(({ name, target }) => ({
    what:
      target === null
        ? `The file of ${name} is not a ref.`
        : `${name} leads to ${target}, which is missing. The other refs are not affected.`,
    advice: `Push it again from a clone that has it, or delete it: git --git-dir=${directory} update-ref --no-deref -d ${name}`,
  }));
  return capped(found, 'broken refs');
}

async function checkRecords(stores: WithRepositories & ChangeContext, project: CheckedProject): Promise<Found[]> {
  const { db, repositories } = stores;
  const reader = project.wiki || project.owner ? null : await repositories.open(project);
  if (!reader || (await unrecordedChanges(db, reader, project.id)).length === 0) return [];
  // With the lock, no ref has been written but not yet recorded.
  const changes = await withRepositoryLock(db, project.id, (tx) => unrecordedChanges(tx, reader, project.id));
  const found = changes.map(({ name, from, to }) => ({
    what: `${name} is ${to === null ? 'not there' : `at ${to}`}; the database has ${from ?? 'no such ref'}.`,
    advice: 'A crash may have come between the two. The server records it by itself at its next start.',
  }));
  return capped(found, 'refs that differ from the database');
}

async function checkLeftovers(
  stores: WithRepositories & ChangeContext,
  project: CheckedProject,
  fix: boolean,
): Promise<Found[]> {
  const directory = stores.repositories.directory(project);
  const leftovers = fix ? await cleanUp(stores, project) : await findLeftovers(directory);
  const found = leftovers.map(({ kind, name }) => {
    const what =
      kind === 'lock'
        ? `A process that died left the lock ${name}. Nothing was lost.`
        : `A process that died, or a push that was interrupted, left ${name}. Nothing was lost.`;
    return { what, advice: FIX, isHarmless: true, isFixed: fix };
  });
  return capped(found, 'leftovers');
}

/** The first findings of a kind, and how many more there are. */
function capped(found: readonly Found[], kind: string): Found[] {
  const last = found.at(-1);
  if (found.length <= MAX_FINDINGS || last === undefined) return [...found];
  return [
    ...found.slice(0, MAX_FINDINGS),
    { ...last, what: `There are ${found.length - MAX_FINDINGS} more ${kind}.`, advice: last.advice },
  ];
}

/** The advice for everything that is safe to remove. */
export const FIX = '"gantry fsck --fix" removes it; the server does so by itself within a few hours.';

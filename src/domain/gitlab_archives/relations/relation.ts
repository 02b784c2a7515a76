import type { At, Output } from '#src/domain/gitlab_archives/relations/output.ts';
import type { Given } from '#src/domain/gitlab_archives/relations/values.ts';

/** What is known of the project of an archive while its records are translated. */
export interface Translation {
  out: Output;
  /** IDs of labels and milestones, by their titles. */
  labels: Map<string, number>;
  milestones: Map<string, number>;
  /** Names of protected branches, with their IDs. */
  protectedBranches: Map<string, number>;
  /** The IDs of the comments on commits that began a thread, by the name of that. */
  commitThreads: Map<string, number>;
  /** Numbers of issues and merge requests, tags of releases, and other names that there is one of; as `issues 1`. */
  taken: Set<string>;
  /** The ID of the project where it was exported; null until a record tells. */
  projectId: number | null;
  /** Settings that are records in the archive, by the names of place.ts. */
  settings: Record<string, unknown>;
}

/** Translates a record of a relation. */
export type Take = (translation: Translation, record: Given, at: At) => Promise<void>;

/** Whether a name is the first of its kind; if not, the record that has it is left out. */
export function isFirst({ taken, out }: Pick<Translation, 'taken' | 'out'>, name: string, at: At): boolean {
  if (!taken.has(name)) {
    taken.add(name);
    return true;
  }
  out.leaveOut(at, 'A record with the same number or name comes before it.');
  return false;
}

/** What a record has below it that is known: `true` for what is taken, and what is a part of something else that is. */
export function leaveOutUnknown({ out }: Translation, record: Given, known: ReadonlySet<string>, at: At): void {
  for (const [name, value] of Object.entries(record)) {
    if (typeof value !== 'object' || value === null || known.has(name)) continue;
    const count = Array.isArray(value) ? value.length : 1;
    if (count === 0 || (!Array.isArray(value) && Object.values(value).every((one) => one === null))) continue;
    const isWord = /^[a-z][a-z0-9_]{0,59}$/.test(name);
    const relation = `${at.relation}.${isWord ? name : 'unknown'}`;
    out.leaveOut({ ...at, relation }, 'Gantry does not take records of this kind along.', count);
  }
}

import { InvalidConfig, type Need } from '#src/domain/ci/pipelines/config/base/types.ts';
import {
  type ExpansionLimit,
  isRecord,
  readBoolean,
  requireKeys,
  scalarText,
} from '#src/domain/ci/pipelines/config/base/values.ts';

/** Jobs that one job may need. */
const MAX_NEEDS = 50;

/** Reads the jobs that a job waits for, instead of those of the earlier stages. Throws InvalidConfig. */
export function readNeeds(value: unknown, where: string, budget: ExpansionLimit): Need[] {
  const list = listOf(value);
  if (list.length > MAX_NEEDS) throw new InvalidConfig(`${where} config has too many needs (maximum is ${MAX_NEEDS})`);
  return list.map((entry) => {
    const text = scalarText(entry);
    if (text !== null) return { job: budget.spend(text), artifacts: true, optional: false, matrix: null };
    if (!isRecord(entry)) throw new InvalidConfig(`${where} config can only be a hash or an array`);
    requireKeys(entry, where, ['job', 'artifacts', 'optional', 'parallel'], new Set(['pipeline', 'project', 'ref']));
    const job = scalarText(entry.job);
    if (!job) throw new InvalidConfig(`${where} job can't be blank`);
    return {
      job: budget.spend(job),
      artifacts: readBoolean(entry.artifacts, `${where} artifacts`) ?? true,
      optional: readBoolean(entry.optional, `${where} optional`) ?? false,
      matrix: readWanted(entry.parallel, where),
    };
  });
}

/** The entries of a list, or the one that is given without. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.flat(10) : [value];
}

/** The names of the jobs that a matrix has with these values. */
function readWanted(value: unknown, where: string): string[] | null {
  if (value == null) return null;
  const matrix = isRecord(value) ? value.matrix : null;
  if (!Array.isArray(matrix)) throw new InvalidConfig(`${where} parallel should be a hash with a matrix`);
  return matrix.flatMap((entry) => {
    if (!isRecord(entry)) throw new InvalidConfig(`${where} matrix should be an array of hashes`);
    return combinations(entry, where).map((values) => suffixOf(Object.values(values)));
  });
}

/** What distinguishes the jobs of a matrix. */
export function suffixOf(values: readonly string[]): string {
  return `[${values.join(', ')}]`;
}

/** Combinations of one matrix. */
const MAX_COMBINATIONS = 200;

/** Every combination of the values of an entry of a matrix. Throws InvalidConfig. */
export function combinations(entry: Record<string, unknown>, where: string): Record<string, string>[] {
  let made: Record<string, string>[] = [{}];
  for (const [name, value] of Object.entries(entry)) {
    const values = (Array.isArray(value) ? value.flat(10) : [value]).map(scalarText);
    if (values.includes(null) || values.length === 0) {
      throw new InvalidConfig(`${where} variables config should be a hash of key value pairs`);
    }
    if (made.length * values.length > MAX_COMBINATIONS) {
      throw new InvalidConfig(`${where} generates too many jobs (maximum is ${MAX_COMBINATIONS})`);
    }
    made = made.flatMap((before) => values.map((one) => ({ ...before, [name]: one ?? '' })));
  }
  return made;
}

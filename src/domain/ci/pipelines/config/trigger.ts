import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';
import {
  copyOf,
  type ExpansionLimit,
  isRecord,
  type Raw,
  readBoolean,
  requireKeys,
  scalarText,
} from '#src/domain/ci/pipelines/config/base/values.ts';

/** The pipeline that a job starts: one of another project, or a child of its own with other files. */
export interface TriggerConfig {
  /** May contain variables, like the branch; null for a child. */
  project: string | null;
  /** Null for the default branch. */
  branch: string | null;
  /** What the file of the child includes. */
  include: unknown;
  /** What the file of the other project is given for its `spec:inputs`. */
  inputs?: Raw;
  /** Whether the job waits for the pipeline, and ends as it does. */
  depends: boolean;
  /** Whether the pipeline gets the variables of the job, and those that its own pipeline was given. */
  forwardsOwn: boolean;
  forwardsGiven: boolean;
}

/** Keys that a job with a trigger may have. */
export const KEYS_WITH_TRIGGER = [
  'trigger',
  'stage',
  'type',
  'only',
  'except',
  'rules',
  'needs',
  'allow_failure',
  'when',
  'environment',
  'variables',
  'parallel',
  'interruptible',
  'inherit',
  'resource_group',
];

const STRATEGIES = ['depend', 'mirror'];

/** Reads which pipeline a job starts; null if none. Throws InvalidConfig. */
export function readTrigger(value: unknown, where: string, budget: ExpansionLimit): TriggerConfig | null {
  if (value == null) return null;
  const raw: Raw = isRecord(value) ? value : { project: value };
  requireKeys(raw, where, ['project', 'branch', 'include', 'strategy', 'forward', 'inputs']);
  if ((raw.project == null) === (raw.include == null)) {
    throw new InvalidConfig(`${where} config should have either a project or an include`);
  }
  const { strategy, forward } = raw;
  if (strategy != null && !STRATEGIES.some((one) => one === strategy)) {
    throw new InvalidConfig(`${where} strategy should be ${STRATEGIES.join(' or ')}`);
  }
  const { inputs } = raw;
  if (inputs != null && !isRecord(inputs)) throw new InvalidConfig(`${where}:inputs config should be a hash`);
  const common = { depends: strategy != null, ...readForward(forward, `${where}:forward`) };
  if (raw.include != null) {
    if (raw.branch != null) throw new InvalidConfig(`${where} branch can only be used with a project`);
    const entries = [raw.include].flat(3).map((entry) => {
      if (isRecord(entry) && entry.artifact != null && entry.job == null) {
        throw new InvalidConfig(`${where} include config must specify the job where to fetch the artifact from`);
      }
      return inputs == null ? entry : withInputs(entry, inputs);
    });
    return { project: null, branch: null, include: copyOf(entries, budget), ...common };
  }
  const project = readText(raw.project, `${where} project`, budget);
  const given = inputs == null ? {} : { inputs: copyOf(inputs, budget) as Raw };
  return { project, include: null, branch: branchOf(), ...given, ...common };

  function branchOf(): string | null {
    return raw.branch == null ? null : readText(raw.branch, `${where} branch`, budget);
  }
}

/** An entry of `include` with the inputs of the trigger, over which its own win. */
function withInputs(entry: unknown, inputs: Raw): unknown {
  const text = scalarText(entry);
  if (text !== null) return { [/^https?:\/\//.test(text) ? 'remote' : 'local']: text, inputs };
  return isRecord(entry) ? { ...entry, inputs: { ...inputs, ...(isRecord(entry.inputs) ? entry.inputs : {}) } } : entry;
}

function readText(value: unknown, where: string, budget: ExpansionLimit): string {
  const text = scalarText(value)?.trim();
  if (!text) throw new InvalidConfig(`${where} should be a string`);
  return budget.spend(text);
}

function readForward(value: unknown, where: string): { forwardsOwn: boolean; forwardsGiven: boolean } {
  if (value != null && !isRecord(value)) throw new InvalidConfig(`${where} config should be a hash`);
  const raw = value ?? {};
  requireKeys(raw, where, ['yaml_variables', 'pipeline_variables']);
  return {
    forwardsOwn: readBoolean(raw.yaml_variables, `${where} yaml variables`) ?? true,
    forwardsGiven: readBoolean(raw.pipeline_variables, `${where} pipeline variables`) ?? false,
  };
}

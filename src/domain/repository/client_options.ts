/** What the options of a push (`git push -o`) ask for. */
export interface ClientOptions {
  ci: {
    /** Whether its pipelines are skipped. */
    isSkipped: boolean;
    /** Variables for the jobs of its pipelines. */
    variables: Record<string, string>;
  };
  /** What is asked of merge requests of the pushed branches; null for nothing. */
  mergeRequest: MergeRequestOptions | null;
  /** Why options were not understood, each a line for the user. */
  warnings: string[];
}

/** What a push asks of the merge requests of its branches. */
export interface MergeRequestOptions {
  create: boolean;
  target?: string;
  /** ID or path. */
  targetProject?: string;
  title?: string;
  description?: string;
  draft?: boolean;
  /** Title. */
  milestone?: string;
  removeSourceBranch?: boolean;
  squash?: boolean;
  autoMerge?: boolean;
  /** Titles. */
  labels: string[];
  unlabels: string[];
  /** Usernames or IDs. */
  assign: string[];
  unassign: string[];
  /** The options as given, for messages. */
  given: string[];
}

type Texts = 'target' | 'targetProject' | 'title' | 'description' | 'milestone';
type Switches = 'create' | 'draft' | 'removeSourceBranch' | 'squash' | 'autoMerge';
type Lists = 'labels' | 'unlabels' | 'assign' | 'unassign';

const TEXTS = new Map<string, Texts>([
  ['target', 'target'],
  ['target_project', 'targetProject'],
  ['title', 'title'],
  ['description', 'description'],
  ['milestone', 'milestone'],
]);
const SWITCHES = new Map<string, Switches>([
  ['create', 'create'],
  ['draft', 'draft'],
  ['remove_source_branch', 'removeSourceBranch'],
  ['squash', 'squash'],
  ['auto_merge', 'autoMerge'],
  ['merge_when_pipeline_succeeds', 'autoMerge'],
]);
const LISTS = new Map<string, Lists>([
  ['label', 'labels'],
  ['unlabel', 'unlabels'],
  ['assign', 'assign'],
  ['unassign', 'unassign'],
]);

/** Names of variables of pipelines. */
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/;
/** Characters of an option that a warning shows. */
const SHOWN = 80;

/** Interprets the options of a push, each `name` or `name=value`. What is not understood is left out, with a warning. */
export function readClientOptions(options: readonly string[]): ClientOptions {
  const read: ClientOptions = { ci: { isSkipped: false, variables: {} }, mergeRequest: null, warnings: [] };
  for (const option of options) {
    const [name, value] = split(option);
    const isKnown = !option.includes('\0') && (readCi(read, name, value) || readMergeRequest(read, name, value));
    if (!isKnown) read.warnings.push(`The push option '${shown(option)}' is not supported, and was ignored`);
  }
  return read;
}

/** The beginning of an option, on one line and without control characters. */
function shown(option: string): string {
  return option.replace(/\p{Cc}+/gu, ' ').slice(0, SHOWN);
}

function split(option: string): [name: string, value: string | null] {
  const at = option.indexOf('=');
  return at < 0 ? [option, null] : [option.slice(0, at), option.slice(at + 1)];
}

function readCi({ ci }: ClientOptions, name: string, value: string | null): boolean {
  if (name === 'integrations.skip_ci') return true;
  if (name === 'ci.skip') {
    ci.isSkipped = isOn(value);
    return true;
  }
  if (name !== 'ci.variable' || value === null) return false;
  const [key, text] = split(value);
  if (text === null || !VARIABLE.test(key)) return false;
  ci.variables[key] = text;
  return true;
}

function readMergeRequest(read: ClientOptions, name: string, value: string | null): boolean {
  const key = /^(?:merge_request|mr)\.(.+)$/.exec(name)?.[1];
  if (key === undefined) return false;
  const options = read.mergeRequest ?? { create: false, labels: [], unlabels: [], assign: [], unassign: [], given: [] };
  const [text, toggle, list] = [TEXTS.get(key), SWITCHES.get(key), LISTS.get(key)];
  if (toggle !== undefined) options[toggle] = isOn(value);
  else if (value === null) return false;
  else if (text !== undefined) options[text] = value.replaceAll('\\n', '\n');
  else if (list !== undefined) options[list].push(value);
  else return false;
  options.given.push(shown(value === null ? name : `${name}=${value}`));
  read.mergeRequest = options;
  return true;
}

/** An option without a value is on. */
function isOn(value: string | null): boolean {
  return value === null || !/^(false|0|no|off)$/i.test(value);
}
